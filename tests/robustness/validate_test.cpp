// SPDX-License-Identifier: Apache-2.0
// The validate subcommand on made-up measurements.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/robustness/program.hpp"

namespace ridgepoint::tests {
namespace {

using ::testing::HasSubstr;

class Validate : public ProgramTest {
 protected:
  void measurements() const {
    std::filesystem::create_directories(folder() / "m");
    // The first cannot be: 2 x 8192^3 FLOP in 1 us.
    file("m/gemm.csv",
         "machine,engine,dtype,m,n,k,latency_us\n"
         "teaching-80g,e,bfloat16,64,512,512,8\n"
         "teaching-80g,e,bfloat16,1,1024,1024,4\n"
         "teaching-80g,e,bfloat16,2048,1024,1024,1\n"
         "unknown-machine,e,bfloat16,1,1024,1024,4\n");
    file("m/decode_attention.csv",
         "machine,engine,batch,kv_tokens,q_heads,kv_heads,head_dim,kv_dtype,latency_us\n"
         "teaching-80g,e,8,1000,8,2,64,float16,6\n");
  }
  void logged_blocks(const std::string& rows) const {
    std::filesystem::create_directories(folder() / "m");
    file("m/kv_blocks.csv",
         "model,gpu,dtype_kv,settings,num_gpu_blocks,block_size,kv_tokens,max_model_len\n" + rows);
  }
  // Of the first row: behind the half and two blank times.
  static std::string predicted_blocks(const std::string& out) {
    const std::string row = out.substr(out.find("meta-llama"));
    const std::size_t at = row.find(",,,") + 3;
    return row.substr(at, row.find(',', at) - at);
  }
  static long lines(const std::string& text) { return std::count(text.begin(), text.end(), '\n'); }
};

TEST_F(Validate, PredictsEveryRowAndSumsUp) {
  measurements();
  const Outcome outcome =
      run({"validate", "--measured", "m", "--csv", "v.csv", "--summary_csv", "s.csv"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const std::string rows = slurp(folder() / "v.csv");
  EXPECT_EQ(lines(rows), 5);
  EXPECT_THAT(rows, HasSubstr("teaching-80g,gemm,e bf16 m=64 n=512 k=512,in-cache,even,"));
  EXPECT_THAT(rows, HasSubstr("teaching-80g,decode_attention,e fp16 batch=8 tokens=1000 "
                              "heads=8/2 dim=64,long,even,"));
  EXPECT_THAT(outcome.err, HasSubstr("no machine 'unknown-machine': 1 rows"));
  const std::string summary = slurp(folder() / "s.csv");
  EXPECT_THAT(summary, HasSubstr("teaching-80g,gemm,in-cache,all,2,"));
  EXPECT_THAT(summary, HasSubstr("teaching-80g,gemm,over-peak,all,1,"));
  EXPECT_THAT(summary, HasSubstr("teaching-80g,decode_attention,long,all,1,"));
  // Same inputs, same bytes.
  ASSERT_EQ(run({"validate", "--measured", "m", "--csv", "w.csv"}).exit_code, 0);
  EXPECT_EQ(slurp(folder() / "w.csv"), rows);
}

TEST_F(Validate, TakesAPartAndOtherMachines) {
  measurements();
  Outcome outcome = run({"validate", "--measured", "m", "--family", "gemm", "--every", "2"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(lines(outcome.out), 3);
  outcome = run({"validate", "--measured", "m", "--most_gb", "0.001", "--family", "gemm"});
  EXPECT_EQ(lines(outcome.out), 2) << outcome.out;
  outcome = run({"validate", "--measured", "m", "--machine", "tpu-v4", "--csv", "none.csv"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("holds no row of what is asked for"));
  EXPECT_FALSE(std::filesystem::exists(folder() / "none.csv"));
  file("u.ini", "[machine]\nbase = teaching-80g\nname = unknown-machine\n");
  outcome = run({"validate", "--measured", "m", "--machine", "./u.ini"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(lines(outcome.out), 2);
  EXPECT_THAT(outcome.out, HasSubstr(",unknown-machine,gemm,"));
  // A slower launch makes every case slower: the option reaches the machine of the row.
  const Outcome slow =
      run({"validate", "--measured", "m", "--machine", "./u.ini", "--host.launch_ns", "900000"});
  EXPECT_THAT(slow.out, HasSubstr("m=1 n=1024 k=1024,in-cache,odd,90"));
}

TEST_F(Validate, ReadsLoggedBlocks) {
  logged_blocks(
      "meta-llama/Llama-2-7b-hf,teaching 80GB,fp16,util 0.9,7000,16,,4096\n"
      "meta-llama/Llama-2-7b-hf,abacus,fp16,util 0.9,7000,16,,4096\n"
      "someone/else,teaching 80GB,fp16,util 0.9,7000,16,,4096\n");
  Outcome outcome = run({"validate", "--measured", "m"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(lines(outcome.out), 2) << outcome.out;
  EXPECT_THAT(outcome.err, HasSubstr("2 rows are left out"));
  const Outcome plan = run({"plan", "--machine", "teaching-80g", "--model", "llama-2-7b",
                            "--max_batch_tokens", "4096", "--context", "4096"});
  // The count is plan's.
  const std::string blocks = predicted_blocks(outcome.out);
  EXPECT_GT(std::stoi(blocks), 7000);
  EXPECT_THAT(plan.out, HasSubstr("," + blocks + ","));
  outcome =
      run({"validate", "--measured", "m", "--family", "kv_blocks", "--csv", "m/kv_blocks.csv"});
  EXPECT_EQ(outcome.exit_code, 2);
}

// A machine of a file has its own name, and its own memory.
TEST_F(Validate, ReadsLoggedBlocksOfAMachineFile) {
  logged_blocks(
      "meta-llama/Llama-2-7b-hf,teaching 80GB,fp16,util 0.9,7000,16,,4096\n"
      "meta-llama/Llama-2-7b-hf,My Card 40GB,fp16,util 0.9,2000,16,,4096\n");
  file("u.ini", "[machine]\nbase = teaching-80g\nname = my-card\nmemory_gib = 40\n");
  const Outcome outcome = run({"validate", "--measured", "m", "--machine", "./u.ini"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(lines(outcome.out), 2) << outcome.out;
  EXPECT_THAT(outcome.out, HasSubstr(",my-card,kv_blocks,"));
  const Outcome plan = run({"plan", "--machine", "./u.ini", "--model", "llama-2-7b",
                            "--max_batch_tokens", "4096", "--context", "4096"});
  EXPECT_THAT(plan.out, HasSubstr("," + predicted_blocks(outcome.out) + ","));
}

TEST_F(Validate, RefusesBadInput) {
  EXPECT_EQ(run({"validate"}).exit_code, 2);
  EXPECT_EQ(run({"validate", "--measured", "nowhere"}).exit_code, 2);
  std::filesystem::create_directories(folder() / "m");
  file("m/gemm.csv", "machine,engine,dtype,m,n,k,latency_us\nteaching-80g,e,bfloat16,1,x,64,8\n");
  const Outcome outcome = run({"validate", "--measured", "m"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("gemm.csv:2:27"));
  EXPECT_EQ(lines(outcome.err), 1);
  // A time so short that only a slip of the pen can mean it.
  file("m/gemm.csv",
       "machine,engine,dtype,m,n,k,latency_us\nteaching-80g,e,bfloat16,1,64,64,1e-9\n");
  EXPECT_THAT(run({"validate", "--measured", "m"}).err, HasSubstr("gemm.csv:2:33: 'latency_us'"));
}

TEST_F(Validate, NeverWritesOverTheMeasurements) {
  measurements();
  const std::string gemm = slurp(folder() / "m" / "gemm.csv");
  std::filesystem::create_symlink("gemm.csv", folder() / "m" / "link.csv");
  for (const char* option : {"--csv", "--summary_csv"}) {
    // The last is not there yet, but the next run would read it.
    for (const char* path : {"m/gemm.csv", "./m/../m/gemm.csv", "m/link.csv",
                             "m/decode_attention.csv", "m/linear_layer.csv"}) {
      const Outcome outcome = run({"validate", "--measured", "m", option, path});
      EXPECT_EQ(outcome.exit_code, 2) << option << ' ' << path;
      EXPECT_THAT(outcome.err, HasSubstr("is also a file to read")) << path;
    }
  }
  EXPECT_EQ(slurp(folder() / "m" / "gemm.csv"), gemm);
  EXPECT_FALSE(std::filesystem::exists(folder() / "m" / "linear_layer.csv"));
  // Other files of the folder may be written, again and again.
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(
        run({"validate", "--measured", "m", "--family", "gemm", "--csv", "m/v.csv"}).exit_code, 0);
  }
}

}  // namespace
}  // namespace ridgepoint::tests
