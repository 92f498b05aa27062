// SPDX-License-Identifier: Apache-2.0
// One launch: the same program on every core, and what it must do by its definition.
#pragma once

#include <functional>
#include <string>

#include "sim/isa/core_port.hpp"
#include "sim/isa/core_shape.hpp"

namespace ridgepoint::isa {

struct Kernel {
  std::string name;    // operation, for example "linear.qkv"
  std::string family;  // "linear", "attention", "norm", ... : what rows are summed under
  // Everything its time depends on; two launches with the same key take the same time up to the
  // phase of refresh. Empty: never reused.
  std::string key;
  std::function<Program(CorePort&)> program;
  double flops = 0;        // matrix-engine FLOPs (2 per multiply-accumulate) by the definition
  double model_bytes = 0;  // HBM bytes of the traffic formula, 0 where none is declared
  CoreBytes least;         // of its smallest tiles: a core that holds these can run it
};

}  // namespace ridgepoint::isa
