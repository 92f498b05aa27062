// SPDX-License-Identifier: Apache-2.0
// Every row of models.csv: FLOPs and bytes of its kernels against closed forms from its shape
// alone, at full size; and a small model with the same kinds of layers on the simulated machine,
// where what is counted at the engines and at the pins must be what the kernels declare.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "sim/config/bind_machine.hpp"
#include "sim/config/read_options.hpp"
#include "workloads/models/counts.hpp"
#include "workloads/models/registry.hpp"
#include "workloads/step/runner.hpp"
#include "workloads/step/step.hpp"

namespace ridgepoint::workloads {
namespace {

constexpr std::int64_t kE = 2;       // fp16 weights, cache and activations
constexpr std::int64_t kBlock = 16;  // tokens per cache block

soc::MachineConfig teaching() {
  const std::vector<std::string> arguments{"--machine", "teaching-80g"};
  return config::machine_config(config::read_options({"run", arguments}).options);
}

struct Step {
  std::int64_t tokens, context;  // one sequence: new tokens, and all after them
  bool prefill() const { return tokens > 1; }
};

// Sums over one step of one sequence, in bytes and FLOPs.
struct ClosedForm {
  double flops = 0, weights = 0, kv = 0, activations = 0;
};

class Counter {
 public:
  Counter(const ModelShape& shape, const Step& step, std::int64_t cores)
      : s_(shape), t_(step.tokens), step_(step), users_(std::min(cores, step.tokens)) {}

  ClosedForm count() {
    table(s_.d_model + (s_.learned_positions() ? s_.d_model : 0), s_.d_model);
    for (std::int64_t i = 0; i < s_.layers; ++i) {
      norm(s_.d_model);
      s_.mla ? latent() : plain(i);
      norm(s_.d_model);
      s_.is_moe_layer(i) ? experts() : feed_forward(s_.ffn_dim);
      if (s_.norms_per_layer == 4) {
        for (int half = 0; half < 2; ++half) {  // the branch's norm with its residual
          norm(s_.d_model);
          activations(t_ * s_.d_model);
        }
      }
    }
    t_ = 1;  // only the last row goes on
    users_ = 1;
    norm(s_.d_model);
    linear(s_.vocab, s_.d_model, false, false);
    form_.activations += static_cast<double>(s_.vocab) * (4 - kE);  // logits are fp32
    form_.activations += static_cast<double>(s_.vocab) * 4 + 4;     // the choice
    return form_;
  }

