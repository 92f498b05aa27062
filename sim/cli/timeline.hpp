// SPDX-License-Identifier: Apache-2.0
// --timeline and --vcd: what is drawn, and the two files it goes to.
#pragma once

#include <exception>
#include <memory>

#include "results/csv_writer.hpp"
#include "sim/config/options.hpp"
#include "sim/soc/machine.hpp"
#include "sim/soc/recorder.hpp"

namespace ridgepoint::cli {

// The part of the run that --timeline-window-us names, in femtoseconds. Throws InputError.
struct TimelineWindow {
  core::Femtoseconds from = 0, to = 0;
};
TimelineWindow timeline_window_of(const config::Options& options);

// InputError where an option says what to draw, but no file is asked for.
void require_nothing_to_draw(const config::Options& options);

// Attaches to the machine if either option is given; else does nothing. Throws InputError for a
// window or a selection that makes no sense, before anything runs.
class Timeline {
 public:
  Timeline(const config::Options& options, soc::Machine& machine);
  Timeline(const Timeline&) = delete;
  Timeline& operator=(const Timeline&) = delete;
  // Both files appear, whole. Throws what writing them threw meanwhile: in the middle of the
  // simulation, SystemC would have turned it into something else.
  void finish();

 private:
  std::unique_ptr<results::OutputFile> open_output(const config::Options& options, const char* key,
                                                   probe::TextSink& sink);

  std::exception_ptr error_;
  std::unique_ptr<results::OutputFile> trace_;
  std::unique_ptr<results::OutputFile> waveform_;
  std::unique_ptr<soc::Recorder> recorder_;
};

}  // namespace ridgepoint::cli
