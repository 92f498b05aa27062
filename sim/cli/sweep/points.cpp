// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/sweep/points.hpp"

#include <algorithm>
#include <set>

#include "results/columns.hpp"
#include "sim/config/number.hpp"
#include "sim/config/suggest.hpp"

namespace ridgepoint::cli {
namespace {

using config::Assignment;
using config::OptionRef;

constexpr std::string_view kSections = "sections sweep (of, title), base, vary, skip";

bool same_options(const Axis& a, const Axis& b) {
  return std::any_of(a.options.begin(), a.options.end(), [&](const OptionRef& one) {
    return std::any_of(b.options.begin(), b.options.end(),
                       [&](const OptionRef& other) { return one.index == other.index; });
  });
}

// Options that one source has set: a second time there is a mistake, not a wish.
class Once {
 public:
  void add(const OptionRef& option, const core::Location& where, const std::string& value) {
    if (seen_.insert(option.index).second) return;
    core::fail_input(
        where, where.file.empty() ? config::flag_of(*option.row) : std::string(option.row->key),
        value, "is given twice", "each option once, as a flag or as an axis");
  }

 private:
  std::set<std::size_t> seen_;
};

// Takes the place of older axes over one of its options.
void add_axis(Plan& plan, Axis axis, Once& once, const core::Location& where) {
  for (const OptionRef& option : axis.options) once.add(option, where, "");
  const auto same = [&](const Axis& one) { return same_options(one, axis); };
  const auto old = std::find_if(plan.axes.begin(), plan.axes.end(), same);
  if (old == plan.axes.end()) {
    plan.axes.push_back(std::move(axis));
    return;
  }
  plan.axes.erase(std::remove_if(old + 1, plan.axes.end(), same), plan.axes.end());
  *old = std::move(axis);
}

void add_base(Plan& plan, const Assignment& given, Once& once) {
  const OptionRef option = config::find_option(given.name);
  if (!option || !config::used_by(option, plan.target)) {
    core::fail_input(given.where, given.name, "", "is not an option of '" + plan.target + '\'',
                     "see 'ridgepoint " + plan.target + " --help'");
  }
  config::OptionsBuilder builder;  // checks the value while its place is known
  builder.set(option, given.value, given.where);
  once.add(option, given.where, given.value);
  std::erase_if(plan.base, [&](const Assignment& old) {
    return config::find_option(old.name).index == option.index;
  });
  plan.base.push_back(given);
}

// "vary.core.count" -> {"vary", "core.count"}
std::pair<std::string, std::string> split_section(const std::string& name) {
  const std::size_t dot = name.find('.');
  if (dot == std::string::npos) return {"", name};
  return {name.substr(0, dot), name.substr(dot + 1)};
}

std::string target_of(const std::vector<Assignment>& suite, const config::Options& options) {
  if (options.origin("sweep.of").kind == config::Origin::Kind::kFlag) {
    return options.text("sweep.of");
  }
  for (const Assignment& one : suite) {
    if (one.name != "sweep.of") continue;
    config::OptionsBuilder builder;  // checks the name
    builder.set(config::find_option("sweep.of"), one.value, one.where);
    return one.value;
  }
  return options.text("sweep.of");
}

void apply_suite(Plan& plan, const std::vector<Assignment>& suite) {
  Once bases, axes;
  for (const Assignment& one : suite) {
    const auto [section, name] = split_section(one.name);
    if (section == "base") {
      add_base(plan, {name, one.value, one.where}, bases);
    } else if (section == "vary") {
      add_axis(plan, parse_axis(name, one.value, plan.target, one.where), axes, one.where);
    } else if (section == "skip") {
      plan.skips.push_back(parse_skip_rule(one.value, plan.target, one.where));
    } else if (one.name != "sweep.of" && one.name != "sweep.title") {
      core::fail_input(one.where, one.name, "", "is no key of a suite", std::string(kSections));
    }
  }
}

// A flag for an option that the suite varies would be lost: the axis decides.
void check_not_varied(const Plan& plan, const Assignment& flag) {
  const OptionRef option = config::find_option(flag.name);
  const bool varied = std::any_of(plan.axes.begin(), plan.axes.end(), [&](const Axis& axis) {
    return same_options(axis, Axis{{option}, {}});
  });
  if (!varied) return;
  core::fail_input({}, config::flag_of(*option.row), flag.value, "is varied by the suite",
                   "--vary " + flag.name + '=' + flag.value + " in place of the suite's axis");
}

void apply_flags(Plan& plan, const config::Reading& sweep) {
  Once once;
  for (const Assignment& flag : sweep.others) {
    add_base(plan, flag, once);
    check_not_varied(plan, flag);
  }
  for (const std::string& text : sweep.options.texts("sweep.vary")) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos) {
      core::fail_input({}, "--vary", text, "is no axis", "name=a,b,c or name=low:high:step");
    }
    add_axis(plan, parse_axis(text.substr(0, equals), text.substr(equals + 1), plan.target, {}),
             once, {});
  }
}

