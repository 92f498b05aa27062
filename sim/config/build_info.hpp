// SPDX-License-Identifier: Apache-2.0
// Facts about this build, for the provenance columns and --version.
#pragma once

#include <string_view>

namespace ridgepoint::config {

struct BuildInfo {
  std::string_view version;  // of the project
  std::string_view
      git_commit;  // 12 digits, "-dirty" if the tree had changes; "unknown" without git
  std::string_view compiler;
  std::string_view flags;
  std::string_view systemc;
  std::string_view boost;
};

const BuildInfo& build_info();

}  // namespace ridgepoint::config
