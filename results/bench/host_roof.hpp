// SPDX-License-Identifier: Apache-2.0
// One thread's roof: fp32 multiply-adds per second in registers, and bytes per second read from
// memory, each measured now. Vectors are as wide as the processor's.
#pragma once

#include <span>

namespace ridgepoint::bench {

double register_flops_per_s();
// `buffer` should be several times larger than the last cache.
double stream_bytes_per_s(std::span<const float> buffer);

}  // namespace ridgepoint::bench
