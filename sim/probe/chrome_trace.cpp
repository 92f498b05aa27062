// SPDX-License-Identifier: Apache-2.0
#include "sim/probe/chrome_trace.hpp"

#include <utility>

namespace ridgepoint::probe {
namespace {

constexpr std::size_t kFlushBytes = std::size_t{1} << 20;
constexpr core::Femtoseconds kFsPerUs = 1000 * core::kFsPerNs;

void append_quoted(std::string& out, std::string_view text) {
  static constexpr std::string_view kHex = "0123456789abcdef";
  out += '"';
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (byte < 0x20) {
      out += "\\u00";
      out += kHex[byte >> 4];
      out += kHex[byte & 15];
    } else {
      out += c;
    }
  }
  out += '"';
}

}  // namespace

std::string exact_microseconds(core::Femtoseconds time) {
  const bool negative = time < 0;
  const auto magnitude = static_cast<std::uint64_t>(negative ? -time : time);
  std::string text = std::to_string(magnitude / kFsPerUs);
  std::string fraction = std::to_string(magnitude % kFsPerUs);
  fraction.insert(0, 9 - fraction.size(), '0');
  while (!fraction.empty() && fraction.back() == '0') fraction.pop_back();
  if (!fraction.empty()) text += '.' + fraction;
  return negative ? '-' + text : text;
}

ChromeTrace::ChromeTrace(TextSink sink)
    : sink_(std::move(sink)), buffer_("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[") {}

void ChromeTrace::begin(char phase, Track track) {
  buffer_ += events_++ == 0 ? "\n{\"ph\":\"" : ",\n{\"ph\":\"";
  buffer_ += phase;
  buffer_ += "\",\"pid\":";
  buffer_ += std::to_string(track.process);
  buffer_ += ",\"tid\":";
  buffer_ += std::to_string(track.id);
}

void ChromeTrace::time(std::string_view key, core::Femtoseconds value) {
  buffer_ += ",\"";
  buffer_ += key;
  buffer_ += "\":";
  buffer_ += exact_microseconds(value);
}

void ChromeTrace::text(std::string_view key, std::string_view value) {
  buffer_ += ",\"";
  buffer_ += key;
  buffer_ += "\":";
  append_quoted(buffer_, value);
}

void ChromeTrace::end() {
  buffer_ += '}';
  if (buffer_.size() < kFlushBytes) return;
  sink_(buffer_);
  buffer_.clear();
}

void ChromeTrace::name_process(std::int64_t process, std::string_view name) {
  begin('M', {process, 0});
  buffer_ += ",\"name\":\"process_name\",\"args\":{\"name\":";
  append_quoted(buffer_, name);
  buffer_ += '}';
  end();
  begin('M', {process, 0});
  buffer_ += ",\"name\":\"process_sort_index\",\"args\":{\"sort_index\":";
  buffer_ += std::to_string(process) + '}';
  end();
}

void ChromeTrace::name_track(Track track, std::string_view name) {
  begin('M', track);
  buffer_ += ",\"name\":\"thread_name\",\"args\":{\"name\":";
  append_quoted(buffer_, name);
  buffer_ += '}';
  end();
  begin('M', track);
  buffer_ += ",\"name\":\"thread_sort_index\",\"args\":{\"sort_index\":";
  buffer_ += std::to_string(track.id) + '}';
  end();
}

void ChromeTrace::slice(Track track, std::string_view category, std::string_view name,
                        core::Femtoseconds from, core::Femtoseconds to,
                        std::string_view arguments) {
  begin('X', track);
  time("ts", from);
  time("dur", to - from);
  text("cat", category);
  text("name", name);
  if (!arguments.empty()) {
    buffer_ += ",\"args\":{";
    buffer_ += arguments;
    buffer_ += '}';
  }
  end();
}

void ChromeTrace::open(Track track, std::string_view category, std::string_view name,
                       core::Femtoseconds from) {
  begin('B', track);
  time("ts", from);
  text("cat", category);
  text("name", name);
  end();
}

void ChromeTrace::close(Track track, core::Femtoseconds to) {
  begin('E', track);
  time("ts", to);
  end();
}

void ChromeTrace::counter(Track track, std::string_view name, core::Femtoseconds at,
                          std::int64_t value) {
  begin('C', track);
  time("ts", at);
  text("name", name);
  buffer_ += ",\"args\":{\"value\":" + std::to_string(value) + '}';
  end();
}

void ChromeTrace::flow(char phase, Track track, std::uint64_t id, core::Femtoseconds at) {
  begin(phase, track);
  time("ts", at);
  text("cat", "dma");
  text("name", "piece");
  buffer_ += ",\"id\":" + std::to_string(id);
}

void ChromeTrace::flow_start(Track track, std::uint64_t id, core::Femtoseconds at) {
  flow('s', track, id, at);
  end();
}

void ChromeTrace::flow_end(Track track, std::uint64_t id, core::Femtoseconds at) {
  flow('f', track, id, at);
  buffer_ += ",\"bp\":\"e\"";  // ends at the slice around it, not at the next one
  end();
}

void ChromeTrace::finish() {
  buffer_ += "\n]}\n";
  sink_(buffer_);
  buffer_.clear();
}

}  // namespace ridgepoint::probe
