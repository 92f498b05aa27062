// SPDX-License-Identifier: Apache-2.0
#include "sim/soc/machine_copies.hpp"

#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <new>
#include <numeric>
#include <string>
#include <type_traits>

namespace ridgepoint::soc {
namespace {

using Kernels = std::vector<const isa::Kernel*>;

// ---- Activities as bytes, for a process of the same program

template <typename ActivityLike, typename Each>
void each_part(ActivityLike& activity, Each&& each) {
  each(activity.cycles);
  each(activity.launch_cycles);
  each(activity.stalls);
  each(activity.commands);
  each(activity.matrix_flops);
  each(activity.vector_elements);
  each(activity.shared_bytes);
  if constexpr (std::is_const_v<ActivityLike>) {
    each(static_cast<const dram::ChannelCounts&>(activity.hbm));
  } else {
    each(static_cast<dram::ChannelCounts&>(activity.hbm));
  }
  each(activity.hbm.bank_activations);
  each(activity.hbm.bank_bursts);
}

class Writer {
 public:
  template <typename Value>
  void operator()(const Value& value) {
    static_assert(std::is_trivially_copyable_v<Value>);
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  template <typename Value>
  void operator()(const std::vector<Value>& values) {
    (*this)(values.size());
    for (const Value& value : values) (*this)(value);
  }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

class Reader {
 public:
  explicit Reader(const std::string& bytes) : bytes_(bytes) {}
  bool at_end() const { return at_ == bytes_.size(); }
  bool is_cut_off() const { return cut_off_; }
  template <typename Value>
  void operator()(Value& value) {
    if (bytes_.size() - at_ < sizeof value) {
      cut_off_ = true;
      at_ = bytes_.size();
      return;
    }
    std::memcpy(&value, bytes_.data() + at_, sizeof value);
    at_ += sizeof value;
  }
  template <typename Value>
  void operator()(std::vector<Value>& values) {
    std::size_t size = 0;
    (*this)(size);
    if (size > (bytes_.size() - at_) / sizeof(Value)) size = 0, cut_off_ = true;
    values.resize(size);
    for (Value& value : values) (*this)(value);
  }

 private:
  const std::string& bytes_;
  std::size_t at_ = 0;
  bool cut_off_ = false;
};

// ---- Workers

// How many kernels have been taken, by all processes.
class SharedCounter {
 public:
  SharedCounter() {
    void* const page =
        ::mmap(nullptr, sizeof(Count), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (page != MAP_FAILED) count_ = new (page) Count(0);
  }
  SharedCounter(const SharedCounter&) = delete;
  SharedCounter& operator=(const SharedCounter&) = delete;
  ~SharedCounter() {
    if (count_ != nullptr) ::munmap(count_, sizeof(Count));
  }
  bool exists() const { return count_ != nullptr; }
  std::size_t next() { return count_->fetch_add(1); }

 private:
  using Count = std::atomic<std::size_t>;
  static_assert(Count::is_always_lock_free);
  Count* count_ = nullptr;
};

struct Worker {
  pid_t process = -1;
  int pipe = -1;
};

bool write_all(int out, const std::string& bytes) {
  for (std::size_t done = 0; done < bytes.size();) {
    const ssize_t wrote = ::write(out, bytes.data() + done, bytes.size() - done);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) return false;
    done += static_cast<std::size_t>(wrote);
  }
  return true;
}

// Never returns to the caller's code: no destructor and no buffer of the parent's runs twice.
[[noreturn]] void work(Machine& machine, const Kernels& kernels,
                       const std::vector<std::size_t>& order, SharedCounter& taken, int out,
                       pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);
  Writer answers;
  try {
    for (std::size_t i = taken.next(); i < order.size(); i = taken.next()) {
      machine.reset_memory();
      const Activity activity = machine.run(*kernels[order[i]], false);
      answers(order[i]);
      each_part(activity, answers);
    }
  } catch (...) {  // the caller runs the kernel again and meets the same
  }
  ::_exit(write_all(out, answers.bytes()) ? 0 : 1);
}

Worker start(Machine& machine, const Kernels& kernels, const std::vector<std::size_t>& order,
             SharedCounter& taken) {
  int ends[2];
  if (::pipe(ends) != 0) return {};
  const pid_t parent = ::getpid();
  const pid_t process = ::fork();
  if (process == 0) {
    ::close(ends[0]);
    work(machine, kernels, order, taken, ends[1], parent);
  }
  ::close(ends[1]);
  if (process < 0) {
    ::close(ends[0]);
    return {};
  }
  return {process, ends[0]};
}

void collect(const Worker& worker, std::vector<std::optional<Activity>>& activities) {
  if (worker.process < 0) return;
  std::string bytes;
  char block[1 << 16];
  while (true) {
    const ssize_t got = ::read(worker.pipe, block, sizeof block);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    bytes.append(block, static_cast<std::size_t>(got));
  }
  ::close(worker.pipe);
  while (::waitpid(worker.process, nullptr, 0) < 0 && errno == EINTR) {
  }
  // A worker that was killed may have written a part of an answer last.
  for (Reader read(bytes); !read.at_end();) {
    std::size_t kernel = 0;
    Activity activity;
    read(kernel);
    each_part(activity, read);
    if (!read.is_cut_off()) activities.at(kernel) = std::move(activity);
  }
}

}  // namespace

double simulated_bytes(const isa::Kernel& kernel) {
  // Without a traffic formula: one attention FLOP per cached number and head; vectors cost little.
  return kernel.model_bytes > 0 ? kernel.model_bytes : std::max(kernel.flops / 2, 1.0);
}

std::vector<std::optional<Activity>> run_on_copies(Machine& machine, const Kernels& kernels,
                                                   std::size_t workers) {
  std::vector<std::optional<Activity>> activities(kernels.size());
  SharedCounter taken;
  if (!taken.exists()) return activities;
  // The longest first, each taken by the first worker that has nothing to do.
  std::vector<std::size_t> order(kernels.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t left, std::size_t right) {
    return simulated_bytes(*kernels[left]) > simulated_bytes(*kernels[right]);
  });
  std::vector<Worker> started;
  for (std::size_t i = 0; i < std::min(workers, kernels.size()); ++i) {
    started.push_back(start(machine, kernels, order, taken));
  }
  for (const Worker& worker : started) collect(worker, activities);
  return activities;
}

}  // namespace ridgepoint::soc