 private:
  void activations(std::int64_t elements) {
    form_.activations += static_cast<double>(elements * kE);
  }
  void table(std::int64_t in, std::int64_t out) {
    form_.weights += static_cast<double>(t_ * in * kE);
    activations(t_ * out);
  }
  void norm(std::int64_t d) {
    activations(2 * t_ * d);
    form_.weights += static_cast<double>(users_ * d * 4);
  }
  void linear(std::int64_t n, std::int64_t k, bool bias, bool residual) {
    form_.flops += 2.0 * static_cast<double>(t_) * static_cast<double>(n) * static_cast<double>(k);
    form_.weights += static_cast<double>((n * k + (bias ? n : 0)) * kE);
    activations(t_ * (k + n + (residual ? n : 0)));
  }
  // Pairs of a row and a position it sees.
  double visible(std::int64_t window) const {
    double pairs = 0;
    for (std::int64_t row = 0; row < step_.tokens; ++row) {
      const std::int64_t position = step_.context - step_.tokens + row;
      pairs += static_cast<double>(window > 0 ? std::min(position + 1, window) : position + 1);
    }
    return pairs;
  }
  void plain(std::int64_t layer) {
    const std::int64_t q = s_.q_dim(), kv = s_.kv_dim();
    linear(q + 2 * kv, s_.d_model, s_.qkv_bias, false);
    const bool changes_q = s_.rope_theta != 0 || s_.qk_norm;
    activations(t_ * (q + 2 * kv + (changes_q ? q : 0)));
    if (s_.qk_norm) form_.weights += static_cast<double>(users_ * 2 * s_.head_dim * 4);
    const std::int64_t window = s_.is_windowed(layer) ? s_.sliding_window : 0;
    // One query block: its keys start at what its first row sees.
    const std::int64_t first =
        window > 0 ? std::max<std::int64_t>(0, step_.context - t_ - window + 1) : 0;
    form_.kv += static_cast<double>((t_ + step_.context - first) * 2 * kv * kE);
    form_.flops += 4.0 * static_cast<double>(q) * visible(window);
    activations(2 * t_ * q);
    linear(s_.d_model, q, s_.other_bias, s_.norms_per_layer == 2);
  }
  void latent() {
    const MlaShape& m = *s_.mla;
    const std::int64_t h = s_.heads, row = m.kv_lora + m.qk_rope, dim = m.qk_nope + m.qk_rope;
    if (m.q_lora > 0) {
      linear(m.q_lora, s_.d_model, false, false);
      norm(m.q_lora);
    }
    linear(h * dim, m.q_lora > 0 ? m.q_lora : s_.d_model, false, false);
    linear(row, s_.d_model, false, false);
    activations(t_ * row);
    form_.weights += static_cast<double>(users_ * m.kv_lora * 4);
    form_.kv += static_cast<double>((t_ + step_.context) * row * kE);
    activations(2 * t_ * h * m.qk_rope);
    // Up-projections: of the queries and results in decode, of all latents in prefill.
    form_.weights += static_cast<double>(h * (m.qk_nope + m.v_dim) * m.kv_lora * kE);
    const std::int64_t rows = step_.prefill() ? step_.context : t_;
    form_.flops += 2.0 * static_cast<double>(rows * h * (m.qk_nope + m.v_dim) * m.kv_lora);
    if (step_.prefill()) {
      activations(rows * (row + 2 * m.kv_lora + h * (m.qk_nope + m.v_dim)));  // gather, expand
      activations(rows * h * (dim + m.v_dim) + t_ * h * (dim + m.v_dim));     // attention
      form_.flops += 2.0 * static_cast<double>(h * (dim + m.v_dim)) * visible(0);
    } else {
      activations(t_ * h * (m.qk_nope + m.kv_lora) + t_ * h * (m.kv_lora + m.v_dim));
      activations(t_ * h * (row + m.kv_lora));
      form_.flops += 2.0 * static_cast<double>(h * (row + m.kv_lora)) * visible(0);
    }
    linear(s_.d_model, h * m.v_dim, false, true);
  }
  void feed_forward(std::int64_t f) {
    const std::int64_t inner = (s_.gated() ? 2 : 1) * f;
    linear(inner, s_.d_model, s_.other_bias, false);
    activations(t_ * (inner + f));
    linear(s_.d_model, f, s_.other_bias, s_.norms_per_layer == 2);
  }
  void experts() {
    const MoeShape& m = *s_.moe;
    const std::int64_t d = s_.d_model, inner = (s_.gated() ? 2 : 1) * m.ffn_dim;
    linear(m.experts, d, m.router_bias, false);
    form_.activations += static_cast<double>(t_ * m.experts * (4 - kE));
    form_.activations += static_cast<double>(t_ * (m.experts * 4 + 2 * m.active * 4));
    const kernels::Routing drawn = kernels::draw_routing(t_, m.experts, m.active, {});
    const auto loaded = static_cast<std::int64_t>(
        std::count_if(drawn.loads.begin(), drawn.loads.end(), [](auto rows) { return rows > 0; }));
    const std::int64_t biases = s_.other_bias ? inner + d : 0;
    form_.weights += static_cast<double>(loaded * ((inner + m.ffn_dim) * d + biases) * kE);
    form_.flops += 2.0 * static_cast<double>(t_ * m.active * (inner + m.ffn_dim) * d);
    activations(t_ * m.active * (d + inner + inner + m.ffn_dim + m.ffn_dim + d + d));
    activations(2 * t_ * d);  // the sum with x
    if (m.shared_experts > 0) feed_forward(m.shared_experts * m.ffn_dim);
  }

