// SPDX-License-Identifier: Apache-2.0
#include "kernels/attention/walk.hpp"

#include <algorithm>

#include "kernels/attention/softmax.hpp"

namespace ridgepoint::kernels {
namespace {

constexpr std::int64_t kSoftmaxPasses = 5;  // max, scale and subtract, exp, sum, convert

}  // namespace

using isa::Deps;
using isa::Tile;
using isa::Token;

AttentionWalk::AttentionWalk(isa::CorePort& core, AttentionJob& job)
    : core_(core),
      job_(job),
      q_ring_(core, job.tiles.query_slots * job.tiles.query_tiles, job.tiles.tile_rows, job.dim,
              job.args.q.dtype),
      p_ring_(core, kScoreSlots, job.tiles.tile_rows, job.tiles.key_tile, job.args.q.dtype),
      keys_(core, job.tiles.key_slots, job.tiles.key_tile, job.dim, job.args.key_dtype(),
            job.args.q.dtype),
      score_free_(kScoreSlots),
      out_free_(static_cast<std::size_t>(job.tiles.query_tiles)),
      out_last_(static_cast<std::size_t>(job.tiles.query_tiles)),
      q_loaded_(static_cast<std::size_t>(job.tiles.query_tiles)) {
  if (!job.args.values_are_keys()) {
    values_.emplace(core, job.tiles.key_slots, job.tiles.key_tile, job.v_dim, job.args.key_dtype(),
                    job.args.q.dtype);
  }
  if (job.args.sinks) {
    sinks_ = core.tile(1, job.args.heads, job.args.sinks->dtype);
    sinks_loaded_ = core.load(*sinks_, job.args.sinks->block(0, 1, 0, job.args.heads));
  }
  for (std::int64_t i = 0; i < kScoreSlots; ++i) {
    scores_.push_back(core.accumulator(job.tiles.tile_rows, job.tiles.key_tile));
  }
  for (std::int64_t g = 0; g < job.tiles.query_tiles; ++g) {
    out_.push_back(core.accumulator(job.tiles.tile_rows, job.v_dim + 2));
  }
}

void AttentionWalk::begin(const AttentionItem& item) {
  const Sequence& sequence = job_.sequence(item);
  item_ = item;
  walk_first_ = job_.args.first_visible(sequence, item.q0);
  walk_end_ = sequence.context - sequence.new_tokens + item.q0 + item.rows;
  loaded_ = item.tile0;
  walked_ = item.tile0;
  key_base_ = key_uses_ - item.tile0;
}

// A part of a split walk leaves the sinks to the merge.
void AttentionWalk::clear(std::int64_t g) {
  const Tile out = out_[static_cast<std::size_t>(g)];
  const bool with_sinks = sinks_ && item_.split < 0;
  const float* sinks =
      with_sinks && sinks_->values != nullptr ? sinks_->values + job_.head_of(item_, g) : nullptr;
  const std::int64_t step = job_.heads_as_rows(item_) ? 1 : 0;
  // Clearing waits for the store of the previous item's result.
  Deps deps{out_free_[static_cast<std::size_t>(g)]};
  if (with_sinks) deps.add(sinks_loaded_);
  out_last_[static_cast<std::size_t>(g)] =
      core_.vector({rows(g), 1}, deps, [out, rows = rows(g), dim = job_.v_dim, sinks, step] {
        clear_output(out, rows, dim, sinks, step);
      });
}

// When this walk may load. Decode walks of all lanes begin at once.
Token AttentionWalk::begun() {
  if (job_.begin_elements == 0) return {};
  const std::int64_t elements =
      job_.heads_as_rows(item_) ? job_.decode_begin_elements : job_.begin_elements;
  return core_.vector({elements, 1, 0, slowdown_}, {}, [] {});
}

void AttentionWalk::load_queries() {
  // Loads run in order, so the keys wait with the queries.
  const Deps begun_deps{begun()};
  for (std::int64_t g = 0; g < tiles(); ++g) {
    q_loaded_[static_cast<std::size_t>(g)] = core_.load(
        q_ring_.tile(q_uses_ + g), job_.head_view(job_.args.q, item_, g, job_.dim), begun_deps);
    clear(g);
  }
}

void AttentionWalk::load_expanded(std::int64_t use, std::int64_t t0, std::int64_t keys) {
  const ExpandedKeys& from = *job_.args.expanded;
  const std::int64_t head = job_.kv_head(item_);
  keys_.load(use, from.k.block(t0, keys, head * from.nope, from.nope));
  keys_.load(use, from.latent.block(t0, keys, from.rope_column, from.rope), {}, from.nope);
  values_->load(use, from.v.block(t0, keys, head * job_.v_dim, job_.v_dim));
}

void AttentionWalk::load_keys() {
  const std::uint32_t* table = job_.sequence(item_).blocks;
  const std::int64_t use = key_uses_++;
  const std::int64_t t0 = first_key(loaded_), keys = keys_in(loaded_);
  const std::int64_t head = job_.kv_head(item_);
  if (job_.args.expanded) {
    load_expanded(use, t0, keys);
  } else {
    keys_.load(use, job_.args.cache.view(table, head, false, t0, keys));
    if (values_) values_->load(use, job_.args.cache.view(table, head, true, t0, keys));
  }
  keys_.widen(use, keys, job_.dim);
  if (values_) values_->widen(use, keys, job_.v_dim);
  ++loaded_;
}

// The tile's scores run one query tile ahead of its softmax, so that the arrays overlap.
void AttentionWalk::walk_tile() {
  const std::int64_t tile = walked_++;
  if (job_.tiles.scores_ahead && job_.tiles.one_by_one) return walk_tile_in_order(tile);
  score(tile, 0);
  if (!job_.tiles.scores_ahead) return finish(tile);
  if (tile > item_.tile0) finish(tile - 1);
  if (walked_ == item_.tile1) finish(tile);
}

// A lone block asks for a tile's scores when the softmax of the one before is done, and works on
// theirs while the array multiplies that one's values, or the other half's: FlashAttention-3's
// pipeline.
void AttentionWalk::walk_tile_in_order(std::int64_t tile) {
  const bool first = tile == item_.tile0;
  for (std::int64_t g = 0; g < tiles(); ++g) {
    if (!first) softmax(tile - 1, g);
    score(tile, g, first ? Token{} : softened_);
    if (!first) add_values(tile - 1, g);
  }
  if (walked_ < item_.tile1) return;
  for (std::int64_t g = 0; g < tiles(); ++g) {
    softmax(tile, g);
    add_values(tile, g);
  }
}

void AttentionWalk::finish(std::int64_t tile) {
  for (std::int64_t g = 0; g < tiles(); ++g) {
    if (g + 1 < tiles()) score(tile, g + 1);
    softmax(tile, g);
    add_values(tile, g);
  }
}

void AttentionWalk::score(std::int64_t tile, std::int64_t g, Token after) {
  const std::int64_t use = key_base_ + tile;
  const auto slot = static_cast<std::size_t>(score_uses_ % kScoreSlots);
  isa::MatrixOp op;
  op.acc = scores_[slot];
  op.a = q_ring_.tile(q_uses_ + g);
  op.b = keys_.tile(use);
  op.m = rows(g);
  op.n = keys_in(tile);
  op.k = job_.dim;
  op.slowdown = slowdown_;
  op.on_lanes = job_.tiles.on_lanes;
  op.dtype = multiplied_in(job_.args.key_dtype(), job_.args.q.dtype);
  Deps deps{score_free_[slot], q_loaded_[static_cast<std::size_t>(g)], after};
  keys_.add_ready(deps, use);
  const Token token = core_.matrix(op, deps);
  scored_[slot] = token;
  ++score_uses_;
  keys_.used(use, token);
  q_ring_.used(q_uses_ + g, token);
}

void AttentionWalk::softmax(std::int64_t tile, std::int64_t g) {
  const auto slot = static_cast<std::size_t>(softmax_uses_ % kScoreSlots);
  const auto which = static_cast<std::size_t>(g);
  const Sequence& sequence = job_.sequence(item_);
  SoftmaxStep step;
  step.scores = scores_[slot];
  step.p = p_ring_.tile(softmax_uses_);
  step.out = out_[which];
  step.rows = rows(g);
  step.keys = keys_in(tile);
  step.dim = job_.v_dim;
  // Row r stands at position + r and sees (position + r - window, position + r].
  const std::int64_t position =
      sequence.context - sequence.new_tokens + item_.q0 + job_.first_row(item_, g);
  const std::int64_t window = job_.args.window;
  step.end_seen = position + 1 - first_key(tile);
  step.first_seen = window > 0 ? step.end_seen - window : std::min<std::int64_t>(0, -rows(g));
  step.step = job_.heads_as_rows(item_) ? 0 : 1;
  step.scale = job_.scale;
  // Exponentials do not wait for the product before them, only the output's new scale does.
  Token scored = scored_[slot];
  std::int64_t elements = rows(g) * (step.keys * kSoftmaxPasses + job_.v_dim);
  std::int64_t exponentials = rows(g) * step.keys;
  if (job_.tiles.scores_ahead) {
    scored = core_.vector({rows(g) * step.keys * kSoftmaxPasses, 1, exponentials, slowdown_},
                          {scored, p_ring_.busy(softmax_uses_)}, [] {});
    elements = rows(g) * job_.v_dim;
    exponentials = 0;
  }
  softened_ = core_.vector({elements, 1, exponentials, slowdown_},
                           {scored, out_last_[which], p_ring_.busy(softmax_uses_)},
                           [step] { softmax_step(step); });
  score_free_[slot] = softened_;
}

void AttentionWalk::add_values(std::int64_t tile, std::int64_t g) {
  const std::int64_t use = key_base_ + tile;
  const auto which = static_cast<std::size_t>(g);
  OperandStream& values = values_ ? *values_ : keys_;
  isa::MatrixOp op;
  op.acc = out_[which];
  op.a = p_ring_.tile(softmax_uses_);
  op.b = values.tile(use);
  op.m = rows(g);
  op.n = job_.v_dim;
  op.k = keys_in(tile);
  op.slowdown = slowdown_;
  op.on_lanes = job_.tiles.on_lanes;
  op.accumulate = true;
  op.b_is_kn = true;
  op.dtype = multiplied_in(job_.args.key_dtype(), job_.args.q.dtype);
  Deps deps{softened_};
  values.add_ready(deps, use);
  const Token token = core_.matrix(op, deps);
  out_last_[which] = token;
  p_ring_.used(softmax_uses_, token);
  values.used(use, token);
  ++softmax_uses_;
}

void AttentionWalk::end() {
  for (std::int64_t g = 0; g < tiles(); ++g) {
    const auto which = static_cast<std::size_t>(g);
    const Tile out = out_[which];
    if (item_.split >= 0) {
      const Token stored =
          core_.store(job_.partial_view(item_.split, g, rows(g)), out, {out_last_[which]});
      out_free_[which] = stored;
      core_.publish(job_.partial_slot(item_.split, g), stored);
      continue;
    }
    const Token scaled =
        core_.vector({rows(g) * job_.v_dim, 1}, {out_last_[which]},
                     [out, rows = rows(g), dim = job_.v_dim] { normalise(out, rows, dim); });
    out_free_[which] =
        core_.store(job_.head_view(job_.args.out, item_, g, job_.v_dim), out, {scaled});
  }
  q_uses_ += tiles();
}

}  // namespace ridgepoint::kernels
