// SPDX-License-Identifier: Apache-2.0
// Whose turn it is among the cores: each at the time of its next event, and those of one time in
// the order of their numbers. What cores do to each other outside of time, as in the directory of a
// cache that they share, therefore does not depend on how the kernel queues their wake-ups.
#pragma once

#include <functional>
#include <queue>
#include <systemc>
#include <tuple>
#include <vector>

#include "sim/core/time.hpp"
#include "sim/soc/payload.hpp"

namespace ridgepoint::soc {

class CoreTurns : public sc_core::sc_module {
 public:
  explicit CoreTurns(const sc_core::sc_module_name& name) : sc_module(name) {
    SC_HAS_PROCESS(CoreTurns);
    SC_METHOD(act);
    sensitive << wake_;
    dont_initialize();
  }

  // `core`'s turn is at `time`; a turn that a core has no use for any more is up to it.
  void wake(std::size_t core, core::Femtoseconds time) {
    turns_.push({time, core});
    if (time < wake_at_) notify(time);
  }
  std::function<void(std::size_t core)> on_turn;

 private:
  struct Turn {
    core::Femtoseconds time;
    std::size_t core;
    bool operator>(const Turn& other) const {
      return std::tie(time, core) > std::tie(other.time, other.core);
    }
  };

  void act() {
    const core::Femtoseconds now = now_fs();
    wake_at_ = core::kNever;
    while (!turns_.empty() && turns_.top().time <= now) {
      const std::size_t core = turns_.top().core;
      turns_.pop();
      on_turn(core);
    }
    if (!turns_.empty() && turns_.top().time < wake_at_) notify(turns_.top().time);
  }
  void notify(core::Femtoseconds time) {
    wake_at_ = time;
    wake_.notify(to_sc_time(time - now_fs()));  // zero delay: the next delta, never immediate
  }

  sc_core::sc_event wake_;
  core::Femtoseconds wake_at_ = core::kNever;
  std::priority_queue<Turn, std::vector<Turn>, std::greater<>> turns_;
};

}  // namespace ridgepoint::soc
