// SPDX-License-Identifier: Apache-2.0
// The pictures: gnuplot draws every point of a table, and refuses a table without results.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "results/csv_writer.hpp"
#include "results/row.hpp"
#include "sim/config/read_options.hpp"
#include "tests/robustness/program.hpp"

namespace ridgepoint::tests {
namespace {

using ::testing::HasSubstr;

class Pictures : public ProgramTest {
 protected:
  static bool has_gnuplot() { return std::system("command -v gnuplot >/dev/null 2>&1") == 0; }
  int draw(const std::string& script, const std::string& variables) const {
    return std::system(("cd '" + folder().string() + "' && gnuplot -e \"" + variables +
                        "\" '" RIDGEPOINT_SOURCE_DIR "/results/plots/" + script + "' 2>log")
                           .c_str());
  }
};

class Roofline : public Pictures {
 protected:
  // A machine of 3.2 TB/s and a ridge of 250 FLOP/byte, half of whose roof is reached.
  static results::Row row(const std::string& phase, const std::string& tokens, double intensity) {
    const std::vector<std::string> arguments{"--phase", phase, "--tokens", tokens};
    results::Row row(results::table("run"), config::read_options({"run", arguments, 0}).options);
    const std::int64_t bytes = 3'200'000;  // 1 us at full bandwidth
    const double roofline_ns = intensity < 250 ? 1000 : 1000 * intensity / 250;
    row.set("hbm_read_bytes", bytes).set("hbm_write_bytes", std::int64_t{0});
    row.set("time_ns", 2 * roofline_ns);
    row.set("flops", static_cast<std::int64_t>(intensity * static_cast<double>(bytes)));
    row.set("flop_per_byte", intensity).set("ridge_flop_per_byte", 250.0);
    row.set("hbm_bandwidth_ratio", 1000 / (2 * roofline_ns));
    return row;
  }
};

TEST_F(Roofline, EveryPointAndTheRoofAreDrawn) {
  if (!has_gnuplot()) GTEST_SKIP() << "gnuplot is not installed";
  std::string text = results::csv_line(results::header_of(results::table("run")));
  text += results::csv_line(row("decode", "1", 1).cells());
  text += results::csv_line(row("prefill", "512", 500).cells());
  file("r.csv", text);
  ASSERT_EQ(draw("roofline.gp", "csv='r.csv'; out='r.svg'"), 0) << slurp(folder() / "log");
  const std::string svg = slurp(folder() / "r.svg");
  for (const char* label : {"roof of the machine", "prefill", "decode", "B=1", "T=512",
                            "peak 800 TFLOP/s", "3.20 TB/s", "ridge 250 FLOP/byte"}) {
    EXPECT_THAT(svg, HasSubstr(label));
  }
  ASSERT_EQ(draw("roofline.gp", "csv='r.csv'; out='r.png'"), 0);
  EXPECT_THAT(slurp(folder() / "r.png").substr(0, 8), HasSubstr("PNG"));
  EXPECT_EQ(slurp(folder() / "log"), "");
}

TEST_F(Roofline, ATableWithoutResultsIsAnError) {
  if (!has_gnuplot()) GTEST_SKIP() << "gnuplot is not installed";
  std::string text = results::csv_line(results::header_of(results::table("run")));
  const config::Options options = config::read_options({"run", {}, 0}).options;
  results::Row empty(results::table("run"), options);
  text += results::csv_line(empty.fail("crash", "no row").cells());
  file("r.csv", text);
  EXPECT_NE(draw("roofline.gp", "csv='r.csv'; out='r.svg'"), 0);
  EXPECT_NE(draw("roofline.gp", "csv='missing.csv'; out='r.svg'"), 0);
}

TEST_F(Pictures, StallsOfEveryStepAreDrawn) {
  if (!has_gnuplot()) GTEST_SKIP() << "gnuplot is not installed";
  const Outcome outcome =
      run({"sweep", "--model", "stories260K", "--vary", "batch=1,2", "--csv", "r.csv"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  for (const char* what : {"matrix", "hbm"}) {
    ASSERT_EQ(draw("stalls.gp", std::string("csv='r.csv'; out='s.svg'; what='") + what + '\''), 0)
        << slurp(folder() / "log");
    EXPECT_EQ(slurp(folder() / "log"), "");
    const std::string svg = slurp(folder() / "s.svg");
    EXPECT_THAT(svg, HasSubstr("teaching-80g, decode B=2 C=0"));
    EXPECT_THAT(svg, HasSubstr("busy"));
    EXPECT_THAT(svg, HasSubstr(what == std::string("hbm") ? "row_conflict" : "wait_load"));
  }
}

TEST_F(Pictures, EveryModelAndFormatHasALine) {
  if (!has_gnuplot()) GTEST_SKIP() << "gnuplot is not installed";
  std::string text = "model,context_tokens_count,kv_dtype,max_requests_count\n";
  for (const char* line : {"a-1,fp16", "a-1,fp8", "b,fp16"}) {
    const std::string name = line;
    const std::size_t comma = name.find(',');
    for (const char* point : {"1024,64", "2048,32", "4096,0"}) {
      const std::string numbers = point;
      const std::size_t middle = numbers.find(',');
      text += name.substr(0, comma) + ',' + numbers.substr(0, middle) + name.substr(comma) +
              numbers.substr(middle) + '\n';
    }
  }
  file("p.csv", text);
  ASSERT_EQ(draw("capacity.gp", "csv='p.csv'; out='p.svg'"), 0) << slurp(folder() / "log");
  EXPECT_EQ(slurp(folder() / "log"), "");
  const std::string svg = slurp(folder() / "p.svg");
  for (const char* line : {"a-1, fp16", "a-1, fp8", "b, fp16"}) EXPECT_THAT(svg, HasSubstr(line));
}

TEST_F(Pictures, PredictionsStandOverMeasurements) {
  if (!has_gnuplot()) GTEST_SKIP() << "gnuplot is not installed";
  file("v.csv",
       "family,predicted_us,measured_us\ngemm,10,11\ndecode_attention,100,90\n"
       "prefill_attention,7,7\nlinear_layer,300,290\n");
  ASSERT_EQ(draw("validation.gp", "csv='v.csv'; out='v.svg'"), 0) << slurp(folder() / "log");
  EXPECT_EQ(slurp(folder() / "log"), "");
  const std::string svg = slurp(folder() / "v.svg");
  for (const char* name : {"gemm", "linear layer", "decode attention", "prefill attention"}) {
    EXPECT_THAT(svg, HasSubstr(name));
  }
}

}  // namespace
}  // namespace ridgepoint::tests
