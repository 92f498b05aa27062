// SPDX-License-Identifier: Apache-2.0
// Writes the Trace Event Format (JSON object form) that Perfetto and chrome://tracing open. It
// knows processes, tracks, slices, counters and flows, and nothing of the machine. Text goes to a
// sink in parts, so the size of a trace is not limited by memory. Events of one track come in order
// of time; tracks are written side by side.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "sim/core/time.hpp"

namespace ridgepoint::probe {

using TextSink = std::function<void(std::string_view)>;

// A track is a thread `id` of a process.
struct Track {
  std::int64_t process = 0;
  std::int64_t id = 0;
};

class ChromeTrace {
 public:
  explicit ChromeTrace(TextSink sink);

  void name_process(std::int64_t process, std::string_view name);
  // Tracks of a process are shown in order of their ids.
  void name_track(Track track, std::string_view name);
  // Slices of one track do not overlap, except that open() ... close() may contain others.
  // `arguments`: members of a JSON object without braces, for example "\"bytes\":64".
  void slice(Track track, std::string_view category, std::string_view name, core::Femtoseconds from,
             core::Femtoseconds to, std::string_view arguments = {});
  void open(Track track, std::string_view category, std::string_view name, core::Femtoseconds from);
  void close(Track track, core::Femtoseconds to);
  void counter(Track track, std::string_view name, core::Femtoseconds at, std::int64_t value);
  // An arrow between the slices around two points.
  void flow_start(Track track, std::uint64_t id, core::Femtoseconds at);
  void flow_end(Track track, std::uint64_t id, core::Femtoseconds at);
  // Ends the JSON text; nothing may follow.
  void finish();
  std::uint64_t events() const { return events_; }

 private:
  // Starts an event: {"ph":...,"pid":...,"tid":...
  void begin(char phase, Track track);
  void time(std::string_view key, core::Femtoseconds value);
  void text(std::string_view key, std::string_view value);
  void flow(char phase, Track track, std::uint64_t id, core::Femtoseconds at);
  void end();

  TextSink sink_;
  std::string buffer_;
  std::uint64_t events_ = 0;
};

// Microseconds with all digits down to the femtosecond: "12.000000001".
std::string exact_microseconds(core::Femtoseconds time);

}  // namespace ridgepoint::probe
