// SPDX-License-Identifier: Apache-2.0
#include "workloads/traces/open.hpp"

#include "workloads/traces/formats.hpp"
#include "workloads/traces/generator.hpp"

namespace ridgepoint::workloads {
namespace {

class FileTrace final : public TraceSource {
 public:
  FileTrace(std::string name, std::unique_ptr<TraceRows> rows, bool skip_bad_rows)
      : name_(std::move(name)), rows_(std::move(rows)), skip_bad_rows_(skip_bad_rows) {}

  bool next(TraceRequest& request) override {
    while (true) {
      try {
        if (!rows_->next(row_)) break;
        check_order();
      } catch (const core::UnreadableError&) {
        throw;
      } catch (const core::InputError& error) {
        if (!skip_bad_rows_) throw;
        if (problems_.skipped_rows++ == 0) problems_.first_skipped = error.what();
        continue;
      }
      any_row_ = true;
      if (row_.failed) {
        ++problems_.failed_requests;
        continue;
      }
      give(request);
      return true;
    }
    if (!any_row_) {
      core::fail_input({name_}, "", "", "trace without a usable row", "at least one request");
    }
    return false;
  }

  const TraceProblems& problems() const override { return problems_; }

 private:
  void check_order() {
    if (any_row_ && row_.time < last_) {
      core::fail_input(
          rows_->at(row_.time_column), "", "",
          "time is " + std::to_string(last_ - row_.time) + " ns before that of the row above",
          "rows in order of arrival");
    }
    last_ = row_.time;
  }

  void give(TraceRequest& request) {
    if (!first_known_) first_ = row_.time;
    first_known_ = true;
    request.line = rows_->at(1).line;
    request.arrival = row_.time - first_;
    request.prompt_tokens = row_.prompt_tokens;
    request.output_tokens = row_.output_tokens;
    request.block_ids.swap(row_.block_ids);
    request.block_tokens = row_.block_tokens;
  }

  std::string name_;
  std::unique_ptr<TraceRows> rows_;
  bool skip_bad_rows_;
  TraceRow row_;
  TraceProblems problems_;
  Nanoseconds first_ = 0;
  Nanoseconds last_ = 0;
  bool first_known_ = false;
  bool any_row_ = false;
};

}  // namespace

std::unique_ptr<TraceSource> open_trace_lines(core::TextLines lines,
                                              const TraceReadOptions& options) {
  std::string name = lines.name();
  const TraceFormat& format = detect_format(lines, options.format);
  return std::make_unique<FileTrace>(std::move(name), format.open(std::move(lines)),
                                     options.skip_bad_rows);
}

std::unique_ptr<TraceSource> open_trace(const std::string& name, const TraceReadOptions& options) {
  for (const BuiltinTrace& builtin : builtin_traces()) {
    if (builtin.name == name) return make_generator(builtin.spec);
  }
  return open_trace_lines(core::TextLines(name), options);
}

}  // namespace ridgepoint::workloads
