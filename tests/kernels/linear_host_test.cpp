// SPDX-License-Identifier: Apache-2.0
// The host's own linear layer against the plain reference, at sizes around its tiles.
#include <gtest/gtest.h>

#include "kernels/linear/host.hpp"
#include "kernels/linear/reference.hpp"
#include "sim/core/error.hpp"
#include "tests/kernels/machines.hpp"

namespace ridgepoint::kernels {
namespace {

TEST(LinearHost, IsTheReferenceToRounding) {
  for (const std::size_t m : {1U, 3U, 11U, 12U, 25U}) {
    for (const std::size_t n : {1U, 31U, 32U, 70U}) {
      for (const std::size_t k : {1U, 16U, 17U, 513U, 1024U}) {
        const auto x = test_machines::seeded_values(m * k, 1);
        const auto w = test_machines::seeded_values(n * k, 2);
        std::vector<float> expected(m * n), y(m * n, -7.0f);
        linear_reference(x, w, {}, static_cast<std::int64_t>(k), expected);
        linear_host(x, w, static_cast<std::int64_t>(k), y);
        const double rounding = 1e-6 * static_cast<double>(k);  // of k products of values near 1
        for (std::size_t i = 0; i < y.size(); ++i) {
          ASSERT_NEAR(y[i], expected[i], rounding) << m << 'x' << n << 'x' << k;
        }
      }
    }
  }
  std::vector<float> short_y(1);
  EXPECT_THROW(linear_host(std::vector<float>(4), std::vector<float>(6), 2, short_y),
               core::CheckError);
}

}  // namespace
}  // namespace ridgepoint::kernels
