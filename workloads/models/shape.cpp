// SPDX-License-Identifier: Apache-2.0
#include "workloads/models/shape.hpp"

#include <cmath>

#include "sim/core/error.hpp"

namespace ridgepoint::workloads {
namespace {

class Checker {
 public:
  explicit Checker(const std::string& where) : where_{where, 0, 0} {}

  void range(const char* field, std::int64_t value, std::int64_t low, std::int64_t high) const {
    if (value >= low && value <= high) return;
    core::fail_input(where_, field, std::to_string(value), "is out of range",
                     std::to_string(low) + " to " + std::to_string(high));
  }
  void require(bool ok, const char* field, std::int64_t value, const std::string& accepted) const {
    if (!ok) core::fail_input(where_, field, std::to_string(value), "does not fit", accepted);
  }
  void real(const char* field, double value, double low, double high) const {
    if (std::isfinite(value) && value >= low && value <= high) return;
    core::fail_input(where_, field, std::to_string(value), "is out of range",
                     std::to_string(low) + " to " + std::to_string(high));
  }

 private:
  core::Location where_;
};

constexpr std::int64_t kMaxWidth = 1 << 24;

void check_attention(const ModelShape& shape, const Checker& check) {
  check.range("heads", shape.heads, 1, 1 << 16);
  check.range("kv_heads", shape.kv_heads, 1, shape.heads);
  check.range("head_dim", shape.head_dim, 1, 1 << 16);
  check.require(shape.heads % shape.kv_heads == 0, "kv_heads", shape.kv_heads,
                "a divisor of heads = " + std::to_string(shape.heads));
  check.range("sliding_window", shape.sliding_window, 0, std::int64_t{1} << 40);
  check.range("window_local_layers", shape.window_local_layers, shape.sliding_window > 0 ? 1 : 0,
              1 << 16);
  check.range("window_global_layers", shape.window_global_layers, 0, 1 << 16);
  check.range("rotary_dim", shape.rotary_dim, shape.learned_positions() ? 0 : 2,
              shape.learned_positions() ? 0 : shape.head_dim);
  check.require(shape.rotary_dim % 2 == 0, "rotary_dim", shape.rotary_dim, "an even number");
  check.real("rope_theta", shape.rope_theta, 0, 1e12);
  check.real("rope_theta_local", shape.rope_theta_local, 0, 1e12);
}

void check_moe(const MoeShape& moe, std::int64_t layers, const Checker& check) {
  check.range("moe_experts", moe.experts, 1, 1 << 16);
  check.range("moe_active", moe.active, 1, moe.experts);
  check.range("moe_ffn_dim", moe.ffn_dim, 1, kMaxWidth);
  check.range("moe_shared", moe.shared_experts, 0, 1 << 10);
  check.range("moe_first_dense", moe.first_dense_layers, 0, layers);
}

void check_mla(const MlaShape& mla, const Checker& check) {
  check.range("mla_q_lora", mla.q_lora, 0, kMaxWidth);
  check.range("mla_kv_lora", mla.kv_lora, 1, kMaxWidth);
  check.range("mla_qk_nope", mla.qk_nope, 0, 1 << 16);
  check.range("mla_qk_rope", mla.qk_rope, 2, 1 << 16);
  check.range("mla_v_dim", mla.v_dim, 1, 1 << 16);
}

// In floating point, so that the check itself cannot overflow: the largest weight matrices alone.
double rough_params(const ModelShape& s) {
  const auto d = static_cast<double>(s.d_model);
  double ffn = static_cast<double>(s.ffn_dim);
  if (s.moe) {
    ffn += static_cast<double>(s.moe->experts + s.moe->shared_experts) *
           static_cast<double>(s.moe->ffn_dim);
  }
  double attention = 4.0 * d * static_cast<double>(s.heads) * static_cast<double>(s.head_dim);
  if (s.mla) {
    const double inner = static_cast<double>(s.mla->q_lora + s.mla->kv_lora + s.mla->qk_rope);
    const double outer = static_cast<double>(s.heads) *
                         static_cast<double>(2 * s.mla->qk_nope + s.mla->qk_rope + s.mla->v_dim);
    attention += (inner + d) * (outer + d);
  }
  return static_cast<double>(s.layers) * (attention + 4.0 * d * ffn) +
         2.0 * d * static_cast<double>(s.vocab + s.max_context);
}

}  // namespace

bool ModelShape::is_windowed(std::int64_t layer) const {
  if (sliding_window == 0) return false;
  return layer % (window_local_layers + window_global_layers) < window_local_layers;
}

void check_shape(const ModelShape& shape, const std::string& where) {
  const Checker check(where);
  check.range("layers", shape.layers, 1, 1 << 16);
  check.range("d_model", shape.d_model, 1, kMaxWidth);
  check.range("ffn_dim", shape.ffn_dim, 1, kMaxWidth);
  check.range("vocab", shape.vocab, 2, kMaxWidth);
  check.range("max_context", shape.max_context, 1, std::int64_t{1} << 40);
  check.range("norms_per_layer", shape.norms_per_layer, 2, 4);
  check.real("norm_eps", shape.norm_eps, 0, 1);
  check_attention(shape, check);
  if (shape.moe) check_moe(*shape.moe, shape.layers, check);
  if (shape.mla) check_mla(*shape.mla, check);
  constexpr double kMostParams = 1e17;  // times 64 bits still fits in 63
  if (const double params = rough_params(shape); params > kMostParams) {
    core::fail_input({where, 0, 0}, "layers", std::to_string(shape.layers),
                     "gives too many parameters with d_model " + std::to_string(shape.d_model),
                     "up to 1e17 parameters");
  }
}

}  // namespace ridgepoint::workloads
