// SPDX-License-Identifier: Apache-2.0
// Generated documents, as texts.
#pragma once

#include <string>

namespace ridgepoint::cli {

std::string manual_page();        // roff, section 1
std::string bash_completion();    // for /usr/share/bash-completion/completions/ridgepoint
std::string zsh_completion();     // for a folder of $fpath, as _ridgepoint
std::string column_dictionary();  // Markdown, committed as results/README.md

}  // namespace ridgepoint::cli
