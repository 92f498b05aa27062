// SPDX-License-Identifier: Apache-2.0
// Tiled attention. Decode: the query heads of one KV head are the rows of one tile. Prefill: each
// query head of the group is a tile of up to kQueryBlock rows, all walking the same K and V tiles.
#include <algorithm>
#include <cmath>
#include <memory>

#include "kernels/attention/attention.hpp"
#include "kernels/attention/softmax.hpp"
#include "sim/core/error.hpp"

namespace ridgepoint::kernels {
namespace {

using isa::CorePort;
using isa::Deps;
using isa::Ring;
using isa::Tile;
using isa::Token;

constexpr std::int64_t kSoftmaxPasses = 6;  // scale, max, subtract, exp, sum, convert

// Values of partial results, when attached.
using Workspace = std::shared_ptr<std::vector<float>>;

struct Job {
  AttentionArgs args;
  AttentionPlan plan;
  Workspace workspace;
  std::int64_t dim = 0, group = 0, tile_rows = 0;  // tile_rows: most rows of one query tile

  const Sequence& sequence(const AttentionItem& item) const {
    return args.sequences[static_cast<std::size_t>(item.sequence)];
  }
  bool heads_as_rows(const AttentionItem& item) const { return sequence(item).new_tokens == 1; }
  std::int64_t tiles_of(const AttentionItem& item) const { return heads_as_rows(item) ? 1 : group; }
  std::int64_t rows_of(const AttentionItem& item) const {
    return heads_as_rows(item) ? group : item.rows;
  }
  // Query (or output) tile g of an item: [rows_of, dim].
  isa::View query_view(const Tensor& tensor, const AttentionItem& item, std::int64_t g) const;
  // Partial result `split`, tile g: [rows, dim + 2] fp32.
  isa::View partial_view(std::int64_t split, std::int64_t g, std::int64_t rows) const;
};

isa::View Job::query_view(const Tensor& tensor, const AttentionItem& item, std::int64_t g) const {
  const std::int64_t row = sequence(item).row0 + item.q0;
  const std::int64_t column = (item.kv_head * group + g) * dim;
  if (!heads_as_rows(item)) return tensor.block(row, item.rows, column, dim);
  isa::View view = tensor.block(row, 1, column, dim);
  view.rows = group;
  view.row_bytes = static_cast<std::uint64_t>(core::bytes_of(tensor.dtype, dim));
  view.row_elements = dim;
  return view;
}

isa::View Job::partial_view(std::int64_t split, std::int64_t g, std::int64_t rows) const {
  Tensor partial;
  partial.dtype = core::DType::kFp32;
  partial.rows = plan.partials * group * tile_rows;
  partial.cols = dim + 2;
  partial.address = args.workspace_address;
  partial.values = workspace ? workspace->data() : nullptr;
  return partial.block((split * group + g) * tile_rows, rows, 0, dim + 2);
}

// One core's tiles and the token that frees each.
class AttentionCore {
 public:
  AttentionCore(CorePort& core, const Job& job)
      : core_(core),
        job_(job),
        q_ring_(core, 2 * job.group, job.tile_rows, job.dim, job.args.q.dtype),
        k_ring_(core, kKeySlots, kKeyTile, job.dim, job.args.cache.dtype),
        v_ring_(core, kKeySlots, kKeyTile, job.dim, job.args.cache.dtype),
        p_ring_(core, kScoreSlots, job.tile_rows, kKeyTile, job.args.q.dtype),
        score_free_(kScoreSlots),
        out_free_(static_cast<std::size_t>(job.group)),
        out_last_(static_cast<std::size_t>(job.group)),
        q_loaded_(static_cast<std::size_t>(job.group)),
        k_loaded_(kKeySlots),
        v_loaded_(kKeySlots) {
    for (std::int64_t i = 0; i < kScoreSlots; ++i) {
      scores_.push_back(core.accumulator(job.tile_rows, kKeyTile));
    }
    for (std::int64_t g = 0; g < job.group; ++g) {
      out_.push_back(core.accumulator(job.tile_rows, job.dim + 2));
    }
  }

