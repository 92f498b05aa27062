# SPDX-License-Identifier: Apache-2.0
# cmake -DSOURCE_DIR= -DTEMPLATE= -DOUTPUT= -DVERSION= ... -P build_info.cmake
# Rewrites OUTPUT only when a fact has changed, so that a build without news compiles nothing.
set(GIT_COMMIT unknown)
find_program(GIT git)
if(GIT AND EXISTS ${SOURCE_DIR}/.git)
  execute_process(COMMAND ${GIT} -C ${SOURCE_DIR} rev-parse --short=12 HEAD
    OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE failed ERROR_QUIET)
  if(NOT failed)
    execute_process(COMMAND ${GIT} -C ${SOURCE_DIR} status --porcelain --untracked-files=no
      OUTPUT_VARIABLE changes ERROR_QUIET)
    set(GIT_COMMIT ${commit})
    if(changes)
      string(APPEND GIT_COMMIT -dirty)
    endif()
  endif()
endif()
configure_file(${TEMPLATE} ${OUTPUT} @ONLY)
