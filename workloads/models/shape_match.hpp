// SPDX-License-Identifier: Apache-2.0
// What the loaders share once a file's header is understood. Internal to them.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "workloads/models/loaded_model.hpp"
#include "workloads/models/shape.hpp"

namespace ridgepoint::workloads {

// InputError naming the first size in which the file's shape differs from the expected one.
// Otherwise takes over its name, family and published figures. max_context may differ (the file's
// stays), since fine-tuned files often change it.
void take_expected(ModelShape& shape, const ModelShape& expected, const std::string& path);

// InputError if a file of this size cannot hold so many parameters at 4 bits or more; called before
// anything is made in proportion to the header's sizes.
void check_file_holds(const ModelShape& shape, std::uint64_t file_bytes, const std::string& path);

// Puts tensors into the order of tensor_specs; all of them must be there.
LoadedModel assemble(const ModelShape& shape, std::map<std::string, Tensor> tensors);

}  // namespace ridgepoint::workloads
