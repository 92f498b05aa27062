// SPDX-License-Identifier: Apache-2.0
// The names of functions and variables are those of FIPS 180-4, sections 4.1.2, 4.2.2, 5 and 6.2.
#include "sim/config/sha256.hpp"

#include <array>
#include <bit>
#include <cstdint>

namespace ridgepoint::config {
namespace {

using Word = std::uint32_t;

// Section 4.2.2: the first 32 bits of the fractional parts of the cube roots of the first 64
// primes.
constexpr std::array<Word, 64> kK{
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

constexpr std::size_t kBlockBytes = 64;

Word choose(Word x, Word y, Word z) { return (x & y) ^ (~x & z); }
Word majority(Word x, Word y, Word z) { return (x & y) ^ (x & z) ^ (y & z); }
Word big_sigma0(Word x) { return std::rotr(x, 2) ^ std::rotr(x, 13) ^ std::rotr(x, 22); }
Word big_sigma1(Word x) { return std::rotr(x, 6) ^ std::rotr(x, 11) ^ std::rotr(x, 25); }
Word small_sigma0(Word x) { return std::rotr(x, 7) ^ std::rotr(x, 18) ^ (x >> 3); }
Word small_sigma1(Word x) { return std::rotr(x, 17) ^ std::rotr(x, 19) ^ (x >> 10); }

// Section 5.1.1: a one bit, zeros, and the length in bits, to a whole number of blocks.
std::string padded(std::string_view message) {
  std::string text(message);
  const std::uint64_t bits = std::uint64_t{message.size()} * 8;
  text += '\x80';
  while (text.size() % kBlockBytes != kBlockBytes - 8) text += '\0';
  for (int shift = 56; shift >= 0; shift -= 8) text += static_cast<char>((bits >> shift) & 0xff);
  return text;
}

// Section 6.2.2 for one block.
void compress(std::array<Word, 8>& hash, std::string_view block) {
  std::array<Word, 64> w{};
  for (std::size_t t = 0; t < 16; ++t) {
    for (std::size_t byte = 0; byte < 4; ++byte) {
      w[t] = (w[t] << 8) | static_cast<unsigned char>(block[4 * t + byte]);
    }
  }
  for (std::size_t t = 16; t < 64; ++t) {
    w[t] = small_sigma1(w[t - 2]) + w[t - 7] + small_sigma0(w[t - 15]) + w[t - 16];
  }
  auto [a, b, c, d, e, f, g, h] = hash;
  for (std::size_t t = 0; t < 64; ++t) {
    const Word t1 = h + big_sigma1(e) + choose(e, f, g) + kK[t] + w[t];
    const Word t2 = big_sigma0(a) + majority(a, b, c);
    h = g;
    g = f;
    f = e;
    e = d + t1;
    d = c;
    c = b;
    b = a;
    a = t1 + t2;
  }
  const std::array<Word, 8> state{a, b, c, d, e, f, g, h};
  for (std::size_t i = 0; i < hash.size(); ++i) hash[i] += state[i];
}

}  // namespace

std::string sha256_hex(std::string_view message) {
  static constexpr std::string_view kHex = "0123456789abcdef";
  // Section 5.3.3: from the square roots of the first eight primes.
  std::array<Word, 8> hash{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                           0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  const std::string text = padded(message);
  for (std::size_t at = 0; at < text.size(); at += kBlockBytes) {
    compress(hash, std::string_view(text).substr(at, kBlockBytes));
  }
  std::string digits;
  for (const Word word : hash) {
    for (int shift = 28; shift >= 0; shift -= 4) digits += kHex[(word >> shift) & 15];
  }
  return digits;
}

}  // namespace ridgepoint::config
