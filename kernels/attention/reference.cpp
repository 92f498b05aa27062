// SPDX-License-Identifier: Apache-2.0
#include "kernels/attention/reference.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "kernels/require.hpp"

namespace ridgepoint::kernels {
namespace {

// One query head at one position. q, out [head_dim]; scores is room for last - first + 1 numbers.
void attend(const float* q, std::int64_t first, std::int64_t last, std::int64_t kv_head,
            const ConstReferenceCache& cache, std::vector<float>& scores, float* out) {
  const std::int64_t width = cache.head_dim;
  const float scale = 1.0f / std::sqrt(static_cast<float>(width));
  scores.clear();
  for (std::int64_t t = first; t <= last; ++t) {
    const float* key = cache.k.data() + cache.at(t, kv_head);
    float sum = 0;
    for (std::int64_t i = 0; i < width; ++i) sum += q[i] * key[i];
    scores.push_back(sum * scale);
  }

  const float largest = *std::max_element(scores.begin(), scores.end());
  float total = 0;
  for (float& score : scores) total += score = std::exp(score - largest);

  std::fill_n(out, width, 0.0f);
  for (std::int64_t t = first; t <= last; ++t) {
    const float* value = cache.v.data() + cache.at(t, kv_head);
    const float weight = scores[static_cast<std::size_t>(t - first)];
    for (std::int64_t i = 0; i < width; ++i) out[i] += weight * value[i];
  }
  for (std::int64_t i = 0; i < width; ++i) out[i] /= total;
}

}  // namespace

void attention_reference(std::span<const float> q, std::int64_t heads, std::int64_t first_position,
                         std::int64_t window, const ConstReferenceCache& cache,
                         std::span<float> out) {
  require(heads > 0 && cache.kv_heads > 0 && heads % cache.kv_heads == 0,
          "attention: heads must be a multiple of kv_heads");
  const std::int64_t width = heads * cache.head_dim;
  require(width > 0 && static_cast<std::int64_t>(q.size()) % width == 0 && first_position >= 0 &&
              window >= 0,
          "attention: q is not [M, heads, head_dim]");
  require_size(out.size(), static_cast<std::int64_t>(q.size()), "attention: out");
  const std::int64_t rows = static_cast<std::int64_t>(q.size()) / width;
  check_kv_cache(cache, first_position + rows);
  std::vector<float> scores;
  for (std::int64_t m = 0; m < rows; ++m) {
    const std::int64_t last = first_position + m;
    const std::int64_t first = window > 0 ? std::max<std::int64_t>(0, last - window + 1) : 0;
    for (std::int64_t head = 0; head < heads; ++head) {
      const std::int64_t at = m * width + head * cache.head_dim;
      attend(q.data() + at, first, last, head / (heads / cache.kv_heads), cache, scores,
             out.data() + at);
    }
  }
}

}  // namespace ridgepoint::kernels