  const ModelShape& s_;
  std::int64_t t_;
  Step step_;
  std::int64_t users_;
  ClosedForm form_;
};

PlacementSpec placement_spec(const soc::MachineConfig& machine, const ModelShape& shape,
                             const Step& step) {
  PlacementSpec spec;
  spec.max_tokens = step.tokens;
  spec.kv_blocks = (step.context + kBlock - 1) / kBlock;
  spec.block_tokens = kBlock;
  spec.memory_bytes = std::uint64_t{80} << 30;
  spec.panel_rows = machine.accel.matrix_cols;
  spec.assume_fits = true;
  spec.workspace_bytes = step_workspace_bytes(machine.accel.shape(), shape, 1, 128);
  if (shape.mla && step.prefill()) spec.expand_rows = step.context;
  return spec;
}

std::vector<BatchSequence> batch_of(const Step& step) {
  BatchSequence sequence;
  sequence.new_tokens = step.tokens;
  sequence.context = step.context;
  sequence.blocks.resize(static_cast<std::size_t>((step.context + kBlock - 1) / kBlock));
  std::iota(sequence.blocks.begin(), sequence.blocks.end(), 0u);
  return {sequence};
}

class AllModels : public ::testing::TestWithParam<ModelShape> {};

TEST_P(AllModels, KernelsDeclareTheClosedForms) {
  const ModelShape& shape = GetParam();
  const soc::MachineConfig machine = teaching();
  for (const Step& step : {Step{1, 500}, Step{64, 64}}) {
    const Placement placement(shape, placement_spec(machine, shape, step));
    StepOptions options;
    options.attention_splits = 1;  // partial results depend on how many cores are idle
    double flops = 0, bytes = 0;
    for (const isa::Kernel& kernel :
         build_step(machine.accel.shape(), placement, batch_of(step), options)) {
      flops += kernel.flops;
      bytes += kernel.model_bytes;
      EXPECT_GT(kernel.model_bytes, 0) << kernel.name;
    }
    const ClosedForm form = Counter(shape, step, machine.accel.cores).count();
    EXPECT_NEAR(flops / form.flops, 1, 1e-9) << step.tokens;
    EXPECT_NEAR(bytes / (form.weights + form.kv + form.activations), 1, 0.005) << step.tokens;
  }
  // And the parameters that one decoded token is multiplied with are those of the shape.
  EXPECT_EQ(parameter_count(shape), shape.declared_params);
}

// The same kinds of layers, one of each, with small sizes.
ModelShape small(ModelShape shape) {
  const std::int64_t group = shape.heads / shape.kv_heads;
  shape.layers = 1;
  if (shape.moe) {
    shape.moe->experts = std::min<std::int64_t>(shape.moe->experts, 16);
    shape.moe->ffn_dim = std::min<std::int64_t>(shape.moe->ffn_dim, 256);
    shape.moe->first_dense_layers = std::min<std::int64_t>(shape.moe->first_dense_layers, 1);
    shape.layers += shape.moe->first_dense_layers;
  }
  if (shape.sliding_window > 0) {
    shape.sliding_window = std::min<std::int64_t>(shape.sliding_window, 100);
    shape.window_local_layers = 1;
    shape.layers = 1 + std::min<std::int64_t>(shape.window_global_layers, 1);
  }
  shape.d_model = std::min<std::int64_t>(shape.d_model, 384);
  shape.ffn_dim = std::min<std::int64_t>(shape.ffn_dim, 512);
  shape.kv_heads = std::min<std::int64_t>(shape.kv_heads, 2);
  shape.heads = shape.mla ? 4 : shape.kv_heads * group;
  if (shape.mla) {
    shape.kv_heads = shape.heads;
    shape.mla->q_lora = std::min<std::int64_t>(shape.mla->q_lora, 192);
  }
  shape.vocab = std::min<std::int64_t>(shape.vocab, 512);
  return shape;
}

TEST_P(AllModels, CountsAreWhatTheKernelsDeclare) {
  const ModelShape shape = small(GetParam());
  const soc::MachineConfig config = teaching();
  soc::Machine machine(config);
  for (const Step& step : {Step{1, 300}, Step{70, 200}}) {
    const Placement placement(shape, placement_spec(config, shape, step));
    StepOptions options;
    options.attention_splits = 1;
    for (const isa::Kernel& kernel :
         build_step(config.accel.shape(), placement, batch_of(step), options)) {
      const soc::Activity activity = machine.run(kernel, false);
      double useful = 0;
      for (std::size_t t = 0; t < core::kTrafficKinds; ++t) {
        useful += static_cast<double>(activity.hbm.read_useful_bytes[t]) +
                  static_cast<double>(activity.hbm.write_useful_bytes[t]);
      }
      EXPECT_NEAR(useful / kernel.model_bytes, 1, 0.005) << kernel.name << ' ' << step.tokens;
      // Masked elements of an attention tile are multiplied too.
      EXPECT_GE(activity.matrix_flops, kernel.flops) << kernel.name;
      if (kernel.family != "attention") {
        EXPECT_EQ(activity.matrix_flops, kernel.flops) << kernel.name;
      }
      const double seconds = static_cast<double>(activity.cycles) / machine.clock().hertz();
      EXPECT_GE(seconds, kernel.model_bytes / machine.hbm_peak_bytes_per_s()) << kernel.name;
    }
  }
}

soc::MachineConfig tiny(bool cached, std::int64_t blocks) {
  soc::MachineConfig config = teaching();
  accel::AcceleratorConfig& accel = config.accel;
  accel.cores = 4;
  accel.matrix_rows = accel.matrix_cols = accel.vector_lanes = 16;
  accel.shared_is_cache = cached;
  accel.blocks = blocks;
  config.hbm.stacks = 1;
  return config;
}

// A core that holds the smallest tiles runs every kernel; one with a byte less is refused before.
TEST_P(AllModels, KernelsRunWhereTheirSmallestTilesFit) {
  const ModelShape shape = small(GetParam());
  for (const auto& [cached, blocks] : {std::pair{false, 0}, {true, 0}, {true, 1}, {true, 2}}) {
    for (const Step& step : {Step{1, 40}, Step{20, 40}}) {
      SCOPED_TRACE(testing::Message() << cached << ' ' << blocks << ' ' << step.tokens);
      soc::MachineConfig config = tiny(cached, blocks);
      const Placement placement(shape, placement_spec(config, shape, step));
      const auto kernels = [&] {
        return build_step(config.accel.shape(), placement, batch_of(step), {});
      };
      isa::CoreBytes least;
      for (const isa::Kernel& kernel : kernels()) {
        least.scratchpad = std::max(least.scratchpad, kernel.least.scratchpad);
        least.accumulators = std::max(least.accumulators, kernel.least.accumulators);
      }
      constexpr isa::CoreBytes kEveryMachine{4608, 2048};  // of such an array
      for (const std::int64_t eighths : {8, 11}) {
        config.accel.accumulator_bytes =
            std::max(kEveryMachine.accumulators, least.accumulators * eighths / 8);
        config.accel.scratchpad_bytes =
            std::max({kEveryMachine.scratchpad, config.accel.accumulator_bytes,
                      least.scratchpad * eighths / 8});
        soc::Machine machine(config);
        EXPECT_NO_THROW(StepRunner(machine, true).run(kernels(), false)) << eighths;
      }
      if (least.scratchpad <= kEveryMachine.scratchpad) continue;
      config.accel.scratchpad_bytes = least.scratchpad - 1;
      config.accel.accumulator_bytes = kEveryMachine.accumulators;
      soc::Machine machine(config);
      EXPECT_THROW(StepRunner(machine, true).run(kernels(), false), core::InputError);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Rows, AllModels, ::testing::ValuesIn(all_models()), [](const auto& row) {
  std::string name = row.param.name;
  for (char& c : name) c = std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  return name;
});

}  // namespace
}  // namespace ridgepoint::workloads
