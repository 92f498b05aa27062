// SPDX-License-Identifier: Apache-2.0
// The coroutine type of a kernel on one core. It issues commands and suspends only for ring slots
// (isa::Ring). Kernels are free functions that take their arguments by value.
#pragma once

#include <coroutine>
#include <exception>
#include <utility>

namespace ridgepoint::isa {

class Program {
 public:
  struct promise_type {
    std::exception_ptr error;
    Program get_return_object() {
      return Program(std::coroutine_handle<promise_type>::from_promise(*this));
    }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_void() noexcept {}
    void unhandled_exception() noexcept { error = std::current_exception(); }
  };

  Program() = default;
  Program(Program&& other) noexcept : handle_(std::exchange(other.handle_, {})) {}
  Program& operator=(Program&& other) noexcept {
    if (this != &other) {
      destroy();
      handle_ = std::exchange(other.handle_, {});
    }
    return *this;
  }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;
  ~Program() { destroy(); }

  bool started_or_running() const { return handle_ && !handle_.done(); }
  bool finished() const { return !handle_ || handle_.done(); }
  // Runs to the next suspension; rethrows what the kernel threw.
  void resume() {
    handle_.resume();
    if (handle_.done() && handle_.promise().error) {
      std::rethrow_exception(handle_.promise().error);
    }
  }

 private:
  explicit Program(std::coroutine_handle<promise_type> handle) : handle_(handle) {}
  void destroy() {
    if (handle_) handle_.destroy();
  }
  std::coroutine_handle<promise_type> handle_;
};

}  // namespace ridgepoint::isa
