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
            const ConstReferenceCache& cache, const float* sink, std::vector<float>& scores,
            float* out) {
  const std::int64_t width = cache.head_dim;
  const float scale = 1.0f / std::sqrt(static_cast<float>(width));
  scores.clear();
  for (std::int64_t t = first; t <= last; ++t) {
    const float* key = cache.k.data() + cache.at(t, kv_head);
    float sum = 0;
    for (std::int64_t i = 0; i < width; ++i) sum += q[i] * key[i];
    scores.push_back(sum * scale);
  }

  float largest = *std::max_element(scores.begin(), scores.end());
  if (sink != nullptr) largest = std::max(largest, *sink);
  float total = sink != nullptr ? std::exp(*sink - largest) : 0;
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
                         std::span<float> out, std::span<const float> sinks) {
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
      attend(q.data() + at, first, last, head / (heads / cache.kv_heads), cache,
             sinks.empty() ? nullptr : &sinks[static_cast<std::size_t>(head)], scores,
             out.data() + at);
    }
  }
}

void latent_attention_reference(std::span<const float> q, const LatentSizes& z,
                                std::span<const float> cache, std::span<const float> uk,
                                std::span<const float> uv, std::span<float> out) {
  const std::int64_t row = z.latent + z.rope, dim = z.nope + z.rope;
  const std::int64_t context = static_cast<std::int64_t>(cache.size()) / row;
  const std::int64_t m_count = static_cast<std::int64_t>(q.size()) / (z.heads * dim);
  require_size(out.size(), m_count * z.heads * z.v_dim, "latent attention: out");
  require_size(uk.size(), z.heads * z.nope * z.latent, "latent attention: uk");
  require_size(uv.size(), z.heads * z.v_dim * z.latent, "latent attention: uv");
  const auto times_latent = [&](const float* matrix, std::int64_t t, std::int64_t i) {
    float sum = 0;
    for (std::int64_t c = 0; c < z.latent; ++c)
      sum += matrix[i * z.latent + c] * cache[static_cast<std::size_t>(t * row + c)];
    return sum;
  };
  // One head's keys and values, then plain attention with them.
  for (std::int64_t h = 0; h < z.heads; ++h) {
    const std::int64_t width = std::max(dim, z.v_dim);
    std::vector<float> k(static_cast<std::size_t>(context * width)), v(k.size());
    for (std::int64_t t = 0; t < context; ++t) {
      float* key = k.data() + t * width;
      for (std::int64_t i = 0; i < z.nope; ++i)
        key[i] = times_latent(uk.data() + h * z.nope * z.latent, t, i);
      for (std::int64_t i = 0; i < z.rope; ++i)
        key[z.nope + i] = cache[static_cast<std::size_t>(t * row + z.latent + i)];
      for (std::int64_t i = 0; i < z.v_dim; ++i)
        v[static_cast<std::size_t>(t * width + i)] =
            times_latent(uv.data() + h * z.v_dim * z.latent, t, i);
    }
    for (std::int64_t m = 0; m < m_count; ++m) {
      // attend() scales by its width; q carries the rest.
      std::vector<float> query(static_cast<std::size_t>(width)), result(query.size()), scores;
      const float rest = std::sqrt(static_cast<float>(width) / static_cast<float>(dim));
      for (std::int64_t i = 0; i < dim; ++i)
        query[static_cast<std::size_t>(i)] =
            q[static_cast<std::size_t>((m * z.heads + h) * dim + i)] * rest;
      const ConstReferenceCache head{k, v, 1, width, 0, {}};
      attend(query.data(), 0, context - m_count + m, 0, head, nullptr, scores, result.data());
      std::copy_n(result.data(), z.v_dim, out.data() + (m * z.heads + h) * z.v_dim);
    }
  }
}

}  // namespace ridgepoint::kernels
