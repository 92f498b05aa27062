// SPDX-License-Identifier: Apache-2.0
#include "results/compare.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "results/csv_writer.hpp"
#include "results/text_table.hpp"
#include "sim/config/read_options.hpp"
#include "sim/core/error.hpp"

namespace ridgepoint::results {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class CompareTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ =
        std::filesystem::temp_directory_path() / ("ridgepoint_compare_" + std::to_string(getpid()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string file(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name, std::ios::binary) << text;
    return folder_ / name;
  }
  std::string error_of(const CompareRequest& request) const {
    try {
      compare_tables(request);
    } catch (const core::InputError& error) {
      return error.what();
    }
    return "no error";
  }
  std::filesystem::path folder_;
};

TEST_F(CompareTest, RowsAreAlignedOnKeysWhateverTheirOrder) {
  const std::string a = file("a.csv", "k,x,y\n1,10,0\n2,20,\n3,30,5\n");
  const std::string b = file("b.csv", "y,k,x\n,2,21\n0,1,10\n4,4,4\n");
  const CompareResult result = compare_tables({{a, b}, {"k"}, {}});
  ASSERT_EQ(result.rows.size(), 6U);
  EXPECT_THAT(result.rows[0].values, ElementsAre("10", "10"));
  EXPECT_EQ(result.rows[0].ratios[0], 1.0);
  EXPECT_EQ(result.rows[1].ratios[0], 1.0) << "zero and zero are equal";
  EXPECT_EQ(result.rows[2].ratios[0], 21.0 / 20);
  EXPECT_EQ(result.rows[3].ratios[0], std::nullopt) << "blank is not a number";
  EXPECT_EQ(result.rows[4].ratios[0], std::nullopt);
  EXPECT_TRUE(std::isinf(result.largest_change));
  EXPECT_THAT(result.missing,
              ElementsAre(HasSubstr("b.csv has no row k=3"), HasSubstr("a.csv has no row k=4")));
}

TEST_F(CompareTest, KeysComeFromTheTableAndTheAxes) {
  const config::Options options =
      config::read_options({"run", std::vector<std::string>{"--batch", "2"}}).options;
  Row row(table("run"), options);
  row.set("time_ns", 5.0).set("bound", "compute");
  std::vector<std::string> header = header_of(table("run"));
  std::vector<std::string> cells = row.cells();
  header.insert(header.begin() + 5, {"point", "core_clock_mhz"});
  cells.insert(cells.begin() + 5, {"0", "1500"});
  const std::string a = file("a.csv", csv_line(header) + csv_line(cells));
  const CompareResult result = compare_tables({{a, a}, {}, {}});
  EXPECT_THAT(
      result.key_names,
      ElementsAre("core_clock_mhz", "machine", "model", "phase", "batch_count", "new_tokens_count",
                  "context_tokens_count", "weight_dtype", "kv_dtype", "act_dtype"));
  ASSERT_EQ(result.rows.size(), 1U);
  EXPECT_EQ(result.rows[0].column, "time_ns");
  EXPECT_EQ(result.largest_change, 0);
}

TEST_F(CompareTest, ErrorsNameWhatIsWrong) {
  const std::string a = file("a.csv", "k,x\n1,10\n1,20\n");
  const std::string b = file("b.csv", "k,x\n1,ten\n");
  EXPECT_THAT(error_of({{a}, {"k"}, {}}), HasSubstr("needs two files"));
  EXPECT_THAT(error_of({{a, a}, {}, {}}), HasSubstr("--keys"));
  EXPECT_THAT(error_of({{a, a}, {"k"}, {}}), HasSubstr("a.csv:3: is a second row with k=1"));
  EXPECT_THAT(error_of({{a, a}, {"z"}, {}}), HasSubstr("'z': is a missing column"));
  EXPECT_THAT(error_of({{b, b}, {"k"}, {"x"}}), HasSubstr("b.csv:2:3: 'x': value 'ten'"));
}

TEST(TextTable, AlignsNumbersRightAndTextLeft) {
  const std::vector<TextRow> rows{{"a", "1"}, {"long", "23.5"}, {"µs", ""}};
  EXPECT_EQ(aligned_table({"name", "value"}, rows),
            "name  value\n"
            "a         1\n"
            "long   23.5\n"
            "µs\n");
  EXPECT_EQ(markdown_table({"name", "value"}, std::vector<TextRow>{{"a|b", "+1.00%"}}),
            "| name | value |\n|---|---:|\n| a\\|b | +1.00% |\n");
}

}  // namespace
}  // namespace ridgepoint::results
