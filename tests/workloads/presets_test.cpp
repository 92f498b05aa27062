// SPDX-License-Identifier: Apache-2.0
// Every machine preset: its peaks against the published figures, and a small model's decode and
// prefill on it, between their bounds. And reuse against simulating all.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "sim/config/bind_machine.hpp"
#include "sim/config/machines.hpp"
#include "sim/config/read_options.hpp"
#include "workloads/models/registry.hpp"
#include "workloads/step/runner.hpp"
#include "workloads/step/step.hpp"

namespace ridgepoint::workloads {
namespace {

struct Published {
  const char* name;
  double tflops;  // dense, 16 bit
  double tb_per_s;
};
// From the vendors; each preset names its sources. teaching-80g is no product.
constexpr Published kPublished[] = {
    {"a100-40g", 312, 1.555},   {"a100-80g", 312, 2.039},   {"a40", 149.7, 0.696},
    {"b200", 2250, 8.0},        {"gaudi3", 1835, 3.67},     {"h100", 989.4, 3.35},
    {"h200", 989.4, 4.8},       {"l40s", 362, 0.864},       {"mi300x", 1307.4, 5.3},
    {"rtx-4090", 165.2, 1.008}, {"rtx-5090", 209.5, 1.792}, {"teaching-80g", 786.4, 3.328},
    {"tpu-v4", 275, 1.2288},    {"tpu-v5e", 197, 0.819},    {"tpu-v5p", 459, 2.765},
    {"tpu-v6e", 918, 1.638},    {"trainium2", 667, 2.9}};

std::string word_of(std::string text) {
  for (char& c : text) c = c == '-' ? '_' : c;
  return text;
}

std::vector<std::string> preset_names() {
  std::vector<std::string> names;
  for (const config::MachinePreset& preset : config::machine_presets()) {
    names.emplace_back(preset.name);
  }
  return names;
}

soc::MachineConfig preset(const std::string& name) {
  const std::vector<std::string> arguments{"--machine", name};
  return config::machine_config(config::read_options({"run", arguments}).options);
}

StepReport step(soc::Machine& machine, const ModelShape& shape, std::int64_t tokens,
                std::int64_t context, bool reuse, const Formats& formats = {},
                std::size_t workers = 1) {
  const soc::MachineConfig& config = machine.config();
  PlacementSpec spec;
  spec.formats = formats;
  spec.max_tokens = tokens;
  spec.kv_blocks = (context + 15) / 16;
  spec.memory_bytes = machine.hbm_bytes();
  spec.panel_rows = config.accel.matrix_cols;
  spec.workspace_bytes = step_workspace_bytes(config.accel.shape(), shape, 1, 128);
  if (shape.mla && tokens > 1) spec.expand_rows = context;
  const Placement placement(shape, spec);
  BatchSequence sequence;
  sequence.new_tokens = tokens;
  sequence.context = context;
  sequence.blocks.resize(static_cast<std::size_t>(spec.kv_blocks));
  std::iota(sequence.blocks.begin(), sequence.blocks.end(), 0u);
  StepRunner runner(machine, reuse, workers);
  return runner.run(build_step(config.accel.shape(), placement, {sequence}, {}), false);
}

// A few layers of a model, as wide as it is.
ModelShape cut(const char* name, std::int64_t layers) {
  ModelShape shape = find_model(name);
  shape.layers = layers;
  shape.vocab = std::min<std::int64_t>(shape.vocab, 4096);
  return shape;
}

class Presets : public ::testing::TestWithParam<std::string> {};

TEST_P(Presets, PeaksArePublishedOnes) {
  const auto found = std::find_if(std::begin(kPublished), std::end(kPublished),
                                  [](const Published& row) { return row.name == GetParam(); });
  ASSERT_NE(found, std::end(kPublished)) << "a preset needs its published figures here";
  soc::Machine machine(preset(GetParam()));
  EXPECT_NEAR(machine.config().accel.peak_flops(core::DType::kFp16) / 1e12 / found->tflops, 1,
              0.005);
  EXPECT_NEAR(machine.hbm_peak_bytes_per_s() / 1e12 / found->tb_per_s, 1, 0.005);
}

TEST_P(Presets, DecodeAndPrefillStayWithinTheirBounds) {
  soc::Machine machine(preset(GetParam()));
  const ModelShape shape = cut("llama-3.2-1b", 1);
  for (const std::int64_t tokens : {std::int64_t{1}, std::int64_t{64}}) {
    const StepReport report = step(machine, shape, tokens, 256, true);
    for (const KernelReport& kernel : report.kernels) {
      const double seconds = static_cast<double>(kernel.activity.cycles) / machine.clock().hertz();
      EXPECT_GE(seconds, kernel.flops / machine.config().accel.peak_flops(core::DType::kFp16))
          << kernel.name;
      EXPECT_GE(seconds, kernel.model_bytes / machine.hbm_peak_bytes_per_s()) << kernel.name;
    }
    // The widest kernel streams its weights: more than a quarter of the bandwidth without launch.
    const auto up = std::find_if(report.kernels.begin(), report.kernels.end(),
                                 [](const auto& kernel) { return kernel.name == "linear.up"; });
    const double seconds = static_cast<double>(up->activity.cycles - up->activity.launch_cycles) /
                           machine.clock().hertz();
    EXPECT_GE(up->model_bytes / seconds, 0.25 * machine.hbm_peak_bytes_per_s()) << tokens;
  }
}

INSTANTIATE_TEST_SUITE_P(All, Presets, ::testing::ValuesIn(preset_names()),
                         [](const auto& row) { return word_of(row.param); });

struct Reused {
  const char* machine;
  const char* model;
  std::int64_t layers;
  std::int64_t prompt;
};

class Reuse : public ::testing::TestWithParam<Reused> {};

// Equal kernels start from the same state of memory; what is left is where their tensors lie.
TEST_P(Reuse, ChangesTheTimeByAtMostTwoTenthsOfAPercentAndNoCount) {
  const Reused& row = GetParam();
  soc::Machine machine(preset(row.machine));
  const ModelShape shape = cut(row.model, row.layers);
  for (const std::int64_t tokens : {std::int64_t{1}, row.prompt}) {
    const StepReport all = step(machine, shape, tokens, 200, false);
    const StepReport reused = step(machine, shape, tokens, 200, true);
    EXPECT_GT(reused.reused_launches, 0);
    EXPECT_EQ(all.reused_launches, 0);
    EXPECT_EQ(all.reuse_error, 0);
    EXPECT_LE(reused.reuse_error, kSamplingError);
    EXPECT_NEAR(static_cast<double>(reused.total.cycles) / static_cast<double>(all.total.cycles), 1,
                0.002)
        << tokens;
    EXPECT_EQ(reused.total.hbm.read_useful_bytes, all.total.hbm.read_useful_bytes);
    EXPECT_EQ(reused.total.hbm.write_useful_bytes, all.total.hbm.write_useful_bytes);
    EXPECT_EQ(reused.total.matrix_flops, all.total.matrix_flops);
    EXPECT_EQ(reused.flops, all.flops);
  }
}

INSTANTIATE_TEST_SUITE_P(Models, Reuse,
                         ::testing::Values(Reused{"teaching-80g", "stories260K", 40, 48},
                                           Reused{"teaching-80g", "smollm2-135m", 30, 48},
                                           Reused{"teaching-80g", "gpt2-small", 20, 48},
                                           Reused{"teaching-80g", "gemma-3-1b", 10, 48},
                                           Reused{"teaching-80g", "qwen3-0.6b", 14, 48},
                                           Reused{"h100", "smollm2-135m", 30, 160},
                                           Reused{"b200", "llama-3.2-1b", 8, 48},
                                           Reused{"tpu-v5e", "gpt2-small", 20, 48}),
                         [](const auto& row) {
                           std::string name =
                               std::string(row.param.machine) + "_" + row.param.model;
                           for (char& c : name) c = c == '-' || c == '.' ? '_' : c;
                           return name;
                         });

class CopiesOf : public ::testing::TestWithParam<const char*> {};

TEST_P(CopiesOf, DoToTheLastCountWhatTheMachineDoes) {
  soc::Machine machine(preset(GetParam()));
  const ModelShape shape = cut("llama-3.2-1b", 3);
  for (const bool reuse : {false, true}) {
    const StepReport alone = step(machine, shape, 1, 100, reuse, {}, 1);
    const StepReport together = step(machine, shape, 1, 100, reuse, {}, 3);
    EXPECT_EQ(together.total, alone.total) << reuse;
    EXPECT_EQ(together.simulated_launches, alone.simulated_launches) << reuse;
    EXPECT_EQ(together.reused_launches, alone.reused_launches) << reuse;
    ASSERT_EQ(together.kernels.size(), alone.kernels.size());
    for (std::size_t i = 0; i < alone.kernels.size(); ++i) {
      EXPECT_EQ(together.kernels[i].activity, alone.kernels[i].activity) << alone.kernels[i].name;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Machines, CopiesOf, ::testing::Values("teaching-80g", "a100-80g", "l40s"),
                         [](const auto& row) { return word_of(row.param); });

// An 8-bit cache halves the bytes attention reads; what that buys is the machine's answer.
TEST(KvFormats, FasterByNoMoreThanTheBytes) {
  soc::Machine machine(preset("h100"));
  ModelShape shape = cut("llama-3-8b", 1);
  const auto attention = [&](core::DType kv) {
    const StepReport report =
        step(machine, shape, 1, 8000, true, {core::DType::kFp16, kv, core::DType::kFp16});
    const auto found = std::find_if(report.kernels.begin(), report.kernels.end(),
                                    [](const auto& kernel) { return kernel.name == "attention"; });
    return std::pair{static_cast<double>(found->activity.cycles), found->model_bytes};
  };
  const auto [half, half_bytes] = attention(core::DType::kFp16);
  const auto [eight, eight_bytes] = attention(core::DType::kFp8);
  const auto [four, four_bytes] = attention(core::DType::kInt4);
  EXPECT_NEAR(half_bytes / eight_bytes, 2, 0.01);
  EXPECT_NEAR(half_bytes / four_bytes, 16 / 4.5, 0.05);
  EXPECT_LT(eight, half);
  EXPECT_GT(eight, half / 2);
  EXPECT_GT(four, half / (16 / 4.5));
}

}  // namespace
}  // namespace ridgepoint::workloads
