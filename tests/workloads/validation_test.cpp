// SPDX-License-Identifier: Apache-2.0
// Reading measurements, the work of a case, and the arithmetic of errors. All rows are made up.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "sim/core/error.hpp"
#include "tests/workloads/shared_files.hpp"
#include "workloads/models/registry.hpp"
#include "workloads/validation/cases.hpp"
#include "workloads/validation/errors.hpp"
#include "workloads/validation/kv_blocks.hpp"
#include "workloads/validation/measured.hpp"

namespace ridgepoint::workloads {
namespace {

using ::testing::HasSubstr;

std::vector<MeasuredRow> read(MeasuredFamily family, const std::string& text) {
  return read_measured(family, core::TextLines::from_text("m.csv", text));
}

std::string error_of(MeasuredFamily family, const std::string& text) {
  try {
    read(family, text);
  } catch (const core::InputError& error) {
    return error.what();
  }
  return "no error";
}

const std::string kGemmHeader = "machine,engine,dtype,m,n,k,latency_us\n";
const std::string kDecodeHeader =
    "machine,engine,batch,kv_tokens,q_heads,kv_heads,head_dim,kv_dtype,latency_us\n";

MeasuredRow gemm(std::int64_t m, std::int64_t n, std::int64_t k) {
  MeasuredRow row;
  row.m = m;
  row.n = n;
  row.k = k;
  return row;
}

TEST(Measured, ReadsEveryColumnByName) {
  const auto rows = read(MeasuredFamily::kGemm,
                         "latency_us,k,n,m,dtype,engine,machine,note\n"
                         "12.5,256,512,3,bfloat16,e,mm,x\r\n"
                         "7,256,512,4,fp8,e,mm,\n");
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].machine, "mm");
  EXPECT_EQ(rows[0].m, 3);
  EXPECT_EQ(rows[0].n, 512);
  EXPECT_EQ(rows[0].k, 256);
  EXPECT_EQ(rows[0].measured_us, 12.5);
  EXPECT_EQ(rows[0].case_name(), "e bf16 m=3 n=512 k=256");
  EXPECT_EQ(rows[1].dtype, core::DType::kFp8);
  const auto decode =
      read(MeasuredFamily::kDecodeAttention, kDecodeHeader + "mm,e,2,100,8,2,64,float16,3.5\n");
  EXPECT_EQ(decode[0].case_name(), "e fp16 batch=2 tokens=100 heads=8/2 dim=64");
}

TEST(Measured, NumbersShapesWhateverMachineAndEngine) {
  const auto rows = read(MeasuredFamily::kGemm, kGemmHeader +
                                                    "a,e,bfloat16,1,64,64,5\n"
                                                    "a,f,float16,1,64,64,5\n"
                                                    "a,e,bfloat16,2,64,64,5\n"
                                                    "b,e,bfloat16,2,64,64,5\n"
                                                    "b,e,bfloat16,1,64,64,5\n"
                                                    "b,e,bfloat16,1,64,32,5\n");
  std::vector<std::int64_t> shapes;
  for (const MeasuredRow& row : rows) shapes.push_back(row.shape);
  EXPECT_EQ(shapes, (std::vector<std::int64_t>{0, 0, 1, 1, 0, 2}));
}

TEST(Measured, NamesThePlaceOfABadCell) {
  const auto gemm_error = [](const std::string& row) {
    return error_of(MeasuredFamily::kGemm, kGemmHeader + "mm,e,bfloat16,1,64,64,5\n" + row);
  };
  EXPECT_THAT(gemm_error("mm,e,bfloat16,0,64,64,5\n"), HasSubstr("m.csv:3:15"));
  EXPECT_THAT(gemm_error("mm,e,bfloat16,2.5,64,64,5\n"), HasSubstr("m.csv:3:15"));
  EXPECT_THAT(gemm_error("mm,e,bfloat16,2,,64,5\n"), HasSubstr("m.csv:3:17"));
  EXPECT_THAT(gemm_error("mm,e,bf17,2,64,64,5\n"), HasSubstr("m.csv:3:6"));
  EXPECT_THAT(gemm_error(",e,bfloat16,2,64,64,5\n"), HasSubstr("m.csv:3:1"));
  for (const char* const time : {"0", "-1", "nan", "inf", "1e10", "5us", ""}) {
    EXPECT_THAT(gemm_error("mm,e,bfloat16,2,64,64," + std::string(time) + "\n"),
                HasSubstr("m.csv:3:23"))
        << time;
  }
  EXPECT_THAT(gemm_error("mm,e,bfloat16,2,64,64\n"), HasSubstr("m.csv:3"));
}

