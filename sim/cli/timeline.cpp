// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/timeline.hpp"

#include <algorithm>
#include <cmath>

#include "sim/config/number.hpp"

namespace ridgepoint::cli {
namespace {

constexpr double kMostUs = 9e9;  // 9,000 s of simulated time

// "all", "none" or numbers and ranges below `count`, each once, in order.
std::vector<std::int64_t> selection(const config::Options& options, const char* key,
                                    std::int64_t count) {
  const std::string accepted =
      "all, none, or numbers and ranges from 0 to " + std::to_string(count - 1) + ": 0,2,4-7";
  const std::string& text = options.text(key);
  std::vector<bool> chosen(static_cast<std::size_t>(count), text == "all");
  if (text != "all" && text != "none") {
    for (const std::string& part : config::split_words(text, ',')) {
      const std::size_t dash = part.find('-', 1);
      std::string why;
      const auto low = config::parse_integer(part.substr(0, dash), why);
      const auto high =
          dash == std::string::npos ? low : config::parse_integer(part.substr(dash + 1), why);
      if (!low || !high) options.fail(key, "holds '" + part + "', which " + why, accepted);
      if (*low < 0 || *low > *high || *high >= count) {
        options.fail(key, "holds '" + part + "', which is out of range", accepted);
      }
      std::fill(chosen.begin() + *low, chosen.begin() + *high + 1, true);
    }
  }
  std::vector<std::int64_t> numbers;
  for (std::int64_t i = 0; i < count; ++i) {
    if (chosen[static_cast<std::size_t>(i)]) numbers.push_back(i);
  }
  return numbers;
}

}  // namespace

void require_nothing_to_draw(const config::Options& options) {
  for (const char* key :
       {"run.timeline_window_us", "run.timeline_cores", "run.timeline_channels"}) {
    if (options.origin(key).kind == config::Origin::Kind::kDefault) continue;
    options.fail(key, "has nothing to draw", "--timeline FILE or --vcd FILE beside it");
  }
}

TimelineWindow timeline_window_of(const config::Options& options) {
  static constexpr const char* kKey = "run.timeline_window_us";
  static constexpr const char* kAccepted =
      "from:to with 0 <= from < to <= 9e9, for example 10:25.5";
  const std::string& text = options.text(kKey);
  const std::size_t colon = text.find(':');
  if (colon == std::string::npos) options.fail(kKey, "is no window", kAccepted);
  std::string why;
  const auto from = config::parse_real(text.substr(0, colon), why);
  const auto to = config::parse_real(text.substr(colon + 1), why);
  if (!from || !to) options.fail(kKey, "holds something that " + why, kAccepted);
  if (*from < 0 || *from >= *to || *to > kMostUs) {
    options.fail(kKey, "is no window of time", kAccepted);
  }
  return {std::llround(*from * 1e9), std::llround(*to * 1e9)};
}

Timeline::Timeline(const config::Options& options, soc::Machine& machine) {
  soc::RecorderConfig config;
  const TimelineWindow window = timeline_window_of(options);
  config.from = window.from;
  config.to = window.to;
  config.cores = selection(options, "run.timeline_cores", machine.config().accel.cores);
  config.channels = selection(options, "run.timeline_channels", machine.channels());
  trace_ = open_output(options, "run.timeline", config.timeline);
  waveform_ = open_output(options, "run.vcd", config.waveform);
  if (!trace_ && !waveform_) {
    require_nothing_to_draw(options);
    return;
  }
  recorder_ = std::make_unique<soc::Recorder>(std::move(config));
  machine.record(*recorder_);
}

std::unique_ptr<results::OutputFile> Timeline::open_output(const config::Options& options,
                                                           const char* key, probe::TextSink& sink) {
  if (!options.has(key)) return nullptr;
  auto file = std::make_unique<results::OutputFile>(options.text(key));
  sink = [this, to = file.get()](std::string_view text) {
    if (error_) return;
    try {
      to->write(text);
    } catch (...) {
      error_ = std::current_exception();
    }
  };
  return file;
}

void Timeline::finish() {
  if (!recorder_) return;
  recorder_->finish();
  if (error_) std::rethrow_exception(error_);
  if (trace_) trace_->commit();
  if (waveform_) waveform_->commit();
}

}  // namespace ridgepoint::cli
