// SPDX-License-Identifier: Apache-2.0
#include "workloads/validation/cases.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include "kernels/attention/attention.hpp"
#include "kernels/linear/linear.hpp"
#include "workloads/models/registry.hpp"
#include "workloads/traces/random.hpp"

namespace ridgepoint::workloads {
namespace {

constexpr std::int64_t kBlockTokens = 16;
constexpr std::int64_t kMostSplits = 128;
constexpr std::uint64_t kBlockSeed = 1;
constexpr std::uint64_t kAlign = 4096;

// Shapes of the decode and prefill rows whose errors are held to a bar.
constexpr std::int64_t kLongTokens = 1000;
constexpr std::int64_t kLongBatch = 8;
constexpr std::int64_t kSmallM = 64;

struct Matrix {
  const char* name;
  std::int64_t n, k;
};

// "Llama-2-7b-hf" is the registry's "llama-2-7b".
const ModelShape& model_of(const MeasuredRow& row) {
  std::string name = row.source;
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c; });
  if (name.ends_with("-hf")) name.resize(name.size() - 3);
  for (const ModelShape& shape : all_models()) {
    if (shape.name == name) return shape;
  }
  core::fail_input(row.where, "model", row.source, "is unknown", "a name from 'list models'");
}

std::vector<Matrix> matrices_of(const MeasuredRow& row) {
  if (row.family == MeasuredFamily::kGemm) return {{"gemm", row.n, row.k}};
  const ModelShape& model = model_of(row);
  return {{"linear.qkv", model.q_dim() + 2 * model.kv_dim(), model.d_model},
          {"linear.o", model.d_model, model.q_dim()},
          {"linear.up", (model.gated() ? 2 : 1) * model.ffn_dim, model.d_model},
          {"linear.down", model.d_model, model.ffn_dim}};
}

// Gives out aligned address ranges; fails at the row's place when memory is used up.
class Space {
 public:
  Space(const MeasuredRow& row, std::uint64_t limit) : row_(row), limit_(limit) {}
  std::uint64_t take(std::uint64_t bytes) {
    const std::uint64_t start = next_;
    if (bytes > limit_ || start > limit_ - bytes) {
      core::fail_input(row_.where, "", "", "case '" + row_.case_name() + "' does not fit memory",
                       std::to_string(limit_) + " bytes");
    }
    next_ = (start + bytes + kAlign - 1) / kAlign * kAlign;
    return start;
  }
  std::uint64_t left() const { return limit_ - std::min(limit_, next_); }

 private:
  const MeasuredRow& row_;
  std::uint64_t limit_;
  std::uint64_t next_ = 0;
};

isa::Kernel gemm_of(const isa::CoreShape& shape, const MeasuredRow& row, const Matrix& matrix,
                    std::uint64_t memory_bytes) {
  Space space(row, memory_bytes);
  kernels::LinearArgs args;
  args.w.dtype = row.dtype;
  args.w.n = matrix.n;
  args.w.k = matrix.k;
  args.w.panel_rows = shape.matrix_cols;
  args.w.address = space.take(args.w.footprint_bytes());
  args.x.dtype = args.y.dtype = row.dtype;
  args.x.rows = args.y.rows = row.m;
  args.x.cols = matrix.k;
  args.y.cols = matrix.n;
  args.x.address = space.take(args.x.bytes());
  args.y.address = space.take(args.y.bytes());
  return kernels::linear(shape, args, matrix.name);
}

// The tensors of an attention case; kernels hold a share of it.
struct AttentionCase {
  kernels::Tensor qkv, out;
  kernels::KvCache cache;
  std::vector<std::uint32_t> blocks;
  std::vector<kernels::Sequence> sequences;
};

