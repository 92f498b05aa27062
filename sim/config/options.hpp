// SPDX-License-Identifier: Apache-2.0
// The frozen values of all options of one run, each with where it came from. Made once by
// read_options(); nothing changes it afterwards.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sim/config/option_table.hpp"
#include "sim/core/error.hpp"

namespace ridgepoint::config {

struct Origin {
  enum class Kind : std::uint8_t { kUnset, kDefault, kFile, kFlag };
  Kind kind = Kind::kUnset;
  core::Location where{};  // of kFile
};

class Options {
 public:
  Options();

  // Keys are checked: an unknown key or a getter of another type is a std::logic_error.
  // has() is false for an optional option that nothing has set.
  bool has(std::string_view key) const;
  std::int64_t integer(std::string_view key) const;
  double real(std::string_view key) const;  // also of an integer option
  const std::string& text(
      std::string_view key) const;  // of any type, in canonical form; "" if unset
  std::vector<std::string> texts(std::string_view key) const;  // of a repeated option, in order
  bool enabled(std::string_view key) const;                    // of a switch

  const Origin& origin(std::string_view key) const;
  // "default", "a100-80g.ini:12" or "--batch".
  std::string origin_text(std::string_view key) const;
  // Throws InputError about the option's present value, naming where that was given.
  [[noreturn]] void fail(std::string_view key, const std::string& what,
                         const std::string& accepted) const;

  // Sorted "key=value" lines of what decides results, and its SHA-256: the name of a configuration.
  const std::string& canonical() const { return canonical_; }
  const std::string& sha256() const { return sha256_; }

 private:
  friend class OptionsBuilder;
  struct Value {
    std::string text;
    double real = 0;
    std::int64_t integer = 0;
    Origin origin;
  };
  const Value& value(std::string_view key) const;
  const Value& set_value(std::string_view key) const;  // InputError if unset

  std::vector<Value> values_;  // by OptionRef::index
  std::string canonical_;
  std::string sha256_;
};

// Collects values, the most important source first: a later set() of a key that has one is ignored.
class OptionsBuilder {
 public:
  // Types, checks and stores a value; true if it was the first. Throws InputError naming `where`
  // (or the flag, if `where` has no file), the value and what is accepted.
  bool set(const OptionRef& option, const std::string& value, const core::Location& where);
  bool is_set(const OptionRef& option) const;
  const Options& so_far() const { return options_; }
  // Fills defaults, checks that what `subcommand` requires is there, and freezes.
  Options finish(std::string_view subcommand);

 private:
  void store(const OptionRef& option, const std::string& value, const Origin& origin,
             const std::string& shown_key);
  Options options_;
};

}  // namespace ridgepoint::config
