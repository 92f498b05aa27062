// SPDX-License-Identifier: Apache-2.0
#include "workloads/models/gguf_header.hpp"

#include <set>
#include <utility>

#include "sim/core/error.hpp"

namespace ridgepoint::workloads {
namespace {

enum Type : std::uint32_t {
  kU8,
  kI8,
  kU16,
  kI16,
  kU32,
  kI32,
  kF32,
  kBool,
  kString,
  kArray,
  kU64,
  kI64,
  kF64
};
constexpr std::uint64_t kLongestName = 65535;
constexpr std::uint64_t kLongestText = std::uint64_t{1} << 26;
constexpr int kDeepestArray = 4;

std::uint64_t fixed_size(std::uint32_t type) {
  switch (type) {
    case kU8:
    case kI8:
    case kBool:
      return 1;
    case kU16:
    case kI16:
      return 2;
    case kU32:
    case kI32:
    case kF32:
      return 4;
    case kU64:
    case kI64:
    case kF64:
      return 8;
    default:
      return 0;
  }
}

std::string take_string(Cursor& cursor, const std::string& what, std::uint64_t longest) {
  const std::uint64_t at = cursor.offset();
  const auto length = cursor.take<std::uint64_t>(what + " length");
  if (length > longest) {
    cursor.file().fail(what + " length", std::to_string(length), "is too long", at,
                       "at most " + std::to_string(longest) + " bytes");
  }
  return cursor.take_text(length, what);
}

template <typename Integer>
GgufValue take_integer(Cursor& cursor, const std::string& key) {
  const auto value = cursor.take<Integer>(key);
  if constexpr (std::is_signed_v<Integer>) {
    if (value < 0) return std::int64_t{value};
  }
  return static_cast<std::uint64_t>(value);
}

[[noreturn]] void fail_type(Cursor& cursor, const std::string& key, std::uint32_t type) {
  cursor.file().fail(key + " type", std::to_string(type), "is unknown", cursor.offset() - 4,
                     "0 to 12");
}

GgufArray take_array(Cursor& cursor, const std::string& key, int depth) {
  GgufArray array;
  array.type = cursor.take<std::uint32_t>(key + " element type");
  if (array.type > kF64) fail_type(cursor, key, array.type);
  const std::uint64_t at = cursor.offset();
  array.count = cursor.take<std::uint64_t>(key + " length");
  // The smallest element of each kind: a number, an empty string, an empty array.
  const std::uint64_t fixed = fixed_size(array.type);
  const std::uint64_t smallest = fixed > 0 ? fixed : array.type == kString ? 8 : 12;
  if (array.count > cursor.remaining() / smallest) {
    cursor.file().fail(key + " length", std::to_string(array.count),
                       "runs past the end of the file", at,
                       "at most " + std::to_string(cursor.remaining() / smallest));
  }
  if (array.type == kArray && depth >= kDeepestArray) {
    cursor.file().fail(key, "", "has arrays in arrays too deep", at, "4 levels");
  }
  if (fixed > 0 && array.type != kF32) {
    cursor.skip(fixed * array.count, key);
    return array;
  }
  for (std::uint64_t i = 0; i < array.count; ++i) {
    if (array.type == kF32) array.floats.push_back(cursor.take<float>(key));
    if (array.type == kString) array.texts.push_back(take_string(cursor, key, kLongestText));
    if (array.type == kArray) take_array(cursor, key, depth + 1);
  }
  return array;
}

GgufValue take_value(Cursor& cursor, const std::string& key) {
  const auto type = cursor.take<std::uint32_t>(key + " type");
  switch (type) {
    case kU8:
      return take_integer<std::uint8_t>(cursor, key);
    case kI8:
      return take_integer<std::int8_t>(cursor, key);
    case kU16:
      return take_integer<std::uint16_t>(cursor, key);
    case kI16:
      return take_integer<std::int16_t>(cursor, key);
    case kU32:
      return take_integer<std::uint32_t>(cursor, key);
    case kI32:
      return take_integer<std::int32_t>(cursor, key);
    case kU64:
      return take_integer<std::uint64_t>(cursor, key);
    case kI64:
      return take_integer<std::int64_t>(cursor, key);
    case kF32:
      return double{cursor.take<float>(key)};
    case kF64:
      return cursor.take<double>(key);
    case kString:
      return take_string(cursor, key, kLongestText);
    case kArray:
      return take_array(cursor, key, 1);
    case kBool: {
      const auto value = cursor.take<std::uint8_t>(key);
      if (value > 1) {
        cursor.file().fail(key, std::to_string(value), "is not a bool", cursor.offset() - 1,
                           "0, 1");
      }
      return value == 1;
    }
    default:
      fail_type(cursor, key, type);
  }
}

}  // namespace

GgufHeader::GgufHeader(BinaryFile& file) : file_(file) {
  Cursor cursor(file);
  if (cursor.take_text(4, "magic") != "GGUF") file.fail("magic", "", "is wrong", 0, "GGUF");
  const auto version = cursor.take<std::uint32_t>("version");
  if (version != 3) file.fail("version", std::to_string(version), "is not supported", 4, "3");
  const auto tensor_count = cursor.take<std::uint64_t>("tensor count");
  const auto value_count = cursor.take<std::uint64_t>("key count");
  // The smallest entries: an empty key of one byte; a name with one size.
  if (value_count > cursor.remaining() / 13) {
    file.fail("key count", std::to_string(value_count), "does not fit in the file", 16,
              "at most " + std::to_string(cursor.remaining() / 13));
  }
  if (tensor_count > cursor.remaining() / 32) {
    file.fail("tensor count", std::to_string(tensor_count), "does not fit in the file", 8,
              "at most " + std::to_string(cursor.remaining() / 32));
  }
  read_values(cursor, value_count);
  alignment_ = count("general.alignment", 32);
  if (alignment_ == 0 || alignment_ % 8 != 0 || alignment_ > (std::uint64_t{1} << 20)) {
    core::fail_input({file.path(), 0, 0}, "general.alignment", std::to_string(alignment_),
                     "is not an alignment", "a multiple of 8 up to 1048576");
  }
  read_tensors(cursor, tensor_count);
  data_offset_ = (cursor.offset() + alignment_ - 1) / alignment_ * alignment_;
}

void GgufHeader::read_values(Cursor& cursor, std::uint64_t count) {
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t at = cursor.offset();
    std::string key = take_string(cursor, "key", kLongestName);
    GgufValue value = take_value(cursor, key);
    if (!values_.emplace(key, std::move(value)).second) {
      cursor.file().fail("key", key, "stands twice", at, "each key once");
    }
  }
}