  void begin(const AttentionItem& item);
  Token k_slot() const { return k_ring_.busy(key_uses_); }
  Token v_slot() const { return v_ring_.busy(key_uses_); }
  Token q_slot(std::int64_t g) const { return q_ring_.busy(q_uses_ + g); }
  void load_queries();
  bool has_tile() const { return loaded_ < item_.tile1; }
  void load_keys();
  void walk_tile();
  void end();

 private:
  std::int64_t tiles() const { return job_.tiles_of(item_); }
  std::int64_t rows() const { return job_.rows_of(item_); }
  std::int64_t keys_in(std::int64_t tile) const {
    const Sequence& sequence = job_.sequence(item_);
    const std::int64_t end = sequence.context - sequence.new_tokens + item_.q0 + item_.rows;
    return std::min(kKeyTile, end - tile * kKeyTile);
  }
  void score(std::int64_t tile, std::int64_t g);
  void softmax(std::int64_t tile, std::int64_t g);
  void add_values(std::int64_t tile, std::int64_t g);

  CorePort& core_;
  const Job& job_;
  Ring q_ring_, k_ring_, v_ring_, p_ring_;
  std::vector<Tile> scores_, out_;
  std::vector<Token> score_free_, out_free_, out_last_, q_loaded_, k_loaded_, v_loaded_;
  AttentionItem item_;
  std::int64_t key_uses_ = 0, key_base_ = 0, q_uses_ = 0, loaded_ = 0, walked_ = 0;
  std::int64_t score_uses_ = 0, softmax_uses_ = 0;
  Token scored_[kScoreSlots], softened_;
};

void AttentionCore::begin(const AttentionItem& item) {
  item_ = item;
  loaded_ = item.tile0;
  walked_ = item.tile0;
  key_base_ = key_uses_ - item.tile0;
}

void AttentionCore::load_queries() {
  for (std::int64_t g = 0; g < tiles(); ++g) {
    q_loaded_[static_cast<std::size_t>(g)] =
        core_.load(q_ring_.tile(q_uses_ + g), job_.query_view(job_.args.q, item_, g));
    const Tile out = out_[static_cast<std::size_t>(g)];
    // Clearing waits for the store of the previous item's result.
    out_last_[static_cast<std::size_t>(g)] =
        core_.vector({rows(), 1}, {out_free_[static_cast<std::size_t>(g)]},
                     [out, rows = rows(), dim = job_.dim] { clear_output(out, rows, dim); });
  }
}

void AttentionCore::load_keys() {
  const Sequence& sequence = job_.sequence(item_);
  const std::int64_t use = key_uses_++;
  const auto slot = static_cast<std::size_t>(use % kKeySlots);
  const std::int64_t t0 = loaded_ * kKeyTile, keys = keys_in(loaded_);
  k_loaded_[slot] = core_.load(
      k_ring_.tile(use), job_.args.cache.view(sequence.blocks, item_.kv_head, false, t0, keys));
  v_loaded_[slot] = core_.load(
      v_ring_.tile(use), job_.args.cache.view(sequence.blocks, item_.kv_head, true, t0, keys));
  ++loaded_;
}

// The tile's scores run one query tile ahead of its softmax, so that the arrays overlap.
void AttentionCore::walk_tile() {
  const std::int64_t tile = walked_++;
  score(tile, 0);
  for (std::int64_t g = 0; g < tiles(); ++g) {
    if (g + 1 < tiles()) score(tile, g + 1);
    softmax(tile, g);
    add_values(tile, g);
  }
}

void AttentionCore::score(std::int64_t tile, std::int64_t g) {
  const std::int64_t use = key_base_ + tile;
  const auto slot = static_cast<std::size_t>(score_uses_ % kScoreSlots);
  isa::MatrixOp op;
  op.acc = scores_[slot];
  op.a = q_ring_.tile(q_uses_ + g);
  op.b = k_ring_.tile(use);
  op.m = rows();
  op.n = keys_in(tile);
  op.k = job_.dim;
  op.dtype = job_.args.q.dtype;
  const Token token = core_.matrix(op, {score_free_[slot], q_loaded_[static_cast<std::size_t>(g)],
                                        k_loaded_[static_cast<std::size_t>(use % kKeySlots)]});
  scored_[slot] = token;
  ++score_uses_;
  k_ring_.used(use, token);
  q_ring_.used(q_uses_ + g, token);
}

void AttentionCore::softmax(std::int64_t tile, std::int64_t g) {
  const auto slot = static_cast<std::size_t>(softmax_uses_ % kScoreSlots);
  const auto which = static_cast<std::size_t>(g);
  const Sequence& sequence = job_.sequence(item_);
  SoftmaxStep step;
  step.scores = scores_[slot];
  step.p = p_ring_.tile(softmax_uses_);
  step.out = out_[which];
  step.rows = rows();
  step.keys = keys_in(tile);
  step.dim = job_.dim;
  const std::int64_t first = sequence.context - sequence.new_tokens + item_.q0 + 1;
  step.first_visible = first - tile * kKeyTile;
  step.step = job_.heads_as_rows(item_) ? 0 : 1;
  step.scale = 1.0f / std::sqrt(static_cast<float>(job_.dim));
  softened_ = core_.vector({rows() * (step.keys * kSoftmaxPasses + job_.dim), 1},
                           {scored_[slot], out_last_[which], p_ring_.busy(softmax_uses_)},
                           [step] { softmax_step(step); });
  score_free_[slot] = softened_;
}

void AttentionCore::add_values(std::int64_t tile, std::int64_t g) {
  const std::int64_t use = key_base_ + tile;
  const auto which = static_cast<std::size_t>(g);
  isa::MatrixOp op;
  op.acc = out_[which];
  op.a = p_ring_.tile(softmax_uses_);
  op.b = v_ring_.tile(use);
  op.m = rows();
  op.n = job_.dim;
  op.k = keys_in(tile);
  op.accumulate = true;
  op.b_is_kn = true;
  op.dtype = job_.args.q.dtype;
  const Token token =
      core_.matrix(op, {softened_, v_loaded_[static_cast<std::size_t>(use % kKeySlots)]});
  out_last_[which] = token;
  p_ring_.used(softmax_uses_, token);
  v_ring_.used(use, token);
  ++softmax_uses_;
}

void AttentionCore::end() {
  for (std::int64_t g = 0; g < tiles(); ++g) {
    const auto which = static_cast<std::size_t>(g);
    const Tile out = out_[which];
    if (item_.split >= 0) {
      const Token stored =
          core_.store(job_.partial_view(item_.split, g, rows()), out, {out_last_[which]});
      out_free_[which] = stored;
      core_.publish(static_cast<std::uint32_t>(item_.split * job_.group + g), stored);
      continue;
    }
    const Token scaled =
        core_.vector({rows() * job_.dim, 1}, {out_last_[which]},
                     [out, rows = rows(), dim = job_.dim] { normalise(out, rows, dim); });
    out_free_[which] = core_.store(job_.query_view(job_.args.out, item_, g), out, {scaled});
  }
  q_uses_ += tiles();
}

isa::Program program(CorePort& core, std::shared_ptr<const Job> job) {
  const auto& mine = job->plan.by_core[static_cast<std::size_t>(core.index())];
  if (!mine.empty()) {
    AttentionCore work(core, *job);
    for (const AttentionItem& item : mine) {
      work.begin(item);
      for (std::int64_t g = 0; g < job->tiles_of(item); ++g) {
        const Token slot = work.q_slot(g);
        co_await isa::until(core, slot);
      }
      work.load_queries();
      while (work.has_tile()) {
        const Token k_slot = work.k_slot();
        co_await isa::until(core, k_slot);
        const Token v_slot = work.v_slot();
        co_await isa::until(core, v_slot);
        work.load_keys();
        work.walk_tile();
      }
      work.end();
    }
  }
  if (core.index() >= static_cast<std::int64_t>(job->plan.merges.size())) co_return;
  const std::int64_t dim = job->dim;
  Ring partials(core, 2, job->tile_rows, dim + 2, core::DType::kFp32);
  Ring outputs(core, 2, job->tile_rows, dim + 2, core::DType::kFp32);
  std::int64_t partial_uses = 0, output_uses = 0;
  for (std::size_t i = static_cast<std::size_t>(core.index()); i < job->plan.merges.size();
       i += static_cast<std::size_t>(core.count())) {
    const AttentionPlan::Merge& task = job->plan.merges[i];
    const std::int64_t rows = job->rows_of(task.item);
    for (std::int64_t g = 0; g < job->tiles_of(task.item); ++g, ++output_uses) {
      const Token free_slot = outputs.busy(output_uses);
      co_await isa::until(core, free_slot);
      const Tile out = outputs.tile(output_uses);
      Token merged = core.vector({rows, 1}, {}, [out, rows, dim] { clear_output(out, rows, dim); });
      for (std::int64_t s = task.first_split; s < task.first_split + task.splits; ++s) {
        const Token busy = partials.busy(partial_uses);
        co_await isa::until(core, busy);
        const Tile partial = partials.tile(partial_uses);
        const Token loaded =
            core.load(partial, job->partial_view(s, g, rows),
                      {core.shared_token(static_cast<std::uint32_t>(s * job->group + g))});
        merged = core.vector({rows * (dim + 2), 2}, {loaded, merged},
                             [out, partial, rows, dim] { merge_partial(out, partial, rows, dim); });
        partials.used(partial_uses++, merged);
      }
      const Token scaled =
          core.vector({rows * dim, 1}, {merged}, [out, rows, dim] { normalise(out, rows, dim); });
      outputs.used(output_uses,
                   core.store(job->query_view(job->args.out, task.item, g), out, {scaled}));
    }
  }
}

// Two sequences of equal lengths cost the same wherever their blocks lie.
std::string key_of(const AttentionArgs& args) {
  std::string key = "attention heads=" + std::to_string(args.heads) +
                    " kv_heads=" + std::to_string(args.cache.kv_heads) +
                    " dim=" + std::to_string(args.cache.head_dim) +
                    " block=" + std::to_string(args.cache.block_tokens) +
                    " kv=" + std::string(name_of(args.cache.dtype)) +
                    " q=" + std::string(name_of(args.q.dtype)) +
                    " splits<=" + std::to_string(args.most_splits) + " seqs=";
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
  if (args.cache.kv_heads <= 0 || args.heads % args.cache.kv_heads != 0) {
    throw core::SimulationError("attention: heads are not a multiple of kv_heads");
  }
  auto job = std::make_shared<Job>();
  job->args = args;
  job->plan = plan_attention(shape, args);
  job->dim = args.cache.head_dim;
  job->group = args.heads / args.cache.kv_heads;
  std::int64_t decode_rows = 0, prefill_rows = 0;
  for (const Sequence& sequence : args.sequences) {
    if (sequence.new_tokens == 1) {
      decode_rows = job->group;
    } else {
      prefill_rows =
          std::max(prefill_rows, std::min(query_block(shape, args), sequence.new_tokens));
    }
  }
  job->tile_rows = std::max(decode_rows, prefill_rows);
  if (args.q.values != nullptr) {
    job->workspace = std::make_shared<std::vector<float>>(static_cast<std::size_t>(
        job->plan.partials * job->group * job->tile_rows * (job->dim + 2)));
  }
  isa::Kernel kernel;
  kernel.name = name;
  kernel.family = "attention";
  kernel.key = key_of(args);
  kernel.flops = attention_flops(args);
  kernel.program = [job](CorePort& core) { return program(core, job); };
  return kernel;
}

}  // namespace ridgepoint::kernels
