// SPDX-License-Identifier: Apache-2.0
// Traces written in published formats, exactly or not at all. Azure dates start at the first row of
// the published 2023 files' day.
#include <chrono>
#include <ostream>

#include "sim/core/error.hpp"
#include "workloads/traces/generator.hpp"

namespace ridgepoint::workloads {
namespace {

struct WriteFormat {
  std::string_view name;
  Nanoseconds resolution;
  std::int64_t block_tokens;  // 0: the format has no ids
  std::string_view header;
  void (*row)(const TraceRequest& request, std::ostream& out);
};

void padded(std::ostream& out, std::int64_t value, int digits) {
  std::string text = std::to_string(value);
  while (static_cast<int>(text.size()) < digits) text.insert(text.begin(), '0');
  out << text;
}

void azure_row(const TraceRequest& request, std::ostream& out) {
  namespace chrono = std::chrono;
  const std::int64_t seconds = request.arrival / kNsPerSecond;
  const chrono::sys_days start = chrono::year(2023) / chrono::November / 16;
  const chrono::year_month_day date(start + chrono::days(seconds / 86'400));
  padded(out, static_cast<int>(date.year()), 4);
  out << '-';
  padded(out, static_cast<unsigned>(date.month()), 2);
  out << '-';
  padded(out, static_cast<unsigned>(date.day()), 2);
  out << ' ';
  padded(out, seconds / 3600 % 24, 2);
  out << ':';
  padded(out, seconds / 60 % 60, 2);
  out << ':';
  padded(out, seconds % 60, 2);
  out << '.';
  padded(out, request.arrival % kNsPerSecond / 100, 7);
  out << ',' << request.prompt_tokens << ',' << request.output_tokens << '\n';
}

void seconds_text(std::ostream& out, Nanoseconds time) {
  out << time / kNsPerSecond << '.';
  padded(out, time % kNsPerSecond, 9);
}

void vidur_row(const TraceRequest& request, std::ostream& out) {
  seconds_text(out, request.arrival);
  out << ',' << request.prompt_tokens << ',' << request.output_tokens << '\n';
}

void json_tail(const TraceRequest& request, std::ostream& out) {
  out << ", \"input_length\": " << request.prompt_tokens
      << ", \"output_length\": " << request.output_tokens << ", \"hash_ids\": [";
  for (std::size_t i = 0; i < request.block_ids.size(); ++i) {
    out << (i == 0 ? "" : ", ") << request.block_ids[i];
  }
  out << "]}\n";
}

void mooncake_row(const TraceRequest& request, std::ostream& out) {
  out << "{\"timestamp\": " << request.arrival / (kNsPerSecond / 1000);
  json_tail(request, out);
}

void bailian_row(const TraceRequest& request, std::ostream& out) {
  out << "{\"chat_id\": " << request.line << ", \"parent_chat_id\": -1, \"timestamp\": ";
  seconds_text(out, request.arrival);
  out << ", \"turn\": 1";
  json_tail(request, out);
}

constexpr WriteFormat kFormats[] = {
    {"azure", 100, 0, "TIMESTAMP,ContextTokens,GeneratedTokens\n", &azure_row},
    {"vidur", 1, 0, "arrived_at,num_prefill_tokens,num_decode_tokens\n", &vidur_row},
    {"mooncake", 1'000'000, 512, "", &mooncake_row},
    {"bailian", 1, 16, "", &bailian_row}};

const WriteFormat& find_format(std::string_view name) {
  std::string names;
  for (const WriteFormat& format : kFormats) {
    if (format.name == name) return format;
    names += (names.empty() ? "" : ", ") + std::string(format.name);
  }
  core::fail_input({}, "--trace-format", std::string(name), "cannot be written", names);
}

// A format with ids gets unique ones for a request that has none.
void fit_ids(const WriteFormat& format, TraceRequest& request, std::uint64_t& fresh) {
  if (!request.block_ids.empty() && request.block_tokens != format.block_tokens) {
    core::fail_input({}, "--block-tokens", std::to_string(request.block_tokens),
                     "ids cannot be written in format " + std::string(format.name),
                     format.block_tokens == 0 ? "a format with ids: mooncake, bailian"
                                              : std::to_string(format.block_tokens));
  }
  if (!request.block_ids.empty() || format.block_tokens == 0) return;
  const std::int64_t count =
      (request.prompt_tokens + format.block_tokens - 1) / format.block_tokens;
  for (std::int64_t i = 0; i < count; ++i) request.block_ids.push_back(fresh++);
}

}  // namespace

Nanoseconds format_resolution(std::string_view format) { return find_format(format).resolution; }

std::uint64_t write_trace(TraceSource& source, std::string_view name, std::ostream& out) {
  const WriteFormat& format = find_format(name);
  out << format.header;
  TraceRequest request;
  std::uint64_t written = 0;
  std::uint64_t fresh = std::uint64_t{1} << 32;  // above the ids of generated prefixes
  while (source.next(request)) {
    if (request.arrival % format.resolution != 0) {
      core::fail_input({}, "arrival", std::to_string(request.arrival) + " ns",
                       "is finer than the clock of format " + std::string(format.name),
                       "multiples of " + std::to_string(format.resolution) + " ns");
    }
    fit_ids(format, request, fresh);
    format.row(request, out);
    ++written;
  }
  return written;
}

}  // namespace ridgepoint::workloads
