// SPDX-License-Identifier: Apache-2.0
// Every bad input: one line on standard error, exit code 2, nothing on standard output, no file.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/robustness/refused.hpp"

namespace ridgepoint::tests {
namespace {

using ::testing::HasSubstr;

class BadInput : public Refused {};
TEST_P(BadInput, IsOneLineAndExitCodeTwo) { EXPECT_TRUE(is_refused(GetParam())); }

const std::vector<Case>& usage_cases() {
  static const std::vector<Case> cases{
      {"nothing", {}, "no subcommand"},
      {"unknown_subcommand", {"swep"}, "did you mean 'sweep'?"},
      {"flag_first", {"--batch", "1"}, "is no subcommand"},
      {"empty_argument", {""}, "is no subcommand"},
      {"list_of_what", {"list"}, "accepted: machines, models"},
      {"list_unknown", {"list", "machine"}, "did you mean 'machines'?"},
      {"list_two", {"list", "machines", "models"}, "'models' is an unexpected argument"},
      {"unknown_flag", {"list", "machines", "--sed=1"}, "'--sed': is unknown"},
      {"short_flag", {"list", "machines", "-q"}, "'-q' is an unexpected argument"},
      {"switch_value", {"list", "machines", "--quiet=maybe"}, "accepted: true, false"},
      {"flag_twice", {"list", "machines", "--quiet", "--quiet"}, "is given twice"},
      {"missing_value", {"list", "machines", "--csv"}, "'--csv': needs a value"},
      {"empty_value", {"list", "machines", "--csv="}, "'--csv': needs a value"},
      {"missing_folder", {"list", "machines", "--csv", "no/such/f.csv"}, "No such file"},
      {"folder_as_file", {"list", "machines", "--csv", "."}, "it is a folder"},
      {"full_device", {"list", "machines", "--csv", "/dev/full"}, "No space left"},
      {"output_is_input",
       {"run", "--model", "stories260K", "--config", "in.ini", "--csv", "./in.ini"},
       "is also the file of",
       "[run]\nbatch=2\n"},
      {"output_twice",
       {"run", "--model", "stories260K", "--csv", "t.csv", "--kernels-csv", "./t.csv"},
       "is also the file of"},
      {"output_is_positional",
       {"trace", "info", "in.ini", "--csv", "in.ini"},
       "is also a file to read",
       "arrived_at,num_prefill_tokens,num_decode_tokens\n0,1,1\n"},
      {"options_without_end", {"run", "--config", "/dev/zero"}, "is too large"},
      {"machine_without_end", {"run", "--machine", "/dev/zero"}, "is too large"},
      {"suite_without_end", {"sweep", "/dev/zero"}, "is too large"},
      {"suggests_itself",
       {"sweep", "--vary", "csv=a,b"},
       "cannot vary in 'run', where it changes no result; accepted"},
      {"section_with_blanks",
       {"plan", "--config", "in.ini"},
       "'core.count'",
       "[ core ]\ncount=x\n"},
      {"model_of_a_file",
       {"plan", "--config", "in.ini"},
       "in.ini:2: 'run.model'",
       "[run]\nmodel=none\n"},
      {"machine_key_of_a_file",
       {"plan", "--config", "in.ini"},
       "in.ini:2: machine 'teaching-80g': 'core.accumulator_kib'",
       "[core]\naccumulator_kib=99999\n"},
      {"memory_key_of_a_file",
       {"dram", "--config", "in.ini"},
       "in.ini:2: machine 'teaching-80g': 'hbm.write_high': value '65'",
       "[hbm]\nwrite_high=65\n"},
      {"rate_of_no_pin",
       {"dram", "--hbm.target_gb_per_s", "1"},
       "'--hbm.target_gb_per_s': value '1' is outside HBM3 in 80 channels; accepted: 2048 .. 4096"},
      {"timing_out_of_range", {"dram", "--hbm.timing", "tRP=-1"}, "'--hbm.timing': value 'tRP=-1'"},
      {"queue_below_a_piece",
       {"run", "--core.store_queue_bytes", "64"},
       "'--core.store_queue_bytes': value '64' is below fabric.piece_bytes; accepted: 4096"},
      {"no_room_for_tiles",
       {"run", "--machine", "a100-80g", "--model", "llama-3-70b", "--assume-fits", "--phase",
        "decode", "--core.scratchpad_kib", "18", "--core.accumulator_kib", "2"},
       "machine 'a100-80g': kernel 'embedding': core.accumulator_kib (2 KiB) and "
       "core.scratchpad_kib (18 KiB) do not hold its smallest tiles beside an array of 16 columns; "
       "accepted: core.scratchpad_kib 96 KiB or more"},
      {"no_room_for_served_tiles",
       {"serve", "--machine", "a100-80g", "--model", "deepseek-v2-lite", "--trace",
        "synthetic-chat", "--core.scratchpad_kib", "18", "--core.accumulator_kib", "2"},
       "core.accumulator_kib 3 KiB and core.scratchpad_kib 65 KiB or more"},
      {"standard_of_a_file",
       {"dram", "--config", "in.ini"},
       "in.ini:2: machine 'teaching-80g': 'hbm.standard': value 'foo' is not known",
       "[hbm]\nstandard=foo\n"},
      {"prompt_of_any_bytes",
       {"generate", "--prompt", "a\xff"},
       "'--prompt': value 'a\\xff' is not UTF-8"},
      {"bytes_of_any_kind", {"list", "a\xff\xc2\x9b"}, "'a\\xff\\xc2\\x9b'"},
      {"idle_for_hours",
       {"dram", "--trace", "in.ini"},
       "in.ini:2:6: 'time_ns': value '1000000001' is too long after the line above; accepted: up "
       "to "
       "1000000000: gaps of at most 1e9 ns",
       "0 R 0\n64 W 1000000001\n"},
      {"control_characters", {"list", "a\nb\x1b[31m"}, "a\\x0ab\\x1b"},
  };
  return cases;
}

// One option of every kind of condition, and those that depend on more than options.
const std::vector<Case>& unused_cases() {
  static const std::vector<Case> cases{
      {"needs_a_value", {"dram", "--stride", "64"}, "accepted: --pattern strided beside it"},
      {"needs_values", {"dram", "--streams", "4"}, "accepted: --pattern streams or paged_kv"},
      {"needs_an_option", {"generate", "--top-p", "0.5"}, "accepted: --temperature beside it"},
      {"needs_prompts", {"serve", "--weights", "no.bin"}, "accepted: --prompts beside it"},
      {"needs_absence",
       {"dram", "--trace", "in.ini", "--bytes", "64"},
       "'--bytes': value '64' would change nothing; accepted: no --trace beside it",
       "0 R\n"},
      {"needs_open_loop",
       {"serve", "--rate", "5", "--closed-loop", "3"},
       "'--rate': value '5' would change nothing; accepted: --closed-loop 0 beside it"},
      {"needs_arrivals", {"serve", "--time-scale", "5", "--closed-loop", "3"}, "--closed-loop 0"},
      {"needs_no_rate", {"serve", "--time-scale", "5", "--rate", "3"}, "accepted: no --rate"},
      {"needs_experts",
       {"run", "--model", "stories260K", "--expert-skew", "1"},
       "stories260K has no experts"},
      {"needs_action", {"trace", "make", "--from-s", "5"}, "change nothing in trace make"},
      {"needs_other_action",
       {"trace", "info", "in.ini", "--requests", "5"},
       "change nothing in trace info",
       "arrived_at,num_prefill_tokens,num_decode_tokens\n0,1,1\n"},
  };
  return cases;
}

const std::vector<Case>& simulation_cases() {
  static const std::vector<Case> cases{
      {"machine_unknown", {"run", "--machine", "h10"}, "did you mean 'h100'?"},
      {"machine_no_file", {"run", "--machine", "no.ini"}, "no.ini: cannot be read"},
      {"machine_incomplete",
       {"run", "--machine", "./in.ini"},
       "./in.ini: 'core.count': is missing",
       "[machine]\nname=x\nmemory_gib=80\n"},
      {"machine_key",
       {"run", "--machine", "./in.ini"},
       "./in.ini:4: 'core.cuont': is no key",
       "[machine]\nname=x\n[core]\ncuont=1\n"},
      {"machine_negative",
       {"run", "--machine", "./in.ini"},
       "./in.ini:4: 'core.count': value '-1'",
       "[machine]\nname=x\n[core]\ncount=-1\n"},
      {"machine_no_tile", {"run", "--core.scratchpad_kib", "1"}, "machine 'teaching-80g'"},
      {"machine_sync", {"run", "--fabric.sync_latency_ns", "1"}, "fabric.sync_latency_ns"},
      {"dram_unknown", {"run", "--hbm.standard", "HBM99"}, "'HBM99'"},
      {"dram_too_fast", {"run", "--hbm.pin_rate_gbps", "50"}, "pin_rate_gbps"},
      {"dram_timing", {"run", "--hbm.timing", "tNONE=1"}, "tNONE"},
      {"model_unknown", {"run", "--model", "lama-2-7b"}, "did you mean 'llama-2-7b'?"},
      {"context_beyond", {"run", "--model", "gpt2-small", "--context", "1024"}, "at most 1024"},
      {"prompt_beyond",
       {"run", "--model", "gpt2-small", "--phase", "prefill", "--tokens", "1025"},
       "at most 1024"},
      {"weights_too_large", {"run", "--model", "llama-3.1-405b"}, "does not fit the memory"},
      {"cache_too_large",
       {"run", "--model", "gpt2-small", "--batch", "65536", "--context", "1000"},
       "does not fit the memory of 80.00 GiB: it needs 2281.91 GiB (KV cache 2268.00 GiB, "
       "activations 13.68 GiB, weights 237.67 MiB); accepted: --machine.memory_gib of 2281.91 GiB"},
      {"memory_too_small",
       {"run", "--model", "gpt2-small", "--machine.memory_gib", "0.01"},
       "the model gpt2-small does not fit the memory of 10.24 MiB: it needs 240.02 MiB ("},
      {"tensor_too_large",
       {"run", "--model", "gpt2-small", "--machine.memory_gib", "0.01", "--assume-fits"},
       "it needs 73.63 MiB (its largest tensor)"},
      {"batch_negative", {"run", "--batch", "-1"}, "is too small"},
      {"batch_wraps", {"run", "--batch", "4294967297"}, "is too large"},
      {"batch_text", {"run", "--batch", "many"}, "is not an integer"},
      {"clock_nan", {"run", "--core.clock_mhz", "nan"}, "is not a finite number"},
      {"dtype_unknown", {"run", "--kv-dtype", "fp17"}, "did you mean 'fp16'?"},
      {"config_missing", {"run", "--config", "no.ini"}, "no.ini: cannot be read"},
      {"config_line",
       {"run", "--config", "in.ini"},
       "in.ini:2: 'run.batch': value 'x'",
       "[run]\nbatch=x\n"},
      {"csv_folder", {"run", "--model", "gpt2-small", "--csv", "no/t.csv"}, "no/t.csv"},
      {"kernels_folder",
       {"run", "--model", "gpt2-small", "--csv", "t.csv", "--kernels-csv", "no/k.csv"},
       "no/k.csv"},
      {"kernels_full",
       {"run", "--model", "stories260K", "--quiet", "--csv", "t.csv", "--kernels-csv", "/dev/full"},
       "No space left"},
      {"weights_missing", {"generate", "--weights", "no.bin"}, "no.bin"},
      {"weights_folder", {"generate", "--weights", "."}, "accepted:"},
      {"weights_empty", {"generate", "--weights", "in.ini"}, "in.ini"},
      {"weights_text", {"generate", "--weights", "in.ini"}, "in.ini", "not a weight file\n"},
      {"weights_gguf", {"generate", "--weights", "in.ini"}, "in.ini", "GGUF\3"},
      {"tokenizer_missing", {"generate", "--tokenizer", "no.tok"}, "no.tok"},
      {"steps_beyond", {"generate", "--steps", "100000"}, "goes beyond the model"},
      {"prompt_too_long",
       {"generate", "--prompt", std::string(600, 'a'), "--steps", "1"},
       "'--prompt': value '601 tokens' goes beyond the model toy-2x16; accepted: at most 512 "
       "tokens"},
      {"steps_zero", {"generate", "--steps", "0"}, "is too small"},
      {"prompt_token", {"generate", "--prompt-tokens", "1,x"}, "prompt"},
      {"temperature_negative", {"generate", "--temperature", "-1"}, "is too small"},
  };
  return cases;
}

INSTANTIATE_TEST_SUITE_P(Simulation, BadInput, ::testing::ValuesIn(simulation_cases()), name_of);
INSTANTIATE_TEST_SUITE_P(Usage, BadInput, ::testing::ValuesIn(usage_cases()), name_of);
INSTANTIATE_TEST_SUITE_P(Unused, BadInput, ::testing::ValuesIn(unused_cases()), name_of);

class BadText : public ProgramTest {};

// A checkpoint of zeros whose vocabulary is not that of bytes.
std::string zero_checkpoint() {
  constexpr std::int32_t kWidth = 8, kVocab = 300, kContext = 16;
  const std::int32_t header[] = {kWidth, kWidth, 1, 1, 1, kVocab, kContext};
  constexpr std::size_t kNumbers = kVocab * kWidth + 3 * kWidth + 7 * kWidth * kWidth +
                                   kContext * kWidth;  // with the table of rotations
  std::string bytes(reinterpret_cast<const char*>(header), sizeof header);
  bytes.append(kNumbers * sizeof(float), '\0');
  return bytes;
}

TEST_F(BadText, WithoutTheModelsTokenizerATextIsRefusedAndTokensStayTokens) {
  file("zero.bin", zero_checkpoint());
  const Outcome text = run({"generate", "--weights", "zero.bin", "--prompt", "a"});
  EXPECT_EQ(text.exit_code, 2);
  EXPECT_EQ(text.out, "");
  EXPECT_THAT(text.err, HasSubstr("--tokenizer"));
  const Outcome tokens =
      run({"generate", "--weights", "zero.bin", "--prompt-tokens", "299", "--steps", "2"});
  EXPECT_EQ(tokens.exit_code, 0) << tokens.err;
  EXPECT_THAT(tokens.err, HasSubstr("tokens: 0 0\n"));
}

class GoodInput : public ProgramTest {};

TEST_F(GoodInput, HelpAndVersionAreOnStandardOutputAndFitTheWidth) {
  for (const std::vector<std::string>& arguments :
       std::vector<std::vector<std::string>>{{"--help"},
                                             {"--version"},
                                             {"sweep", "--help"},
                                             {"list", "-h"},
                                             {"merge", "x", "--help"}}) {
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.exit_code, 0);
    EXPECT_EQ(outcome.err, "");
    std::istringstream lines(outcome.out);
    std::size_t count = 0;
    for (std::string line; std::getline(lines, line); ++count) EXPECT_LE(line.size(), 100U) << line;
    EXPECT_GT(count, 3U);
  }
}

TEST_F(GoodInput, ASwitchLeavesTheNextWordAlone) {
  file("t.csv", "arrived_at,num_prefill_tokens,num_decode_tokens\n0,1,1\n");
  const Outcome outcome = run({"trace", "--quiet", "info", "t.csv"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(run({"trace", "--quiet=false", "info", "t.csv"}).out, outcome.out);
}

TEST_F(GoodInput, AnIniFileMayBeginWithAByteOrderMark) {
  file("t.ini", "\xef\xbb\xbf[ core ]\r\ncount = 4\r\n");
  EXPECT_EQ(run({"plan", "--quiet", "--config", "t.ini"}).out,
            run({"plan", "--quiet", "--core.count", "4"}).out);
}

TEST_F(GoodInput, OptionsThatChangeNothingAreAcceptedOnRequestFromFilesAndInSweeps) {
  file("t.ini", "[dram]\nstride = 64\nbytes = 4096\n");
  EXPECT_EQ(run({"dram", "--config", "t.ini"}).exit_code, 0);
  EXPECT_EQ(run({"dram", "--stride", "64", "--bytes", "4096", "--allow-unused"}).exit_code, 0);
  EXPECT_EQ(run({"dram", "--stride", "64", "--bytes", "4096", "--pattern", "strided"}).exit_code,
            0);
  EXPECT_EQ(run({"sweep", "--of", "dram", "--bytes", "4096", "--stride", "64", "--vary",
                 "pattern=sequential,strided"})
                .exit_code,
            0);
}

TEST_F(GoodInput, ListsGoToAFileOrToStandardOutputWithTheSameBytes) {
  for (const char* what :
       {"machines", "models", "dram", "timings", "traces", "options", "columns"}) {
    const Outcome shown = run({"list", what});
    EXPECT_EQ(shown.exit_code, 0);
    EXPECT_GT(std::count(shown.out.begin(), shown.out.end(), '\n'), 2);
    EXPECT_EQ(run({"list", what, "--csv", "t.csv"}).out, "");
    EXPECT_EQ(slurp(folder() / "t.csv"), shown.out);
  }
  EXPECT_EQ(names_in_folder(), std::vector<std::string>{"t.csv"});
}

}  // namespace
}  // namespace ridgepoint::tests