void GgufHeader::read_tensors(Cursor& cursor, std::uint64_t count) {
  std::set<std::string> names;
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t at = cursor.offset();
    GgufTensor tensor;
    tensor.name = take_string(cursor, "tensor name", kLongestName);
    if (!names.insert(tensor.name).second) {
      cursor.file().fail("tensor name", tensor.name, "stands twice", at, "each tensor once");
    }
    const auto dimensions = cursor.take<std::uint32_t>(tensor.name + " dimensions");
    if (dimensions < 1 || dimensions > 4) {
      cursor.file().fail(tensor.name + " dimensions", std::to_string(dimensions), "is out of range",
                         cursor.offset() - 4, "1 to 4");
    }
    for (std::uint32_t d = 0; d < dimensions; ++d) {
      tensor.sizes.push_back(cursor.take<std::uint64_t>(tensor.name + " size"));
    }
    tensor.type = cursor.take<std::uint32_t>(tensor.name + " type");
    tensor.offset = cursor.take<std::uint64_t>(tensor.name + " offset");
    tensors_.push_back(std::move(tensor));
  }
}

template <typename Kind>
const Kind* GgufHeader::find(const std::string& key, const char* accepted, bool required) const {
  const auto found = values_.find(key);
  if (found == values_.end()) {
    if (!required) return nullptr;
    core::fail_input({file_.path(), 0, 0}, key, "", "is missing", accepted);
  }
  if (const auto* value = std::get_if<Kind>(&found->second)) return value;
  core::fail_input({file_.path(), 0, 0}, key, "", "has a value of another kind", accepted);
}

const GgufArray* GgufHeader::array(const std::string& key) const {
  return find<GgufArray>(key, "an array", false);
}

std::uint64_t GgufHeader::count(const std::string& key,
                                std::optional<std::uint64_t> fallback) const {
  const auto* value = find<std::uint64_t>(key, "a whole number from 0", !fallback.has_value());
  return value != nullptr ? *value : *fallback;
}

double GgufHeader::real(const std::string& key, std::optional<double> fallback) const {
  const auto* value = find<double>(key, "a number with a fraction", !fallback.has_value());
  return value != nullptr ? *value : *fallback;
}

std::string GgufHeader::text(const std::string& key, std::optional<std::string> fallback) const {
  const auto* value = find<std::string>(key, "a text", !fallback.has_value());
  return value != nullptr ? *value : *fallback;
}

}  // namespace ridgepoint::workloads