[[noreturn]] void fail_no_axis(const config::Reading& sweep) {
  const std::string file = sweep.positionals.empty() ? "" : sweep.positionals.front();
  core::fail_input({file, 0, 0}, "", "", "nothing varies: there is no axis",
                   "--vary name=a,b,c, or a suite with a section [vary]");
}

bool skipped(const Plan& plan, const config::Options& options) {
  return std::any_of(plan.skips.begin(), plan.skips.end(), [&](const SkipRule& rule) {
    return std::all_of(rule.parts.begin(), rule.parts.end(), [&](const SkipRule::Part& part) {
      const std::string& value = options.text(part.option.row->key);
      return std::find(part.values.begin(), part.values.end(), value) != part.values.end();
    });
  });
}

// The combination with this number; the last axis varies fastest.
Point point_at(const Plan& plan, std::size_t index) {
  std::vector<std::size_t> positions(plan.axes.size());
  std::size_t rest = index;
  for (std::size_t i = plan.axes.size(); i-- > 0;) {
    positions[i] = rest % plan.axes[i].values.size();
    rest /= plan.axes[i].values.size();
  }
  Point point;
  for (std::size_t i = 0; i < plan.axes.size(); ++i) {
    const Axis& axis = plan.axes[i];
    for (std::size_t j = 0; j < axis.options.size(); ++j) {
      const std::string& value = axis.values[positions[i]][j];
      point.arguments.push_back("--" + std::string(axis.options[j].row->key) + '=' + value);
      point.axis_cells.push_back(value);
    }
  }
  for (const Assignment& base : plan.base) {
    const OptionRef option = config::find_option(base.name);
    const bool varies = std::any_of(plan.axes.begin(), plan.axes.end(), [&](const Axis& axis) {
      return std::any_of(axis.options.begin(), axis.options.end(),
                         [&](const OptionRef& one) { return one.index == option.index; });
    });
    if (varies) continue;
    point.arguments.push_back("--" + std::string(option.row->key) + '=' + base.value);
  }
  return point;
}

}  // namespace

std::vector<OptionRef> Plan::extra_options() const {
  const std::vector<results::Column> columns = results::all_columns(results::table(target));
  std::vector<OptionRef> extra;
  for (const Axis& axis : axes) {
    for (const OptionRef& option : axis.options) {
      const std::string name = config::column_of(*option.row);
      const bool has = std::any_of(columns.begin(), columns.end(),
                                   [&](const results::Column& one) { return one.name == name; });
      if (!has) extra.push_back(option);
    }
  }
  return extra;
}

Plan make_plan(const config::Reading& sweep) {
  Plan plan;
  std::vector<Assignment> suite;
  if (!sweep.positionals.empty()) {
    const std::string& path = sweep.positionals.front();
    suite = config::read_ini(path);
  }
  plan.target = target_of(suite, sweep.options);
  apply_suite(plan, suite);
  apply_flags(plan, sweep);
  if (plan.axes.empty()) fail_no_axis(sweep);
  for (const std::string& text : sweep.options.texts("sweep.skip")) {
    plan.skips.push_back(parse_skip_rule(text, plan.target, {}));
  }
  return plan;
}

std::size_t combinations(const Plan& plan) {
  std::size_t count = 1;
  for (const Axis& axis : plan.axes) {
    count *= axis.values.size();
    if (count > kMostPoints) {
      throw core::InputError("the axes make more than " + std::to_string(kMostPoints) + " points");
    }
  }
  return count;
}

std::vector<Point> make_points(const Plan& plan) {
  const std::size_t count = combinations(plan);
  std::vector<Point> points;
  for (std::size_t i = 0; i < count; ++i) {
    Point point = point_at(plan, i);
    if (!plan.skips.empty() && skipped(plan, options_of(plan, point))) continue;
    point.index = points.size();
    points.push_back(std::move(point));
  }
  if (points.empty()) throw core::InputError("the skip rules leave no point");
  return points;
}

config::Options options_of(const Plan& plan, const Point& point) {
  return config::read_options({plan.target, point.arguments}).options;
}

Shard parse_shard(const config::Options& options) {
  if (!options.has("sweep.shard")) return {};
  const std::string& text = options.text("sweep.shard");
  const std::size_t slash = text.find('/');
  std::string why;
  const auto index = config::parse_integer(text.substr(0, slash), why);
  const auto count = slash == std::string::npos
                         ? std::nullopt
                         : config::parse_integer(text.substr(slash + 1), why);
  if (!index || !count || *index < 1 || *count < *index || *count > 1'000'000) {
    options.fail("sweep.shard", "is no shard", "i/n with 1 <= i <= n, for example 2/8");
  }
  return {static_cast<std::size_t>(*index - 1), static_cast<std::size_t>(*count)};
}

}  // namespace ridgepoint::cli
