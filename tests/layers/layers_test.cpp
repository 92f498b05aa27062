// SPDX-License-Identifier: Apache-2.0
// Reads the tree itself: includes point downwards only, SystemC stays in its folder, library code
// neither prints nor exits, every file names its licence.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;

const fs::path kRoot = RIDGEPOINT_SOURCE_DIR;

// Folder -> what it stands on directly. What those stand on is allowed too.
const std::map<std::string, std::vector<std::string>> kBelow{
    {"sim/core", {}},
    {"sim/probe", {"sim/core"}},
    {"sim/isa", {"sim/probe"}},
    {"sim/dram", {"sim/probe"}},
    {"sim/accel", {"sim/isa", "sim/dram"}},
    {"sim/soc", {"sim/accel"}},
    {"sim/config", {"sim/soc"}},
    {"kernels", {"sim/isa"}},
    {"workloads", {"kernels", "sim/config"}},
    {"results", {"sim/config"}},
    {"sim/cli", {"kernels", "workloads", "results"}},
};

std::set<std::string> allowed_for(const std::string& layer) {
  std::set<std::string> allowed{layer};
  for (const std::string& below : kBelow.at(layer)) allowed.merge(allowed_for(below));
  return allowed;
}

std::string layer_of(const std::string& path) {
  for (const auto& [layer, below] : kBelow) {
    if (path.starts_with(layer + '/')) return layer;
  }
  return {};
}

// Benchmarks and tests stand above everything.
bool is_above_all(const std::string& path) {
  return path.starts_with("tests/") || path.starts_with("results/bench/");
}

struct Source {
  std::string path;  // from the root
  std::string text;
  std::string code;  // without comments and literals
};

std::string without_comments_and_literals(const std::string& text) {
  static const std::regex kSkip(
      R"re(//[^\n]*|/\*[^]*?\*/|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)+')re");
  return std::regex_replace(text, kSkip, " ");
}

std::vector<Source> read_tree(const std::set<std::string>& extensions) {
  std::vector<Source> sources;
  for (const char* folder : {"sim", "kernels", "workloads", "results", "tests"}) {
    for (const auto& entry : fs::recursive_directory_iterator(kRoot / folder)) {
      const std::string extension = entry.path().extension();
      const bool named = entry.path().filename() == "CMakeLists.txt" && extensions.count(".cmake");
      if (!entry.is_regular_file() || (!extensions.count(extension) && !named)) continue;
      std::ifstream in(entry.path(), std::ios::binary);
      std::stringstream text;
      text << in.rdbuf();
      sources.push_back({entry.path().lexically_relative(kRoot), text.str(), {}});
    }
  }
  std::sort(sources.begin(), sources.end(),
            [](const Source& a, const Source& b) { return a.path < b.path; });
  return sources;
}

const std::vector<Source>& cpp_sources() {
  static const std::vector<Source> sources = [] {
    std::vector<Source> read = read_tree({".cpp", ".hpp"});
    for (Source& one : read) one.code = without_comments_and_literals(one.text);
    return read;
  }();
  return sources;
}

struct Include {
  std::string name;
  bool quoted;
};

std::vector<Include> includes_of(const std::string& text) {
  static const std::regex kInclude(R"re((?:^|\n)[ \t]*#[ \t]*include[ \t]*([<"])([^>"\n]+)[>"])re");
  std::vector<Include> includes;
  for (std::sregex_iterator at(text.begin(), text.end(), kInclude), end; at != end; ++at) {
    includes.push_back({(*at)[2], (*at)[1] == "\""});
  }
  return includes;
}

// Empty if the include is allowed; what is wrong otherwise.
std::string complaint(const std::string& path, const Include& include) {
  const bool systemc = include.name == "systemc" || include.name == "systemc.h" ||
                       include.name == "tlm" || include.name == "tlm.h" ||
                       include.name.starts_with("sysc/") || include.name.starts_with("tlm_");
  if (systemc && !path.starts_with("sim/soc/") && !path.starts_with("tests/")) {
    return "only sim/soc includes SystemC";
  }
  if (!include.quoted) return {};
  const std::string target = layer_of(include.name);
  if (target.empty()) {
    // A test may have a helper beside it.
    const bool beside = fs::exists(kRoot / fs::path(path).parent_path() / include.name);
    return is_above_all(path) && (beside || include.name.starts_with("tests/"))
               ? std::string()
               : "a quoted include is written from the top folder";
  }
  if (is_above_all(path)) return {};
  return allowed_for(layer_of(path)).count(target) ? ""
                                                   : target + " is not below " + layer_of(path);
}

