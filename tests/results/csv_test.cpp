// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "results/csv_reader.hpp"
#include "results/csv_writer.hpp"
#include "sim/config/read_options.hpp"
#include "sim/core/error.hpp"

namespace ridgepoint::results {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class Csv : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ =
        std::filesystem::temp_directory_path() / ("ridgepoint_csv_" + std::to_string(getpid()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string file(const std::string& text) {
    const std::string path = folder_ / "t.csv";
    std::ofstream(path, std::ios::binary) << text;
    return path;
  }
  std::size_t files_in_folder() const {
    return static_cast<std::size_t>(
        std::distance(std::filesystem::directory_iterator(folder_), {}));
  }
  std::string error_of(const std::string& text) {
    try {
      CsvReader reader(file(text));
      while (reader.next()) reader.real("b");
    } catch (const core::InputError& error) {
      const std::string what = error.what();
      return what.substr(std::min(what.size(), folder_.string().size() + 1));
    }
    return "no error";
  }
  std::filesystem::path folder_;
};

std::string slurp(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST_F(Csv, ReadsWhatItWrites) {
  const std::vector<std::string> header{"a", "b", "c"};
  const std::vector<std::string> fields{"plain", "with, comma and \"quotes\"", ""};
  const std::string path = folder_ / "out.csv";
  std::ostringstream unused;
  TableWriter writer(header, path, unused);
  writer.add(fields);
  writer.finish();
  EXPECT_EQ(slurp(path), "a,b,c\nplain,\"with, comma and \"\"quotes\"\"\",\n");
  CsvReader reader(path);
  EXPECT_EQ(reader.header(), header);
  ASSERT_TRUE(reader.next());
  EXPECT_EQ(reader.texts(), fields);
  EXPECT_FALSE(reader.next());
  EXPECT_EQ(files_in_folder(), 1U);
}

TEST_F(Csv, ReadsCarriageReturnsByteOrderMarksAndAMissingLastNewline) {
  CsvReader reader(
      file("\xEF\xBB\xBF"
           "a,b\r\n1,2.5\r\n-3,"));
  EXPECT_THAT(reader.header(), ElementsAre("a", "b"));
  ASSERT_TRUE(reader.next());
  EXPECT_EQ(reader.integer("a"), 1);
  EXPECT_EQ(reader.real("b"), 2.5);
  ASSERT_TRUE(reader.next());
  EXPECT_EQ(reader.line(), 3U);
  EXPECT_EQ(reader.integer("a"), -3);
  EXPECT_EQ(reader.real("b"), std::nullopt) << "blank is not zero";
  EXPECT_FALSE(reader.next());
}

TEST_F(Csv, ErrorsNameFileLineAndColumn) {
  EXPECT_THAT(error_of("a,b\n1,x\n"), HasSubstr("t.csv:2:3: 'b': value 'x' is not a number"));
  EXPECT_THAT(error_of("a,b\n1,2\n1,nan\n"), HasSubstr("t.csv:3:3: 'b': value 'nan' is not a"));
  EXPECT_THAT(error_of("a,b\n1,1e400\n"), HasSubstr("outside the range"));
  EXPECT_THAT(error_of("a,b\n1\n"), HasSubstr("t.csv:2:2: row has 1 cells; accepted: 2"));
  EXPECT_THAT(error_of("a,b\n1,2,3\n"), HasSubstr("t.csv:2:5: row has 3 cells"));
  EXPECT_THAT(error_of("a,b\n1,\"2\n"), HasSubstr("t.csv:2:3: unclosed quote"));
  EXPECT_THAT(error_of("a,b\n1,2\"\n"), HasSubstr("t.csv:2:3: 'b': value '2\"' is not a number"));
  EXPECT_THAT(error_of("a,a\n1,2\n"), HasSubstr("t.csv:1:3: 'a': column appears twice"));
  EXPECT_THAT(error_of("a,c\n1,2\n"), HasSubstr("t.csv:1: 'b': is a missing column"));
  EXPECT_THAT(error_of(""), HasSubstr("t.csv: empty file"));
  EXPECT_THAT(error_of(std::string("a,b\n1,\0002\n", 9)), HasSubstr("t.csv:2:3: NUL byte"));
  EXPECT_THROW(CsvReader(folder_ / "missing.csv"), core::InputError);
  EXPECT_THROW(CsvReader{folder_.string()}, core::InputError);
}

TEST_F(Csv, NothingIsLeftOfAFileThatIsNotCommitted) {
  const std::string path = folder_ / "t.csv";
  std::ofstream(path) << "old\n";
  {
    OutputFile output(path);
    output.write("half");
    EXPECT_EQ(slurp(path), "old\n");
  }
  EXPECT_EQ(slurp(path), "old\n");
  EXPECT_EQ(files_in_folder(), 1U);
  OutputFile output(path);
  output.write("new\n");
  output.commit();
  EXPECT_EQ(slurp(path), "new\n");
  EXPECT_EQ(files_in_folder(), 1U);
}

TEST_F(Csv, ClearErrorsWhereNothingCanBeWritten) {
  const auto error = [](const std::string& path) -> std::string {
    try {
      OutputFile output(path);
      output.write(std::string(1 << 16, 'x'));
      output.commit();
    } catch (const core::InputError& caught) {
      return caught.what();
    }
    return "no error";
  };
  EXPECT_THAT(error(folder_ / "no" / "t.csv"), HasSubstr("No such file or directory"));
  EXPECT_THAT(error(folder_), HasSubstr("it is a folder"));
  EXPECT_THAT(error("/dev/full"), HasSubstr("No space left on device"));
}

TEST(Columns, NamesAreUniqueSnakeCaseAndNumbersHaveUnits) {
  for (const Table& one : tables()) {
    std::vector<std::string> seen;
    for (const Column& column : all_columns(one)) {
      SCOPED_TRACE(std::string(one.kind) + '.' + std::string(column.name));
      EXPECT_EQ(std::count(seen.begin(), seen.end(), column.name), 0);
      seen.emplace_back(column.name);
      EXPECT_EQ(column.name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_"),
                std::string_view::npos);
      EXPECT_FALSE(column.meaning.empty());
      // The unit of a benchmark's value stands in its column `metric`.
      if (column.type != CellType::kText && column.name != "seed" && column.name != "value") {
        EXPECT_FALSE(unit_of(column.name).empty());
      }
    }
  }
}

TEST(Rows, OptionsFillTheirColumnsAndUnsetCellsAreBlank) {
  const std::vector<std::string> arguments{"--machine", "h100", "--batch", "8", "--seed", "7"};
  const config::Options options = config::read_options({"run", arguments, 0}).options;
  Row row(table("run"), options);
  EXPECT_EQ(row.text("schema"), "run/1");
  EXPECT_EQ(row.text("machine"), "h100");
  EXPECT_EQ(row.text("batch_count"), "8");
  EXPECT_EQ(row.text("seed"), "7");
  EXPECT_EQ(row.text("config_sha256"), options.sha256());
  EXPECT_EQ(row.text("time_ns"), "");
  row.set("time_ns", 2.5).set("cycles", std::int64_t{4}).set("bound", "bandwidth");
  EXPECT_EQ(row.text("time_ns"), "2.5");
  EXPECT_THROW(row.set("cycles", 1.0), std::logic_error);
  EXPECT_THROW(row.set("time_ns", std::nan("")), std::logic_error);
  EXPECT_THROW(row.set("no_such", 1.0), std::logic_error);
  EXPECT_EQ(row.cells().size(), header_of(table("run")).size());
}

}  // namespace
}  // namespace ridgepoint::results
