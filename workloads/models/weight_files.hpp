// SPDX-License-Identifier: Apache-2.0
// Weight files as published, read without a conversion step: llama2.c checkpoints (versions 0, 1,
// 2), safetensors with Hugging Face names, GGUF v3 of architecture "llama".
// A file that is truncated, too long, inconsistent or not understood is an InputError naming file,
// offset or tensor, value and what is accepted. Nothing is allocated from an unchecked count.
#pragma once

#include <string>

#include "workloads/models/loaded_model.hpp"
#include "workloads/models/shape.hpp"

namespace ridgepoint::workloads {

// Finds out the format from the file's first bytes. `expected`, if given, is the shape the file
// must have (its name, norm_eps and rope_theta are then taken from it where the file is silent).
// Values stored as F32, F16 or BF16 keep their bits; Q8_0, Q4_0 and int8 groups become fp32.
// Rows of q and k come out in interleaved rotary order whatever the file has.
LoadedModel load_weights(const std::string& path, const ModelShape* expected = nullptr);

// The formats one by one. Source: the export script of llama2.c (karpathy/llama2.c export.py).
LoadedModel load_llama2c(const std::string& path, const ModelShape* expected = nullptr);
// Source: huggingface/safetensors README, "Format". The file does not say how many heads there are
// or how positions are encoded: that comes from `expected`, from config.json beside the file, or
// from the one known model with tensors of these sizes. q and k rows are taken to be in the
// half-split order of Hugging Face unless `__metadata__` has rope_layout = meta-interleaved.
LoadedModel load_safetensors(const std::string& path, const ModelShape* expected = nullptr);
// Source: ggml docs/gguf.md, version 3.
LoadedModel load_gguf(const std::string& path, const ModelShape* expected = nullptr);

}  // namespace ridgepoint::workloads