TEST(Layers, IncludesPointDownwards) {
  ASSERT_GT(cpp_sources().size(), 50U) << "the tree is not where this test looks";
  for (const Source& source : cpp_sources()) {
    for (const Include& include : includes_of(source.text)) {
      EXPECT_EQ(complaint(source.path, include), "") << source.path << " includes " << include.name;
    }
  }
}

// The rules themselves: each kind of violation is found.
TEST(Layers, ViolationsAreFound) {
  EXPECT_EQ(complaint("sim/core/a.cpp", {"sim/dram/b.hpp", true}),
            "sim/dram is not below sim/core");
  EXPECT_EQ(complaint("sim/dram/a.cpp", {"sim/isa/b.hpp", true}), "sim/isa is not below sim/dram");
  EXPECT_EQ(complaint("workloads/a.cpp", {"results/b.hpp", true}),
            "results is not below workloads");
  EXPECT_EQ(complaint("sim/config/a.cpp", {"sim/cli/b.hpp", true}),
            "sim/cli is not below sim/config");
  EXPECT_NE(complaint("sim/core/a.cpp", {"error.hpp", true}), "");
  EXPECT_NE(complaint("sim/accel/a.cpp", {"systemc", false}), "");
  EXPECT_NE(complaint("kernels/a.cpp", {"tlm_utils/simple_target_socket.h", false}), "");
  EXPECT_EQ(complaint("sim/soc/a.cpp", {"systemc", false}), "");
  EXPECT_EQ(complaint("sim/cli/a.cpp", {"workloads/b.hpp", true}), "");
  EXPECT_EQ(complaint("sim/accel/a.cpp", {"sim/core/b.hpp", true}), "");
}

struct Forbidden {
  const char* pattern;
  const char* why;
};

constexpr Forbidden kForbidden[] = {
    {R"re(\bstd::c(out|err|log)\b)re", "library code does not print"},
    {R"re((^|[^\w.>])(std::)?(f?printf|f?puts|putchar|perror) *\()re",
     "library code does not print"},
    {R"re((^|[^\w.>])(std::)?(_exit|_Exit|exit|quick_exit|abort) *\()re",
     "library code does not exit"},
    {R"re(\busing namespace\b)re", "no using namespace"},
};

std::string forbidden_in(const std::string& code) {
  for (const auto& [pattern, why] : kForbidden) {
    std::smatch found;
    if (std::regex_search(code, found, std::regex(pattern))) return why + (": " + found.str());
  }
  return {};
}

// A child of fork may only leave by _exit().
bool may_leave(const std::string& path) {
  return path == "sim/cli/child.cpp" || path == "sim/soc/machine_copies.cpp";
}

TEST(Layers, LibraryCodeNeitherPrintsNorExits) {
  for (const Source& source : cpp_sources()) {
    if (is_above_all(source.path) || source.path.find("/program/") != std::string::npos) continue;
    if (may_leave(source.path)) continue;
    EXPECT_EQ(forbidden_in(source.code), "") << source.path;
  }
  EXPECT_NE(forbidden_in("std::cout << 1;"), "");
  EXPECT_NE(forbidden_in("if (bad) exit(1);"), "");
  EXPECT_NE(forbidden_in("std::printf(x);"), "");
  EXPECT_EQ(forbidden_in(without_comments_and_literals("// exit(1)\nf(\"std::cout\");")), "");
  EXPECT_EQ(forbidden_in("std::snprintf(b, n, x); row.exit(1);"), "");
}

TEST(Layers, EveryFileNamesItsLicence) {
  static const std::string kSpdx = "SPDX-License-Identifier: Apache-2.0";
  for (const Source& source :
       read_tree({".cpp", ".hpp", ".in", ".cmake", ".ini", ".sh", ".gp", ".py"})) {
    std::istringstream lines(source.text);
    std::string line;
    std::getline(lines, line);
    if (line.starts_with("#!")) std::getline(lines, line);
    EXPECT_NE(line.find(kSpdx), std::string::npos) << source.path << ": " << line;
  }
}

TEST(Layers, HeadersAreGuardedAndHoldANamespace) {
  for (const Source& source : cpp_sources()) {
    if (!source.path.ends_with(".hpp")) continue;
    EXPECT_NE(source.code.find("#pragma once"), std::string::npos) << source.path;
    EXPECT_NE(source.code.find("namespace"), std::string::npos) << source.path;
  }
}

}  // namespace
