// SPDX-License-Identifier: Apache-2.0
// Tile commands: what a kernel asks of the engines of one core. Each engine runs its commands in
// program order; a command starts when its tokens are done.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <initializer_list>

#include "sim/isa/view.hpp"

namespace ridgepoint::isa {

enum class Engine : std::uint8_t { kLoad, kMatrix, kVector, kStore };
inline constexpr std::size_t kEngines = 4;
inline constexpr std::array<std::string_view, kEngines> kEngineNames{"load", "matrix", "vector",
                                                                     "store"};

// Completion of one command, valid until the kernel that issued it ends.
struct Token {
  static constexpr std::uint32_t kNone = 0xffffffffu;
  std::uint32_t index = kNone;
  bool valid() const { return index != kNone; }
};

// A region of a core's scratchpad or accumulators: [rows, cols], row-major.
struct Tile {
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  core::DType dtype = core::DType::kFp16;
  float* values = nullptr;  // rows * cols floats when values are attached
};

// Up to kMost tokens a command waits for.
struct Deps {
  static constexpr std::size_t kMost = 6;
  std::array<Token, kMost> tokens{};
  std::uint32_t count = 0;

  Deps() = default;
  Deps(std::initializer_list<Token> list) {
    for (const Token token : list) add(token);
  }
  // Tokens that are not valid are ignored; throws SimulationError past kMost.
  void add(Token token);
};

// acc[m, n] (+)= a[m, k] * b, b stored [n, k] (a weight, K rows of K*Q^T) or [k, n] (V of P*V).
struct MatrixOp {
  Tile acc, a, b;
  std::int64_t m = 0, n = 0, k = 0;
  bool accumulate = false;
  bool b_is_kn = false;
  core::DType dtype = core::DType::kFp16;  // sets the array's rate
  std::int64_t slowdown = 1;  // times the cycles: what issues it cannot fill the engine
  bool on_lanes = false;      // few rows: at the rate of the vector lanes, past the array
};

// `elements` passed `passes` times through the lanes; `exponentials` of these operations take as
// long as the special lanes need, where there are fewer of those.
struct VectorOp {
  std::int64_t elements = 0;
  std::int64_t passes = 1;
  std::int64_t exponentials = 0;  // of the elements' operations, those that are exponentials
  std::int64_t slowdown = 1;      // times the cycles, as of a MatrixOp
};

struct Command {
  Engine engine = Engine::kVector;
  Token token;
  Deps deps;
  View view;  // load and store
  Tile tile;  // load: destination; store: source
  MatrixOp matrix;
  VectorOp vector;
  std::function<void()> compute;  // vector: what it does to values; empty in timing-only runs
};

}  // namespace ridgepoint::isa
