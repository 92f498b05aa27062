// SPDX-License-Identifier: Apache-2.0
// The shape of a model as Hugging Face writes it beside its safetensors file. Internal to the
// loaders.
#pragma once

#include <string>

#include "workloads/models/shape.hpp"

namespace ridgepoint::workloads {

// Reads config.json of model_type llama, mistral, qwen2 or qwen3. Throws InputError for other
// types and for anything that would change the values (rope scaling, another activation, biases
// elsewhere than in the type's own place).
ModelShape read_hf_config(const std::string& path);

}  // namespace ridgepoint::workloads