std::shared_ptr<AttentionCase> attention_case(const MeasuredRow& row, Space& space) {
  auto one = std::make_shared<AttentionCase>();
  const bool decode = row.family == MeasuredFamily::kDecodeAttention;
  const std::int64_t new_tokens = decode ? 1 : row.tokens;
  const std::int64_t context = decode ? row.tokens + 1 : row.tokens;
  const std::int64_t per_sequence = (context + kBlockTokens - 1) / kBlockTokens;
  one->qkv.dtype = one->out.dtype =
      row.dtype == core::DType::kFp16 ? row.dtype : core::DType::kBf16;
  one->qkv.rows = one->out.rows = row.batch * new_tokens;
  one->qkv.cols = (row.q_heads + 2 * row.kv_heads) * row.head_dim;
  one->out.cols = row.q_heads * row.head_dim;
  one->qkv.address = space.take(one->qkv.bytes());
  one->out.address = space.take(one->out.bytes());
  one->cache.dtype = row.dtype;
  one->cache.kv_heads = row.kv_heads;
  one->cache.head_dim = row.head_dim;
  one->cache.block_tokens = kBlockTokens;
  one->cache.address = space.take(static_cast<std::uint64_t>(one->cache.block_bytes()) *
                                  static_cast<std::uint64_t>(row.batch * per_sequence));
  one->blocks.resize(static_cast<std::size_t>(row.batch * per_sequence));
  std::iota(one->blocks.begin(), one->blocks.end(), 0u);
  Random random(kBlockSeed);
  for (std::size_t i = one->blocks.size(); i > 1; --i) {
    std::swap(one->blocks[i - 1], one->blocks[random.below(i)]);
  }
  for (std::int64_t s = 0; s < row.batch; ++s) {
    one->sequences.push_back(
        {s * new_tokens, new_tokens, context, one->blocks.data() + s * per_sequence});
  }
  return one;
}

std::vector<isa::Kernel> attention_of(const isa::CoreShape& shape, const MeasuredRow& row,
                                      std::uint64_t memory_bytes) {
  Space space(row, memory_bytes);
  const auto one = attention_case(row, space);
  kernels::AttentionArgs args;
  args.q = one->qkv;
  args.out = one->out;
  args.cache = one->cache;
  args.heads = row.q_heads;
  args.sequences = one->sequences;
  args.most_splits = kMostSplits;
  args.workspace_address = space.take(kernels::workspace_bytes(shape, args));
  isa::Kernel kernel = kernels::attention(shape, args, "attention");
  kernel.program = [one, program = std::move(kernel.program)](isa::CorePort& core) {
    return program(core);
  };
  return {kernel};
}

bool is_gemm(const MeasuredRow& row) {
  return row.family == MeasuredFamily::kGemm || row.family == MeasuredFamily::kLinearLayer;
}

double size_of(core::DType dtype) { return static_cast<double>(core::bits_of(dtype)) / 8; }

}  // namespace

std::vector<isa::Kernel> measured_case(const isa::CoreShape& shape, const MeasuredRow& row,
                                       std::uint64_t memory_bytes) {
  if (!is_gemm(row)) return attention_of(shape, row, memory_bytes);
  std::vector<isa::Kernel> kernels;
  for (const Matrix& matrix : matrices_of(row)) {
    kernels.push_back(gemm_of(shape, row, matrix, memory_bytes));
  }
  return kernels;
}

CaseWork measured_work(const MeasuredRow& row) {
  CaseWork work;
  if (is_gemm(row)) {
    const auto m = static_cast<double>(row.m);
    for (const Matrix& matrix : matrices_of(row)) {
      const auto n = static_cast<double>(matrix.n);
      const auto k = static_cast<double>(matrix.k);
      work.flops += 2 * m * n * k;
      work.bytes += size_of(row.dtype) * (n * k + m * k + m * n);
      work.weight_bytes = std::max(work.weight_bytes, size_of(row.dtype) * n * k);
    }
    return work;
  }
  const auto batch = static_cast<double>(row.batch);
  const auto tokens = static_cast<double>(row.tokens);
  const auto q_dim = static_cast<double>(row.q_heads * row.head_dim);
  const auto kv_dim = static_cast<double>(row.kv_heads * row.head_dim);
  const bool decode = row.family == MeasuredFamily::kDecodeAttention;
  const double new_tokens = decode ? 1 : tokens;
  const double visible = decode ? tokens + 1 : tokens * (tokens + 1) / 2;
  work.flops = 4 * batch * q_dim * visible;
  work.bytes = batch * (size_of(row.dtype) * 2 * kv_dim * tokens +
                        2 * size_of(core::DType::kBf16) * q_dim * new_tokens);
  return work;
}

bool stays_cached(const MeasuredRow& row, std::int64_t cached_bytes) {
  constexpr double kCopies = 1.5;
  return !is_gemm(row) && kCopies * measured_work(row).bytes <= static_cast<double>(cached_bytes);
}

std::string size_class_of(const MeasuredRow& row, std::int64_t shared_bytes) {
  if (row.family == MeasuredFamily::kGemm &&
      measured_work(row).weight_bytes <= static_cast<double>(shared_bytes)) {
    return "in-cache";
  }
  if (is_gemm(row)) return row.m <= kSmallM ? "m<=64" : "m>64";
  const bool enough_rows =
      row.family == MeasuredFamily::kPrefillAttention || row.batch >= kLongBatch;
  return row.tokens >= kLongTokens && enough_rows ? "long" : "short";
}

}  // namespace ridgepoint::workloads
