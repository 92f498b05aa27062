// SPDX-License-Identifier: Apache-2.0
// A core as a kernel sees it: tiles, the four engines, tokens, ring slots. One kernel source serves
// values and timing: without attached values the same commands carry the same addresses.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "sim/isa/command.hpp"
#include "sim/isa/program.hpp"

namespace ridgepoint::isa {

class CorePort {
 public:
  virtual ~CorePort() = default;

  std::int64_t index() const { return index_; }
  std::int64_t count() const { return count_; }
  bool values() const { return values_; }

  // Regions of this core, freed when the kernel ends. Throw InputError naming the size that is
  // missing when the scratchpad (operands) or the accumulators (fp32) are too small.
  virtual Tile tile(std::int64_t rows, std::int64_t cols, core::DType dtype) = 0;
  virtual Tile accumulator(std::int64_t rows, std::int64_t cols) = 0;

  // HBM or shared memory -> tile; tile -> HBM or shared memory (converted to the view's dtype).
  Token load(const Tile& tile, const View& view, const Deps& deps = {});
  Token store(const View& view, const Tile& tile, const Deps& deps = {});
  Token matrix(const MatrixOp& op, const Deps& deps = {});
  // `compute` works on tile values and runs on completion, only when values are attached.
  template <typename Compute>
  Token vector(const VectorOp& op, const Deps& deps, Compute&& compute) {
    Command command;
    command.engine = Engine::kVector;
    command.vector = op;
    command.deps = deps;
    if (values_) command.compute = std::forward<Compute>(compute);
    return issue(std::move(command));
  }

  // A token that any core may wait for before the core that completes it has issued its command;
  // `slot` numbers are chosen by the kernel, densely from 0. publish() ties it to a command of this
  // core (or, with an invalid token, says it is done now).
  virtual Token shared_token(std::uint32_t slot) = 0;
  virtual void publish(std::uint32_t slot, Token token) = 0;

  virtual bool done(Token token) const = 0;
  // Resume the running program when `token` is done.
  virtual void wake_program_on(Token token) = 0;

 protected:
  CorePort(std::int64_t index, std::int64_t count, bool values)
      : index_(index), count_(count), values_(values) {}
  virtual Token issue(Command command) = 0;
  void set_values(bool values) { values_ = values; }

 private:
  std::int64_t index_;
  std::int64_t count_;
  bool values_;
};

// Suspends the kernel until a token is done.
struct AwaitToken {
  CorePort& core;
  Token token;
  bool await_ready() const { return !token.valid() || core.done(token); }
  void await_suspend(std::coroutine_handle<>) const { core.wake_program_on(token); }
  void await_resume() const {}
};
inline AwaitToken until(CorePort& core, Token token) { return {core, token}; }

// `slots` equal tiles used in turn: use i takes slot i mod slots. A kernel waits for
// `co_await until(core, ring.busy(i))` before it fills the slot again.
class Ring {
 public:
  Ring(CorePort& core, std::int64_t slots, std::int64_t rows, std::int64_t cols, core::DType dtype);
  std::int64_t slots() const { return static_cast<std::int64_t>(tiles_.size()); }
  const Tile& tile(std::int64_t use) const { return tiles_[slot(use)]; }
  // What last read the slot of `use`.
  Token busy(std::int64_t use) const { return last_use_[slot(use)]; }
  void used(std::int64_t use, Token token) { last_use_[slot(use)] = token; }

 private:
  std::size_t slot(std::int64_t use) const { return static_cast<std::size_t>(use) % tiles_.size(); }

  std::vector<Tile> tiles_;
  std::vector<Token> last_use_;
};

}  // namespace ridgepoint::isa
