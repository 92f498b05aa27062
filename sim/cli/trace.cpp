// SPDX-License-Identifier: Apache-2.0
// trace info: what a trace holds. trace make: a synthetic one in a published format.
#include <sstream>

#include "results/csv_writer.hpp"
#include "sim/cli/commands.hpp"
#include "sim/cli/trace_options.hpp"
#include "sim/config/needs.hpp"
#include "workloads/traces/generator.hpp"
#include "workloads/traces/info.hpp"
#include "workloads/traces/open.hpp"

namespace ridgepoint::cli {
namespace {

constexpr double kSecond = 1e9;

void set_lengths(results::Row& row, const std::string& what, const workloads::Distribution& of) {
  row.set(what + "_mean_count", of.mean())
      .set(what + "_p50_count", of.percentile(50))
      .set(what + "_p90_count", of.percentile(90))
      .set(what + "_p99_count", of.percentile(99))
      .set(what + "_max_count", of.largest());
}

int trace_info(const Context& context, const std::string& name) {
  results::TableWriter table = context.table("trace");
  const auto source = trace_of(context.options, name);
  const workloads::TraceInfo info = workloads::analyse_trace(*source);
  results::Row row(results::table("trace"), context.options);
  row.set("trace", name)
      .set("requests_count", static_cast<std::int64_t>(info.requests))
      .set("span_s", static_cast<double>(info.span) / kSecond)
      .set("arrival_requests_per_s", info.requests_per_s())
      .set("prompt_sum_count", static_cast<std::int64_t>(info.prompt_sum))
      .set("output_sum_count", static_cast<std::int64_t>(info.output_sum))
      .set("failed_requests_count", static_cast<std::int64_t>(info.problems.failed_requests))
      .set("skipped_rows_count", static_cast<std::int64_t>(info.problems.skipped_rows));
  set_lengths(row, "prompt", info.prompt_tokens);
  set_lengths(row, "output", info.output_tokens);
  if (info.gaps_ns.count() > 0) {
    row.set("gap_p50_ms", static_cast<double>(info.gaps_ns.percentile(50)) / 1e6)
        .set("gap_p99_ms", static_cast<double>(info.gaps_ns.percentile(99)) / 1e6);
  }
  if (info.blocks > 0) {
    row.set("prefix_blocks_count", static_cast<std::int64_t>(info.blocks))
        .set("prefix_shared_ratio", info.shared_ratio());
  }
  table.add(row);
  table.finish();
  const std::string problems = problems_text(info.problems);
  if (!problems.empty()) context.say(problems);
  return 0;
}

workloads::GeneratorSpec spec_of(const config::Options& options, std::string_view format) {
  workloads::GeneratorSpec spec;
  spec.seed = static_cast<std::uint64_t>(options.integer("general.seed"));
  spec.requests = static_cast<std::uint64_t>(options.integer("make.requests"));
  if (options.has("trace.rate")) spec.rate_per_s = options.real("trace.rate");
  spec.arrival_cv = options.real("make.arrival_cv");
  spec.resolution = workloads::format_resolution(format);
  spec.prompt = workloads::parse_length_spec("--prompt-length", options.text("make.prompt"));
  spec.output = workloads::parse_length_spec("--output-length", options.text("make.output"));
  spec.longest = options.integer("make.longest");
  spec.prefix_tokens = options.integer("make.prefix_tokens");
  spec.prefix_groups = static_cast<std::uint64_t>(options.integer("make.prefix_groups"));
  spec.prefix_share = options.real("make.prefix_share");
  spec.block_tokens = format == "mooncake" ? 512 : 16;
  if (options.has("make.lengths_from")) {
    const auto source = workloads::open_trace(options.text("make.lengths_from"));
    workloads::TraceRequest request;
    while (source->next(request)) {
      spec.lengths.emplace_back(request.prompt_tokens, request.output_tokens);
    }
  }
  return spec;
}

int trace_make(const Context& context) {
  const config::Options& options = context.options;
  const std::string asked = options.text("trace.format");
  const std::string format = asked == "auto" ? "vidur" : asked;
  const auto source = workloads::make_generator(spec_of(options, format));
  std::uint64_t written = 0;
  const std::string& path = options.text("general.csv");
  std::ostringstream text;
  if (path.empty()) {
    written = workloads::write_trace(*source, format, context.out);
  } else {
    results::OutputFile file(path);
    written = workloads::write_trace(*source, format, text);
    file.write(text.str());
    file.commit();
  }
  context.say(std::to_string(written) + " requests in format " + format + ", seed " +
              options.text("general.seed"));
  return 0;
}

// info draws no trace, and make reads none.
void check_action(const config::Options& options, bool make) {
  for (const config::OptionRef& option : config::all_options()) {
    const std::string_view key = option.row->key;
    const bool shared = key == "trace.format" || key == "trace.rate";
    const bool other = key.starts_with(make ? "trace." : "make.") && !shared;
    if (other && config::must_be_used(options, key)) {
      options.fail(key, std::string("would change nothing in trace ") + (make ? "make" : "info"),
                   std::string("trace ") + (make ? "info" : "make") + ", or --allow-unused");
    }
  }
}

}  // namespace

int trace_command(const Context& context) {
  const std::vector<std::string>& arguments = context.arguments;
  const std::string action = arguments.empty() ? "" : arguments.front();
  check_action(context.options, action == "make");
  if (action == "make" && arguments.size() == 1) return trace_make(context);
  if (action == "info" && arguments.size() == 2) return trace_info(context, arguments[1]);
  core::fail_input({}, "trace", action, "is not an action with its arguments",
                   "trace info FILE, trace make");
}

}  // namespace ridgepoint::cli
