// SPDX-License-Identifier: Apache-2.0
// Boundaries between chunks while the controller is live, and recording of transitions.
#include <algorithm>
#include <utility>

#include "sim/dram/fast_channel.hpp"

namespace ridgepoint::dram {
namespace {

constexpr std::int64_t kWorthAName = 64;  // bursts
constexpr std::int64_t kShortest = 4;
constexpr int kPause = 4096;  // boundaries without names once the credit is used up
constexpr int kRetry = 256;

}  // namespace

std::vector<EventChannel::Chunk> FastChannel::chunks_in_flight() const {
  std::vector<Chunk> result;
  for (const Chunk& chunk : chunks_) {
    if (chunk.left > 0) result.push_back(chunk);
  }
  return result;
}

std::int32_t FastChannel::name_state(Tick now) {
  name_.clear();
  return save(now, name_) ? cache_->state(name_) : -1;
}

void FastChannel::chunk_entered(Tick now) {
  if (!recording_) return;
  named_ = name_state(now);
  named_at_ = now;
  finish_recording(now, named_);
}

bool FastChannel::at_boundary(Tick now) {
  const bool named = std::exchange(named_at_, -1) == now;  // a name is good for one chunk
  if (std::exchange(resume_, false)) return false;
  if (!enabled_) return false;
  if (skip_ > 0) {
    --skip_;
    return false;
  }
  NextChunk chunk;
  if (!describe(*intake_.head(now), chunk) || chunk.bursts < kShortest) return false;
  const std::int32_t state = named ? named_ : name_state(now);
  if (state < 0) return false;
  state_ = state;
  base_ = now;
  if (cache_->find(state, chunk.key) == nullptr) {
    start_recording(now, chunk.key);
    // Short chunks are hardly worth their names.
    credit_ -= chunk.bursts < kWorthAName ? 4 : 1;
    if (credit_ <= 0) skip_ = kPause, credit_ = kRetry;
    return false;
  }
  in_flight_ = chunks_in_flight();
  following_ = true;
  return true;
}

void FastChannel::start_recording(Tick now, const ChunkKey& key) {
  recording_ = true;
  record_ = Transition{};
  record_.key = key;
  record_state_ = state_;
  record_origin_ = origin_;
  record_base_ = now;
  record_due_ = refresh_due();
  record_chunks_.clear();
  for (std::uint32_t index = 0; index < chunks_.size(); ++index) {
    if (chunks_[index].left > 0) record_chunks_.push_back(first_chunk_ + index);
  }
  record_chunks_.push_back(first_chunk_ + static_cast<std::uint32_t>(chunks_.size()));
  record_stats_ = ledger_.totals();
  record_queued_ = ledger_.queued_bursts();
}

std::uint16_t FastChannel::age_of(std::uint32_t chunk) const {
  const auto place = std::find(record_chunks_.begin(), record_chunks_.end(), chunk);
  return static_cast<std::uint16_t>(place - record_chunks_.begin());
}

void FastChannel::row_issued(Command command, int bank, std::uint32_t chunk, Tick tick) {
  if (!recording_) return;
  const std::uint16_t age = age_of(chunk);
  const auto name = static_cast<std::uint16_t>(bank ^ record_origin_);
  record_.issued.push_back({static_cast<std::int32_t>(tick - record_base_), command,
                            static_cast<std::uint8_t>(name), static_cast<std::uint8_t>(age), 0});
  const auto row = static_cast<std::int16_t>(command == Command::kAct ? age : -1);
  const auto known = std::find_if(record_.rows.begin(), record_.rows.end(),
                                  [&](const Transition::Row& entry) { return entry.bank == name; });
  if (known != record_.rows.end()) {
    known->age = row;
  } else {
    record_.rows.push_back({name, row});
  }
}

void FastChannel::column_issued(Command command, int bank, const BankQueues::Entry& entry,
                                Tick tick) {
  if (!recording_) return;
  const std::uint16_t age = age_of(entry.chunk);
  const std::int64_t offset = entry.burst - chunks_[entry.chunk - first_chunk_].first_burst;
  record_.issued.push_back({static_cast<std::int32_t>(tick - record_base_), command,
                            static_cast<std::uint8_t>(bank ^ record_origin_),
                            static_cast<std::uint8_t>(age), static_cast<std::uint8_t>(offset)});
  const Tick data_end = tick + data_end_[is_write(command)] - record_base_;
  const auto known =
      std::find_if(record_.served.begin(), record_.served.end(),
                   [&](const Transition::Served& served) { return served.age == age; });
  if (known == record_.served.end()) {
    record_.served.push_back({age, 1, data_end});
  } else {
    ++known->bursts;
    known->data_end = std::max(known->data_end, data_end);
  }
}

void FastChannel::finish_recording(Tick now, std::int32_t next) {
  recording_ = false;
  // A refresh that became due since belongs to no transition.
  if (next < 0 || record_due_ != refresh_due() || record_due_ < now) return;
  Transition& record = record_;
  record.next = next;
  record.ticks = now - record_base_;
  for (std::uint32_t index = 0; index < chunks_.size(); ++index) {
    if (chunks_[index].left > 0) record.left.push_back(age_of(first_chunk_ + index));
  }
  const ChannelStats& totals = ledger_.totals();
  for (std::size_t kind = 0; kind < kCommandKinds; ++kind) {
    record.commands[kind] =
        static_cast<std::int32_t>(totals.commands[kind] - record_stats_.commands[kind]);
  }
  for (std::size_t reason = 0; reason < kLostReasons; ++reason) {
    record.lost[reason] =
        static_cast<std::int32_t>(totals.lost_ticks[reason] - record_stats_.lost_ticks[reason]);
  }
  record.hits = static_cast<std::int32_t>(totals.row_hits - record_stats_.row_hits);
  record.misses = static_cast<std::int32_t>(totals.row_misses - record_stats_.row_misses);
  record.conflicts = static_cast<std::int32_t>(totals.row_conflicts - record_stats_.row_conflicts);
  record.busy = totals.busy_ticks - record_stats_.busy_ticks;
  record.queued = ledger_.queued_bursts() - record_queued_;
  record.queue_wait =
      totals.queue_wait_ticks - record_stats_.queue_wait_ticks + record_base_ * record.queued;
  for (std::size_t bank = 0; bank < totals.bank_bursts.size(); ++bank) {
    const std::int64_t acts = totals.bank_activations[bank] - record_stats_.bank_activations[bank];
    const std::int64_t bursts = totals.bank_bursts[bank] - record_stats_.bank_bursts[bank];
    if (acts == 0 && bursts == 0) continue;
    record.banks.push_back({static_cast<std::uint16_t>(static_cast<int>(bank) ^ record_origin_),
                            static_cast<std::uint16_t>(acts), static_cast<std::uint32_t>(bursts)});
  }
  cache_->add(record_state_, std::move(record_));
}

}  // namespace ridgepoint::dram
