// SPDX-License-Identifier: Apache-2.0
// serve --prompts: real text through the serving engine.
#pragma once

#include "sim/cli/subcommands.hpp"

namespace ridgepoint::cli {

// Exit code 1 if --check-alone finds a request with other tokens than it gets alone.
int serve_prompts(const Context& context);

}  // namespace ridgepoint::cli
