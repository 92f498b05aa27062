// SPDX-License-Identifier: Apache-2.0
// `sweep`: every point of a cross product, each in a process of its own.
#include <unistd.h>

#include <algorithm>
#include <map>
#include <memory>

#include "results/ledger.hpp"
#include "sim/cli/child.hpp"
#include "sim/cli/commands.hpp"
#include "sim/cli/model_options.hpp"
#include "sim/cli/sweep/outcome.hpp"
#include "sim/cli/sweep/points.hpp"
#include "sim/cli/sweep/progress.hpp"
#include "sim/config/build_info.hpp"

namespace ridgepoint::cli {
namespace {

using Cells = std::vector<std::string>;

struct Job {
  Point point;
  std::string sha256;
};

// The shard's points with their names. Two equal points would be one row: that is a mistake.
std::vector<Job> make_jobs(const Plan& plan, const Shard& shard) {
  std::vector<Job> jobs;
  std::map<std::string, std::size_t> seen;
  for (Point& point : make_points(plan)) {
    const std::string sha256 = options_of(plan, point).sha256();
    const auto [other, fresh] = seen.emplace(sha256, point.index);
    if (!fresh) {
      throw core::InputError("points " + std::to_string(other->second) + " and " +
                             std::to_string(point.index) + " of the sweep are the same");
    }
    if (point.index % shard.count != shard.index) continue;
    jobs.push_back({std::move(point), sha256});
  }
  return jobs;
}

int dry_run(const Context& context, const Plan& plan, const std::vector<Job>& jobs) {
  Cells header{"point", "config_sha256"};
  for (const Axis& axis : plan.axes) {
    for (const config::OptionRef& option : axis.options) {
      header.push_back(config::column_of(*option.row));
    }
  }
  results::TableWriter writer(header, context.options.text("general.csv"), context.out);
  for (const Job& job : jobs) {
    Cells row{std::to_string(job.point.index), job.sha256};
    row.insert(row.end(), job.point.axis_cells.begin(), job.point.axis_cells.end());
    writer.add(row);
  }
  writer.finish();
  return 0;
}

// Rows of an earlier run must be points of this sweep, made by this build.
void check_finished(const std::map<std::string, Cells>& finished, const std::vector<Job>& jobs,
                    const std::string& path) {
  std::map<std::string, bool> known;
  for (const Job& job : jobs) known.emplace(job.sha256, true);
  const config::BuildInfo& build = config::build_info();
  for (const auto& [sha256, cells] : finished) {
    if (known.count(sha256) == 0) {
      core::fail_input({path, 0, 0}, "config_sha256", sha256, "is no point of this sweep",
                       "the file of the same sweep, or another --csv");
    }
    // Columns 1 and 2 of the provenance.
    if (cells[1] != build.version || cells[2] != build.git_commit) {
      core::fail_input({path, 0, 0}, "git_commit", cells[2], "is another build",
                       std::string(build.git_commit) + ", or another --csv");
    }
  }
}

class Sweep {
 public:
  Sweep(const Context& context, const Plan& plan, std::vector<Job> jobs)
      : context_(context), plan_(plan), jobs_(std::move(jobs)), rows_(jobs_.size()) {
    const std::string& path = context.options.text("general.csv");
    if (path.empty()) return;
    ledger_ = std::make_unique<results::Ledger>(path, sweep_header(plan),
                                                context.options.enabled("sweep.resume"));
    check_finished(ledger_->finished(), jobs_, path);
    for (std::size_t i = 0; i < jobs_.size(); ++i) {
      const auto found = ledger_->finished().find(jobs_[i].sha256);
      if (found == ledger_->finished().end()) continue;
      rows_[i] = found->second;
      set_point(rows_[i], jobs_[i].point.index);
      ++done_;
    }
  }

  int run() {
    const bool complete = run_points();
    write_rows(complete);
    const std::string counts = std::to_string(done_) + " of " + std::to_string(jobs_.size()) +
                               " points done, " + std::to_string(failed_) + " failed";
    if (!complete) {
      context_.say("interrupted: " + counts +
                   (ledger_ ? "; the same command with --resume does the rest" : ""));
      return 1;
    }
    context_.say(counts);
    return failed_ == 0 ? 0 : 1;
  }

 private:
  // False if a signal ended it.
  bool run_points() {
    const config::Options& options = context_.options;
    const bool quiet = options.enabled("general.quiet");
    const double timeout_s = options.has("sweep.timeout_s") ? options.real("sweep.timeout_s") : 0;
    ProcessPool pool(static_cast<std::size_t>(options.integer("sweep.jobs")), timeout_s);
    Progress progress(context_.err, jobs_.size(), !quiet && isatty(STDERR_FILENO) != 0);
    progress.update(done_, failed_);
    std::size_t next = 0;
    while (true) {
      for (; next < jobs_.size() && pool.has_room(); ++next) {
        if (rows_[next].empty()) pool.start(next, arguments_of(jobs_[next]));
      }
      if (pool.is_idle()) return true;
      const std::optional<Finished> finished = pool.wait();
      if (!finished) return false;
      take(*finished);
      progress.update(done_, failed_);
    }
  }

  Cells arguments_of(const Job& job) const {
    Cells arguments{plan_.target, "--quiet", "--allow-unused"};
    if (plan_.target == "capacity") arguments.emplace_back("--answer-only");  // a row per point
    const char* const workers = "run.step_workers";
    if (config::used_by(config::find_option(workers), plan_.target) &&
        options_of(plan_, job.point).origin(workers).kind == config::Origin::Kind::kDefault) {
      // Points that run at the same time share the processors.
      const auto jobs = static_cast<unsigned>(context_.options.integer("sweep.jobs"));
      arguments.push_back("--" + std::string(workers) + '=' +
                          std::to_string(std::max(1u, available_processors() / jobs)));
    }
    arguments.insert(arguments.end(), job.point.arguments.begin(), job.point.arguments.end());
    return arguments;
  }

  void take(const Finished& finished) {
    Cells row = row_of(plan_, jobs_[finished.id].point, finished);
    if (row[row.size() - 2] != "ok") ++failed_;
    if (ledger_) ledger_->append(row);
    rows_[finished.id] = std::move(row);
    ++done_;
  }

  // An interrupted file keeps its rows as they came; standard output gets what there is.
  void write_rows(bool complete) {
    if (ledger_) {
      if (complete) ledger_->replace(rows_);
      return;
    }
    results::TableWriter writer(sweep_header(plan_), "", context_.out);
    for (const Cells& row : rows_) {
      if (!row.empty()) writer.add(row);
    }
    writer.finish();
  }

  const Context& context_;
  const Plan& plan_;
  std::vector<Job> jobs_;
  std::vector<Cells> rows_;  // by job; empty: not done
  std::unique_ptr<results::Ledger> ledger_;
  std::size_t done_ = 0;
  std::size_t failed_ = 0;
};

}  // namespace

int sweep_command(const Context& context) {
  const Plan plan = make_plan({context.options, context.arguments, context.others});
  const Shard shard = parse_shard(context.options);
  std::vector<Job> jobs = make_jobs(plan, shard);
  if (context.options.enabled("sweep.dry_run")) return dry_run(context, plan, jobs);
  if (context.options.enabled("sweep.resume") && context.options.text("general.csv").empty()) {
    core::fail_input({}, "--resume", "", "needs the file to resume", "--csv FILE");
  }
  return Sweep(context, plan, std::move(jobs)).run();
}

}  // namespace ridgepoint::cli