TEST(Measured, RefusesWhatMakesNoSense) {
  EXPECT_THAT(error_of(MeasuredFamily::kGemm, "machine,engine,dtype,m,n,k\n"),
              HasSubstr("latency_us"));
  EXPECT_THAT(error_of(MeasuredFamily::kGemm, ""), HasSubstr("m.csv"));
  EXPECT_THAT(error_of(MeasuredFamily::kGemm,
                       kGemmHeader + "mm,e,bfloat16,1,64,64,5\n" + "mm,e,bfloat16,1,64,64,6\n"),
              HasSubstr("twice"));
  EXPECT_THAT(
      error_of(MeasuredFamily::kDecodeAttention, kDecodeHeader + "mm,e,2,100,8,3,64,float16,3.5\n"),
      HasSubstr("m.csv:2:12"));
  EXPECT_THROW(read_measured_folder("/nonexistent-folder"), core::InputError);
}

const std::string kBlocksHeader =
    "model,gpu,dtype_kv,settings,num_gpu_blocks,block_size,kv_tokens,max_model_len\n";

TEST(LoggedBlocks, ReadsSettingsAndTokens) {
  const testing_files::TempFile file(
      "b.csv", kBlocksHeader +
                   "m/a,g,fp16,util 0.8 tp1 mbt 512 seqs 64,100,16,1600,4096\n"
                   "m/a,g,fp8,,,16,1615,4096\n"
                   "m/a,g,bf16,eager,7,32,,\n");
  const auto rows = read_logged_blocks(file.path());
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[0].utilization, 0.8);
  EXPECT_EQ(rows[0].max_batch_tokens, 512);
  EXPECT_EQ(rows[0].max_num_seqs, 64);
  EXPECT_EQ(rows[0].blocks, 100);
  EXPECT_EQ(rows[1].blocks, 100);  // whole blocks of the tokens
  EXPECT_EQ(rows[1].max_batch_tokens, 4096);
  EXPECT_EQ(rows[1].kv_dtype, core::DType::kFp8);
  EXPECT_FALSE(rows[2].utilization || rows[2].max_batch_tokens || rows[2].max_num_seqs);
  file.write(kBlocksHeader + "m,g,fp16,util much,100,16,1600,4096\n");
  EXPECT_THROW(read_logged_blocks(file.path()), core::InputError);
  file.write(kBlocksHeader + "m,g,fp16,,,16,,4096\n");
  EXPECT_THROW(read_logged_blocks(file.path()), core::InputError);
}

TEST(LoggedBlocks, FindsRegisteredNames) {
  const std::vector<std::string> names{"a100-80g", "mi300x", "rtx-4090", "llama-3-8b", "phi-4"};
  EXPECT_EQ(registered_name("A100-80GB (a README lists A100)", names), "a100-80g");
  EXPECT_EQ(registered_name("MI300X 192GB", names), "mi300x");
  EXPECT_EQ(registered_name("RTX 4090 24GB (25250627584 B)", names), "rtx-4090");
  EXPECT_EQ(registered_name("meta-llama/Meta-Llama-3-8B-Instruct", names), "llama-3-8b");
  // Other hardware, other shapes.
  for (const char* const other : {"RTX 3090 24GB", "4xA100 tp4", "Phi-4-mini", "", "A100"}) {
    EXPECT_EQ(registered_name(other, names), "") << other;
  }
}

TEST(LoggedBlocks, ArePredictedAsByPlan) {
  const ModelShape& shape = find_model("llama-2-7b");
  CapacityInput input;
  input.memory_bytes = std::int64_t{80} << 30;
  input.context_tokens = 4096;
  LoggedBlocks logged;
  EXPECT_EQ(predicted_blocks(logged, shape, input), realistic_capacity(shape, input).kv_blocks);
  logged.utilization = input.utilization = 0.5;
  logged.kv_dtype = input.kv_dtype = core::DType::kFp8;
  logged.max_batch_tokens = input.max_batch_tokens = 8192;
  const std::int64_t blocks = realistic_capacity(shape, input).kv_blocks;
  input.utilization = 0.9;
  EXPECT_EQ(predicted_blocks(logged, shape, input), blocks);
}

TEST(MeasuredWork, IsTheDefinition) {
  const CaseWork work = measured_work(gemm(3, 512, 256));
  EXPECT_EQ(work.flops, 2.0 * 3 * 512 * 256);
  EXPECT_EQ(work.bytes, 2.0 * (512 * 256 + 3 * 256 + 3 * 512));
  MeasuredRow row;
  row.family = MeasuredFamily::kDecodeAttention;
  row.batch = 2;
  row.tokens = 99;
  row.q_heads = 8;
  row.kv_heads = 2;
  row.head_dim = 64;
  EXPECT_EQ(measured_work(row).flops, 4.0 * 2 * 8 * 64 * 100);
  row.family = MeasuredFamily::kPrefillAttention;
  EXPECT_EQ(measured_work(row).flops, 4.0 * 2 * 8 * 64 * (99 * 100 / 2));
}

