// SPDX-License-Identifier: Apache-2.0
// The program of tiled attention: a core's walks, then its merges of partial results.
#include <algorithm>
#include <deque>
#include <iterator>
#include <memory>

#include "kernels/attention/attention.hpp"
#include "kernels/attention/softmax.hpp"
#include "kernels/attention/walk.hpp"
#include "sim/core/error.hpp"

namespace ridgepoint::kernels {
namespace {

using isa::CorePort;
using isa::Deps;
using isa::Ring;
using isa::Tile;
using isa::Token;

using Job = AttentionJob;

// Rows [r0, r0 + rows) of output tile g of a merge.
struct MergePart {
  const AttentionPlan::Merge* task = nullptr;
  std::int64_t g = 0, r0 = 0, rows = 0;
};

isa::View cut_rows(isa::View view, std::int64_t r0, std::int64_t rows) {
  view.rows = rows;
  view.address += static_cast<std::uint64_t>(r0) * view.row_bytes;
  if (view.values != nullptr) {
    view.values = static_cast<char*>(view.values) + r0 * view.value_row_bytes;
  }
  return view;
}

// Merges of one core; each method issues commands and never waits.
class AttentionMerge {
 public:
  AttentionMerge(CorePort& core, Job& job)
      : core_(core),
        job_(job),
        partials_(core, kMergeSlots, rows_of(job), job.v_dim + 2, core::DType::kFp32),
        outputs_(core, kMergeSlots, rows_of(job), job.v_dim + 2, core::DType::kFp32) {
    if (!job.args.sinks) return;
    sinks_ = core.tile(1, job.args.heads, job.args.sinks->dtype);
    sinks_loaded_ = core.load(*sinks_, job.args.sinks->block(0, 1, 0, job.args.heads));
  }

  Token output_slot() const { return outputs_.busy(output_uses_); }
  Token partial_slot() const { return partials_.busy(partial_uses_); }

  void begin(const MergePart& part) {
    const Tile out = outputs_.tile(output_uses_);
    const bool heads_as_rows = job_.heads_as_rows(part.task->item);
    const float* sinks = nullptr;
    if (sinks_ && sinks_->values != nullptr) {
      sinks =
          sinks_->values + job_.head_of(part.task->item, part.g) + (heads_as_rows ? part.r0 : 0);
    }
    // A thread block of its own, which begins when the walks of its core are over.
    begun_ = {};
    if (job_.decode_begin_elements > 0) {
      begun_ = core_.vector({job_.decode_begin_elements, 1}, {}, [] {});
    }
    merged_ = core_.vector({part.rows, 1}, {sinks_loaded_},
                           [out, rows = part.rows, dim = job_.v_dim, sinks, heads_as_rows] {
                             clear_output(out, rows, dim, sinks, heads_as_rows ? 1 : 0);
                           });
  }
  void add(const MergePart& part, std::int64_t split) {
    const Tile out = outputs_.tile(output_uses_), partial = partials_.tile(partial_uses_);
    const std::int64_t all = job_.rows_of(part.task->item, part.g);
    const Token loaded =
        core_.load(partial, cut_rows(job_.partial_view(split, part.g, all), part.r0, part.rows),
                   {core_.shared_token(job_.partial_slot(split, part.g)), begun_});
    merged_ = core_.vector({part.rows * (job_.v_dim + 2), 2}, {loaded, merged_},
                           [out, partial, rows = part.rows, dim = job_.v_dim] {
                             merge_partial(out, partial, rows, dim);
                           });
    partials_.used(partial_uses_++, merged_);
  }
  void end(const MergePart& part) {
    const Tile out = outputs_.tile(output_uses_);
    const Token scaled =
        core_.vector({part.rows * job_.v_dim, 1}, {merged_},
                     [out, rows = part.rows, dim = job_.v_dim] { normalise(out, rows, dim); });
    const isa::View to = job_.head_view(job_.args.out, part.task->item, part.g, job_.v_dim);
    outputs_.used(output_uses_++, core_.store(cut_rows(to, part.r0, part.rows), out, {scaled}));
  }

 private:
  static std::int64_t rows_of(const Job& job) { return std::min(kMergeRows, job.tiles.tile_rows); }

  CorePort& core_;
  Job& job_;
  Ring partials_, outputs_;
  std::optional<Tile> sinks_;
  std::int64_t partial_uses_ = 0, output_uses_ = 0;
  Token sinks_loaded_, merged_, begun_;
};

// All parts of all merges go round the cores.
std::vector<MergePart> parts_of(const Job& job, std::int64_t core, std::int64_t cores) {
  std::vector<MergePart> mine;
  std::int64_t next = 0;
  for (const AttentionPlan::Merge& task : job.plan.merges) {
    for (std::int64_t g = 0; g < job.tiles_of(task.item); ++g) {
      const std::int64_t rows = job.rows_of(task.item, g);
      for (std::int64_t r0 = 0; r0 < rows; r0 += kMergeRows, ++next) {
        if (next % cores == core) {
          mine.push_back({&task, g, r0, std::min(kMergeRows, rows - r0)});
        }
      }
    }
  }
  return mine;
}

// The walks of one lane, in turn.
struct Lane {
  AttentionWalk work;
  std::vector<AttentionItem> items;
  std::size_t next = 0;
  bool walking = false;

