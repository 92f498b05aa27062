// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/child.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "sim/core/error.hpp"

namespace ridgepoint::cli {
namespace {

volatile std::sig_atomic_t stop_requested = 0;

void request_stop(int) { stop_requested = 1; }

[[noreturn]] void fail_errno(const std::string& what) {
  throw core::SimulationError(what + ": " + std::strerror(errno));
}

// In the child, between fork and exec: only calls that are safe there.
[[noreturn]] void become(char* const* arguments, int in, int out, int err, pid_t parent,
                         const sigset_t* mask) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);  // a sweep that is killed leaves no process behind
  if (getppid() != parent) _exit(127);
  setpgid(0, 0);  // Ctrl-C reaches the sweep, which decides
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
  sigprocmask(SIG_SETMASK, mask, nullptr);
  if (dup2(in, 0) >= 0 && dup2(out, 1) >= 0 && dup2(err, 2) >= 0) {
    execv("/proc/self/exe", arguments);
  }
  _exit(127);
}

}  // namespace

// SIGINT and SIGTERM are blocked except inside ppoll, so none is missed between a test and a wait.
struct ProcessPool::Signals {
  Signals() {
    stop_requested = 0;
    sigset_t blocked;
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGINT);
    sigaddset(&blocked, SIGTERM);
    sigprocmask(SIG_BLOCK, &blocked, &before);
    waiting = before;
    sigdelset(&waiting, SIGINT);
    sigdelset(&waiting, SIGTERM);
    struct sigaction action {};
    action.sa_handler = &request_stop;
    sigaction(SIGINT, &action, &old_int);
    sigaction(SIGTERM, &action, &old_term);
  }
  ~Signals() {
    sigaction(SIGINT, &old_int, nullptr);
    sigaction(SIGTERM, &old_term, nullptr);
    sigprocmask(SIG_SETMASK, &before, nullptr);
  }
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;
  sigset_t before{};
  sigset_t waiting{};
  struct sigaction old_int {};
  struct sigaction old_term {};
};

ProcessPool::ProcessPool(std::size_t jobs, double timeout_s)
    : jobs_(jobs), timeout_s_(timeout_s), signals_(new Signals) {}

ProcessPool::~ProcessPool() {
  for (Child& child : children_) {
    kill(child.pid, SIGKILL);
    reap(child);
    if (child.out >= 0) close(child.out);
    if (child.err >= 0) close(child.err);
  }
  delete signals_;
}

bool ProcessPool::interrupted() const { return stop_requested != 0; }

void ProcessPool::start(std::size_t id, const std::vector<std::string>& arguments) {
  std::string name = "ridgepoint";
  std::vector<std::string> words = arguments;
  std::vector<char*> pointers{name.data()};
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);

  std::array<int, 2> out{};
  std::array<int, 2> err{};
  const int in = open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (in < 0 || pipe2(out.data(), O_CLOEXEC) != 0 || pipe2(err.data(), O_CLOEXEC) != 0) {
    fail_errno("cannot open a pipe");
  }
  const pid_t parent = getpid();
  const pid_t pid = fork();
  if (pid < 0) fail_errno("cannot start a process");
  if (pid == 0) become(pointers.data(), in, out[1], err[1], parent, &signals_->before);
  for (const int descriptor : {in, out[1], err[1]}) close(descriptor);
  for (const int descriptor : {out[0], err[0]}) fcntl(descriptor, F_SETFL, O_NONBLOCK);

  Child child;
  child.result.id = id;
  child.pid = pid;
  child.out = out[0];
  child.err = err[0];
  if (timeout_s_ > 0) {
    child.deadline = std::chrono::steady_clock::now() +
                     std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                         std::chrono::duration<double>(timeout_s_));
  }
  children_.push_back(std::move(child));
}

void ProcessPool::pump(int& descriptor, std::string& text) {
  static constexpr std::size_t kMost = std::size_t{1} << 24;  // of one row and its messages
  std::array<char, 65536> block{};
  while (descriptor >= 0) {
    const ssize_t got = read(descriptor, block.data(), block.size());
    if (got > 0) {
      if (text.size() < kMost) text.append(block.data(), static_cast<std::size_t>(got));
    } else if (got < 0 && (errno == EAGAIN || errno == EINTR)) {
      return;
    } else {
      close(descriptor);
      descriptor = -1;
    }
  }
}

void ProcessPool::reap(Child& child) {
  int status = 0;
  while (waitpid(child.pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFSIGNALED(status)) child.result.signal = WTERMSIG(status);
  if (WIFEXITED(status)) child.result.exit_code = WEXITSTATUS(status);
}

void ProcessPool::kill_late() {
  if (timeout_s_ <= 0) return;
  const Time now = std::chrono::steady_clock::now();
  for (Child& child : children_) {
    if (child.result.timed_out || now < child.deadline) continue;
    child.result.timed_out = true;
    kill(child.pid, SIGKILL);
  }
}

void ProcessPool::poll_once() {
  std::vector<pollfd> descriptors;
  for (const Child& child : children_) {
    for (const int descriptor : {child.out, child.err}) {
      if (descriptor >= 0) descriptors.push_back({descriptor, POLLIN, 0});
    }
  }
  // With a time limit, wake up often enough to enforce it.
  const timespec tick{0, 20'000'000};
  ppoll(descriptors.data(), descriptors.size(), timeout_s_ > 0 ? &tick : nullptr,
        &signals_->waiting);
  for (Child& child : children_) {
    pump(child.out, child.result.out);
    pump(child.err, child.result.err);
  }
}

std::optional<Finished> ProcessPool::wait() {
  while (!interrupted()) {
    for (auto at = children_.begin(); at != children_.end(); ++at) {
      if (at->out >= 0 || at->err >= 0) continue;
      reap(*at);
      Finished finished = std::move(at->result);
      children_.erase(at);
      return finished;
    }
    kill_late();
    poll_once();
  }
  return std::nullopt;
}

}  // namespace ridgepoint::cli
