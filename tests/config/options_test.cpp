// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>

#include "sim/config/bind_machine.hpp"
#include "sim/config/machines.hpp"
#include "sim/config/number.hpp"
#include "sim/config/read_options.hpp"
#include "sim/dram/spec.hpp"

namespace ridgepoint::config {
namespace {

using ::testing::HasSubstr;

Options read(std::vector<std::string> arguments, std::string_view subcommand = "run") {
  return read_options({subcommand, arguments, 0}).options;
}

std::string error_of(std::vector<std::string> arguments, std::string_view subcommand = "run") {
  try {
    read(std::move(arguments), subcommand);
  } catch (const core::InputError& error) {
    return error.what();
  }
  return "no error";
}

class OptionFiles : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ =
        std::filesystem::temp_directory_path() / ("ridgepoint_options_" + std::to_string(getpid()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string file(const std::string& name, const std::string& text) {
    const std::string path = folder_ / name;
    std::ofstream(path) << text;
    return path;
  }
  std::filesystem::path folder_;
};

TEST(OptionTable, EveryRowIsWellFormed) {
  for (const OptionRef& option : all_options()) {
    const OptionRow& row = *option.row;
    SCOPED_TRACE(row.key);
    EXPECT_EQ(std::count(row.key.begin(), row.key.end(), '.'), 1);
    EXPECT_EQ(row.key.find('-'), std::string_view::npos);
    EXPECT_FALSE(row.help.empty());
    EXPECT_EQ(row.type == OptionType::kChoice, !row.accepted.empty());
    EXPECT_FALSE(row.required && !row.fallback.empty());
    EXPECT_LE(row.minimum, row.maximum);
    EXPECT_EQ(find_option(row.key).index, option.index);
    EXPECT_EQ(find_option(flag_of(row).substr(2)).index, option.index);
    if (row.fallback.empty()) continue;
    OptionsBuilder builder;  // throws if the default is not acceptable to its own row
    EXPECT_NO_THROW(builder.set(option, std::string(row.fallback), {}));
  }
}

TEST(OptionTable, EverySetOptionRoundTripsThroughFlagAndIni) {
  const OptionRef batch = find_option("run.batch");
  EXPECT_EQ(flag_of(*batch.row), "--batch");
  EXPECT_EQ(read({"--batch", "7"}).integer("run.batch"), 7);
  EXPECT_EQ(read({"--batch=7"}).integer("run.batch"), 7);
  EXPECT_EQ(read({"--run.batch=7"}).integer("run.batch"), 7);
  EXPECT_EQ(read({"--weight-dtype", "fp8"}).text("run.weight_dtype"), "fp8");
  EXPECT_EQ(read({"--weight_dtype", "fp8"}).text("run.weight_dtype"), "fp8");
  EXPECT_FALSE(read({"--chunked-prefill=false"}, "serve").enabled("serve.chunked_prefill"));
}

// Errors that lower layers raise about an option: named as on the command line.
TEST(OptionTable, EveryErrorNamesAnOptionByItsFlag) {
  const std::regex named(R"re((?:fail_input\(\{\},|\brequire\([^;]*?,)\s*"([^"]+)")re");
  const std::set<std::string> subcommands{"trace", "report"};  // about their files
  std::size_t flags = 0;
  for (const char* folder : {"/kernels", "/workloads", "/results", "/sim"}) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(RIDGEPOINT_SOURCE_DIR +
                                                                           std::string(folder))) {
      if (entry.path().extension() != ".cpp") continue;
      std::ifstream file(entry.path());
      const std::string text((std::istreambuf_iterator<char>(file)), {});
      for (std::sregex_iterator at(text.begin(), text.end(), named), end; at != end; ++at) {
        const std::string name = (*at)[1];
        const OptionRef option = find_option(name.starts_with("--") ? name.substr(2) : name);
        if (!option || subcommands.count(name) != 0) continue;
        // Keys of a machine get their form where their origin is known: bind_machine.cpp.
        if (name == option.row->key && option.group->machine) continue;
        EXPECT_EQ(name, flag_of(*option.row)) << entry.path();
        ++flags;
      }
    }
  }
  EXPECT_GT(flags, 30U);
}

TEST(OptionTable, OriginsAreKept) {
  const Options options = read({"--batch", "7"});
  EXPECT_EQ(options.origin_text("run.batch"), "--batch");
  EXPECT_EQ(options.origin_text("run.phase"), "default");
  EXPECT_THAT(options.origin_text("core.count"), HasSubstr("teaching-80g.ini:"));
  EXPECT_EQ(options.origin_text("run.tokens"), "not given");
  EXPECT_FALSE(options.has("run.tokens"));
  EXPECT_THROW(options.integer("run.tokens"), core::InputError);
  EXPECT_THROW(options.integer("run.phase"), std::logic_error);
  EXPECT_THROW(options.integer("no.such"), std::logic_error);
}

TEST(OptionTable, TheHashNamesWhatDecidesResults) {
  const Options base = read({});
  EXPECT_EQ(base.sha256().size(), 64U);
  EXPECT_EQ(read({"--csv", "x.csv", "--quiet"}).sha256(), base.sha256());
  EXPECT_EQ(read({"--batch", "1"}).sha256(), base.sha256()) << "a default given is the default";
  EXPECT_EQ(read({"--core.clock_mhz", "1500.0"}).sha256(), base.sha256());
  EXPECT_NE(read({"--batch", "2"}).sha256(), base.sha256());
  EXPECT_NE(read({"--seed", "2"}).sha256(), base.sha256());
  EXPECT_NE(read({"--machine", "h100"}).sha256(), base.sha256());
}

TEST(OptionErrors, FlagsAreNamedWithWhatIsAccepted) {
  const std::string batch = "; accepted: integer 1 .. 65536 (requests)";
  EXPECT_EQ(error_of({"--batch", "-1"}), "'--batch': value '-1' is too small" + batch);
  EXPECT_EQ(error_of({"--batch", "0"}), "'--batch': value '0' is too small" + batch);
  EXPECT_EQ(error_of({"--batch", "99999999"}), "'--batch': value '99999999' is too large" + batch);
  EXPECT_EQ(error_of({"--batch", "1.5"}), "'--batch': value '1.5' is not an integer" + batch);
  EXPECT_EQ(error_of({"--batch", "18446744073709551615"}),
            "'--batch': value '18446744073709551615' does not fit in 64 bits" + batch);
  EXPECT_EQ(error_of({"--batch"}), "'--batch': needs a value" + batch);
  EXPECT_EQ(error_of({"--batch="}), "'--batch': needs a value" + batch);
  EXPECT_THAT(error_of({"--batch", "1", "--batch", "2"}), HasSubstr("is given twice"));
  EXPECT_THAT(error_of({"--batch", "1", "--run.batch", "1"}), HasSubstr("is given twice"));
  EXPECT_THAT(error_of({"--phase", "decod"}), HasSubstr("(did you mean 'decode'?)"));
  EXPECT_THAT(error_of({"--bach", "1"}), HasSubstr("(did you mean '--batch'?)"));
  EXPECT_THAT(error_of({"--bat", "1"}), HasSubstr("is unknown")) << "no abbreviations";
  EXPECT_THAT(error_of({"--trace", "x"}), HasSubstr("is not an option of 'run'"));
  EXPECT_THAT(error_of({"--core.clock_mhz", "nan"}), HasSubstr("is not a finite number"));
  EXPECT_THAT(error_of({"--core.clock_mhz", "inf"}), HasSubstr("is not a finite number"));
  EXPECT_THAT(error_of({"--core.clock_mhz", "1e400"}), HasSubstr("outside the range"));
  EXPECT_THAT(error_of({"stray"}), HasSubstr("'stray' is an unexpected argument"));
  EXPECT_THAT(error_of({"-b", "1"}), HasSubstr("'-b' is an unexpected argument"));
  EXPECT_THAT(error_of({"--machine.base", "h100"}), HasSubstr("is not an option of 'run'"));
  EXPECT_THAT(error_of({"--machine", "h10"}), HasSubstr("(did you mean 'h100'?)"));
}

TEST_F(OptionFiles, ConfigFilesLoseAgainstFlagsAndWinOverMachines) {
  const std::string path = file("a.ini",
                                "# note\n[run]\nbatch = 4   # four\nphase=prefill\n"
                                "[core]\nclock_mhz=1000\n");
  const Options options = read({"--config", path, "--batch", "9"});
  EXPECT_EQ(options.integer("run.batch"), 9);
  EXPECT_EQ(options.text("run.phase"), "prefill");
  EXPECT_EQ(options.real("core.clock_mhz"), 1000);
  EXPECT_EQ(options.origin_text("run.phase"), path + ":4");
}

TEST_F(OptionFiles, IniErrorsNameTheLine) {
  const auto of = [&](const std::string& text) {
    const std::string path = file("bad.ini", text);
    const std::string error = error_of({"--config", path});
    return error.starts_with(path) ? error.substr(path.size()) : "elsewhere: " + error;
  };
  EXPECT_THAT(of("[run]\nbatch=-1\n"), HasSubstr(":2: 'run.batch': value '-1' is too small"));
  EXPECT_THAT(of("[run]\n\nbacth=1\n"), HasSubstr(":3: 'run.bacth': is unknown (did you mean "));
  EXPECT_THAT(of("[run]\nbatch=1\nbatch=1\n"),
              HasSubstr(":3: 'run.batch': value '1' stands twice"));
  EXPECT_THAT(of("[run]\nbatch=1\n[run]\nbatch=2\n"),
              HasSubstr(":4: 'run.batch': value '2' stands"));
  EXPECT_THAT(of("[run]\nbatch=\n"), HasSubstr(":2: 'run.batch': needs a value"));
  EXPECT_THAT(of("[run]\nbatch\n"), HasSubstr(":2: value 'batch' is not 'name = value'"));
  EXPECT_THAT(of("[run\nbatch=1\n"), HasSubstr(":1: value '[run' is not a section"));
  EXPECT_THAT(of("[serve]\ntrace=x\n"), HasSubstr(":2: 'serve.trace': is not an option of 'run'"));
  EXPECT_THAT(of("[core]\nclock_mhz=nan\n"), HasSubstr(":2: 'core.clock_mhz': value 'nan' is not"));
  EXPECT_THAT(error_of({"--config", "/no/such.ini"}),
              HasSubstr("/no/such.ini: cannot be read: No"));
  EXPECT_THAT(error_of({"--config", folder_}), HasSubstr("cannot be read"));
}

TEST_F(OptionFiles, AMachineMayStandOnABase) {
  const std::string path =
      file("m.ini", "[machine]\nname = mine\nbase = h100\n[hbm]\nstacks = 6\n");
  const Options options = read({"--machine", path});
  EXPECT_EQ(options.text("machine.name"), "mine");
  EXPECT_EQ(options.integer("hbm.stacks"), 6);
  EXPECT_EQ(options.integer("core.count"), read({"--machine", "h100"}).integer("core.count"));
  EXPECT_EQ(read({"--machine", path, "--hbm.stacks", "3"}).integer("hbm.stacks"), 3);
}

TEST_F(OptionFiles, MachineErrorsNameFileAndKey) {
  const auto of = [&](const std::string& text) {
    return error_of({"--machine", file("m.ini", text)});
  };
  EXPECT_THAT(of("[machine]\nname=x\nmemory_gib=80\n"), HasSubstr("'core.count': is missing"));
  EXPECT_THAT(of("[core]\ncount=1\n"), HasSubstr("'machine.name': is missing"));
  EXPECT_THAT(of(""), HasSubstr("'machine.name': is missing"));
  EXPECT_THAT(of("[machine]\nname=x\nbase=h10\n"),
              HasSubstr("m.ini:3: 'machine.base': value 'h10'"));
  EXPECT_THAT(of("[machine]\nname=x\n[run]\nbatch=1\n"),
              HasSubstr("m.ini:4: 'run.batch': is no key"));
  EXPECT_THAT(of("[machine]\nname=x\n[core]\ncuont=1\n"),
              HasSubstr("(did you mean 'core.count'?)"));
  const std::string self = folder_ / "m.ini";
  EXPECT_THAT(of("[machine]\nname=x\nbase=" + self + "\n"), HasSubstr("is its own base"));
}

TEST(Machines, EveryPresetIsCompleteAndNamedAfterItsFile) {
  ASSERT_GE(machine_presets().size(), 3U);
  for (const MachinePreset& preset : machine_presets()) {
    SCOPED_TRACE(preset.name);
    const Options options = read({"--machine", std::string(preset.name)});
    EXPECT_EQ(options.text("machine.name"), preset.name);
    EXPECT_FALSE(machine_summary(preset).empty());
  }
}

// Peak rates of the presets against the vendors' published figures.
TEST(Machines, PresetsGiveThePublishedPeaks) {
  struct Published {
    const char* machine;
    double tflop_per_s, tb_per_s;
  };
  for (const auto& [machine, tflop_per_s, tb_per_s] :
       {Published{"a100-80g", 312, 2.039}, Published{"h100", 989.4, 3.35},
        Published{"h200", 989.4, 4.8}, Published{"mi300x", 1307.4, 5.3},
        Published{"rtx-5090", 209.5, 1.792}, Published{"tpu-v5e", 197, 0.819}}) {
    const Options o = read({"--machine", machine});
    const double peak = 2e-6 * o.real("core.count") * o.real("core.matrix_rows") *
                        o.real("core.matrix_cols") * o.real("core.clock_mhz");
    EXPECT_NEAR(peak, tflop_per_s, 0.001 * tflop_per_s) << machine;
    const double bandwidth = dram::resolve(dram_config(o)).peak_gb_per_s / 1000;
    EXPECT_NEAR(bandwidth, tb_per_s, 0.005 * tb_per_s) << machine;
  }
}

TEST_F(OptionFiles, APresetsNameIsThePresets) {
  const auto presets = machine_presets();
  const auto h100 = std::find_if(presets.begin(), presets.end(),
                                 [](const MachinePreset& one) { return one.name == "h100"; });
  const std::string text(h100->text);
  EXPECT_EQ(error_of({"--machine", file("same.ini", text)}), "no error");
  const std::string more = "name = h100\nbase = h100\n";
  EXPECT_EQ(error_of({"--machine", file("based.ini", "[machine]\n" + more)}), "no error");
  EXPECT_THAT(
      error_of({"--machine", file("other.ini", "[machine]\n" + more + "[core]\ncount = 5\n")}),
      HasSubstr("other.ini:2: 'machine.name': value 'h100' is a preset, which differs: its "
                "core.count is '132', not '5'; accepted: a name of its own"));
  EXPECT_THAT(
      error_of({"--machine", file("more.ini", "[machine]\n" + more + "[hbm]\ntiming = tRP=15\n")}),
      HasSubstr("its hbm.timing is '', not 'tRP=15'"));
  EXPECT_EQ(error_of({"--machine",
                      file("own.ini", "[machine]\nname = mine\nbase = h100\n[core]\ncount = 5\n")}),
            "no error");
}

}  // namespace
}  // namespace ridgepoint::config