  bool busy() const { return walking || next < items.size(); }
  // What the next walk waits for before begin().
  std::vector<Token> room(const Job& job) const {
    std::vector<Token> tokens;
    for (std::int64_t g = 0; job.tiles.one_by_one && g < job.tiles.query_tiles; ++g) {
      tokens.push_back(work.stored(g));
    }
    for (std::int64_t g = 0; g < job.tiles_of(items[next]); ++g) tokens.push_back(work.q_slot(g));
    return tokens;
  }
  void begin() {
    work.begin(items[next++]);
    work.load_queries();
    walking = true;
  }
  void step() {
    work.load_keys();
    work.walk_tile();
    walking = work.has_tile();
    if (!walking) work.end();
  }
};

// A core's lanes; none that has no walk.
std::deque<Lane> lanes_of(CorePort& core, Job& job) {
  std::deque<Lane> lanes;
  const auto& mine = job.plan.by_core[static_cast<std::size_t>(core.index())];
  for (std::int64_t l = 0; l < job.tiles.lanes; ++l) {
    std::vector<AttentionItem> items;
    std::copy_if(mine.begin(), mine.end(), std::back_inserter(items),
                 [l](const AttentionItem& item) { return item.lane == l; });
    if (!items.empty()) lanes.push_back({AttentionWalk(core, job), std::move(items)});
  }
  return lanes;
}

isa::Program program(CorePort& core, std::shared_ptr<Job> job) {
  std::deque<Lane> lanes = lanes_of(core, *job);
  const auto busy_lanes = [&lanes] {
    return std::count_if(lanes.begin(), lanes.end(), [](const Lane& lane) { return lane.busy(); });
  };
  for (std::int64_t left = busy_lanes(); left > 0; left = busy_lanes()) {
    for (Lane& lane : lanes) {
      if (!lane.busy()) continue;
      lane.work.share(left);
      if (!lane.walking) {
        const std::vector<Token> room = lane.room(*job);
        for (const Token token : room) co_await isa::until(core, token);
        lane.begin();
      }
      const Token k_slot = lane.work.k_slot();
      co_await isa::until(core, k_slot);
      const Token v_slot = lane.work.v_slot();
      co_await isa::until(core, v_slot);
      lane.step();
    }
  }
  const std::vector<MergePart> parts = parts_of(*job, core.index(), core.count());
  if (parts.empty()) co_return;
  AttentionMerge merge(core, *job);
  for (const MergePart& part : parts) {
    const Token free_slot = merge.output_slot();
    co_await isa::until(core, free_slot);
    merge.begin(part);
    for (std::int64_t s = 0; s < part.task->splits; ++s) {
      const Token busy = merge.partial_slot();
      co_await isa::until(core, busy);
      merge.add(part, part.task->first_split + s);
    }
    merge.end(part);
  }
}

// Two sequences of equal lengths cost the same wherever their blocks lie.
std::string key_of(const AttentionArgs& args) {
  std::string key =
      "attention heads=" + std::to_string(args.heads) +
      " kv_heads=" + std::to_string(args.kv_heads()) + " dim=" + std::to_string(args.qk_dim()) +
      '/' + std::to_string(args.value_dim()) + " block=" + std::to_string(args.cache.block_tokens) +
      " kv=" + std::string(name_of(args.key_dtype())) + " q=" + std::string(name_of(args.q.dtype)) +
      " splits<=" + std::to_string(args.most_splits) + " window=" + std::to_string(args.window) +
      (args.sinks ? " sinks" : "") + (args.cache.latent ? " latent" : "") +
      (args.expanded ? " expanded" : "") + " seqs=";
  std::size_t same = 0;
  for (std::size_t i = 0; i < args.sequences.size(); i += same) {
    const Sequence& first = args.sequences[i];
    for (same = 1; i + same < args.sequences.size(); ++same) {
      const Sequence& next = args.sequences[i + same];
      if (next.new_tokens != first.new_tokens || next.context != first.context) break;
    }
    key += std::to_string(same) + 'x' + std::to_string(first.new_tokens) + '/' +
           std::to_string(first.context) + ',';
  }
  return key;
}

}  // namespace

isa::Kernel attention(const isa::CoreShape& shape, const AttentionArgs& args,
                      const std::string& name) {
  if (args.kv_heads() <= 0 || args.heads % args.kv_heads() != 0) {
    throw core::SimulationError("attention: heads are not a multiple of kv_heads");
  }
  if (args.expanded && (args.sequences.size() != 1 || args.window > 0)) {
    throw core::SimulationError("attention: expanded keys belong to one sequence, no window");
  }
  isa::Kernel kernel;
  kernel.name = name;
  kernel.family = "attention";
  kernel.key = key_of(args);
  kernel.flops = attention_flops(args);
  kernel.model_bytes = attention_bytes(shape, args);
  kernel.least = attention_least(shape, args);
  // Planned at the first launch: equal kernels of other layers may never be launched.
  auto job = std::make_shared<std::shared_ptr<Job>>();
  kernel.program = [shape, args, job](CorePort& core) {
    if (!*job) *job = std::make_shared<Job>(shape, args);
    return program(core, *job);
  };
  return kernel;
}

}  // namespace ridgepoint::kernels