TEST(MeasuredWork, KernelsDoThatWork) {
  isa::CoreShape shape;
  shape.cores = 4;
  shape.scratchpad_bytes = 1 << 20;
  shape.accumulator_bytes = 1 << 20;
  const auto linear = measured_case(shape, gemm(3, 512, 256), 1 << 20);
  ASSERT_EQ(linear.size(), 1u);
  EXPECT_EQ(linear[0].flops, measured_work(gemm(3, 512, 256)).flops);
  MeasuredRow row;
  row.family = MeasuredFamily::kPrefillAttention;
  row.batch = 2;
  row.tokens = 99;
  row.q_heads = 8;
  row.kv_heads = 2;
  row.head_dim = 64;
  const auto attention = measured_case(shape, row, 1 << 24);
  ASSERT_EQ(attention.size(), 1u);
  EXPECT_EQ(attention[0].flops, measured_work(row).flops);
  EXPECT_THROW(measured_case(shape, row, 1 << 12), core::InputError);
  MeasuredRow layer;
  layer.family = MeasuredFamily::kLinearLayer;
  layer.source = "Llama-2-7b-hf";
  layer.m = 5;
  // 4 d d + 3 d f multiply-adds per token.
  EXPECT_EQ(measured_work(layer).flops, 2.0 * 5 * (4 * 4096.0 * 4096 + 3 * 4096.0 * 11008));
  EXPECT_EQ(measured_case(shape, layer, 1 << 30).size(), 4u);
  layer.source = "no-such-model";
  EXPECT_THROW(measured_case(shape, layer, 1 << 30), core::InputError);
}

TEST(MeasuredWork, HasSizeClasses) {
  EXPECT_EQ(size_class_of(gemm(64, 512, 256), 1000), "m<=64");
  EXPECT_EQ(size_class_of(gemm(65, 512, 256), 1000), "m>64");
  EXPECT_EQ(size_class_of(gemm(65, 512, 256), 2 * 512 * 256), "in-cache");
  MeasuredRow row;
  row.family = MeasuredFamily::kDecodeAttention;
  row.batch = 8;
  row.tokens = 1000;
  EXPECT_EQ(size_class_of(row, 0), "long");
  row.batch = 7;
  EXPECT_EQ(size_class_of(row, 0), "short");
  row.family = MeasuredFamily::kPrefillAttention;
  EXPECT_EQ(size_class_of(row, 0), "long");
  row.tokens = 999;
  EXPECT_EQ(size_class_of(row, 0), "short");
}

TEST(Errors, QuantilesAreLinearBetweenOrderStatistics) {
  const double values[] = {-0.4, 0.1, 0.2, -0.3};
  EXPECT_DOUBLE_EQ(absolute_quantile(values, 0.0), 0.1);
  EXPECT_DOUBLE_EQ(absolute_quantile(values, 0.5), 0.25);
  EXPECT_DOUBLE_EQ(absolute_quantile(values, 0.9), 0.37);
  EXPECT_DOUBLE_EQ(absolute_quantile(values, 1.0), 0.4);
  EXPECT_DOUBLE_EQ(error_ratio(9, 10), 9.0 / 10 - 1);
  EXPECT_THROW(absolute_quantile({}, 0.5), core::CheckError);
}

TEST(Errors, SummaryHasTheWholeAndBothHalves) {
  const std::vector<ErrorSample> samples{{"b", "gemm", "m>64", 0, -0.10},
                                         {"b", "gemm", "m>64", 1, 0.30},
                                         {"b", "gemm", "m>64", 0, 0.20},
                                         {"a", "gemm", "m>64", 0, 0.50}};
  const auto summaries = summarize(samples);
  ASSERT_EQ(summaries.size(), 5u);
  EXPECT_EQ(summaries[0].machine, "a");
  EXPECT_EQ(summaries[0].half, "all");
  EXPECT_EQ(summaries[1].half, "even");
  EXPECT_EQ(summaries[2].machine, "b");
  EXPECT_EQ(summaries[2].rows, 3);
  EXPECT_DOUBLE_EQ(summaries[2].median, 0.20);
  EXPECT_DOUBLE_EQ(summaries[2].p90, 0.28);
  EXPECT_DOUBLE_EQ(summaries[2].bias, 0.20);
  EXPECT_EQ(summaries[2].least, -0.10);
  EXPECT_EQ(summaries[2].most, 0.30);
  EXPECT_EQ(summaries[3].rows, 2);
  EXPECT_DOUBLE_EQ(summaries[3].median, 0.15);
  EXPECT_EQ(summaries[4].half, "odd");
  EXPECT_EQ(summaries[4].rows, 1);
}

}  // namespace
}  // namespace ridgepoint::workloads
