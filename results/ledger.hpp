// SPDX-License-Identifier: Apache-2.0
// The growing file of a sweep: finished rows are appended one by one and survive a kill at any
// moment; the file is locked against a second sweep; at the end it is replaced, whole, by its rows
// in their final order.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ridgepoint::results {

class Ledger {
 public:
  // Opens and locks `path`. Without `resume` it must not hold anything yet. With it the rows that
  // are there must have this header; a last line that was cut off is dropped, and so are rows whose
  // status is not "ok": they are run again. Throws InputError.
  Ledger(std::string path, std::vector<std::string> header, bool resume);
  Ledger(const Ledger&) = delete;
  Ledger& operator=(const Ledger&) = delete;
  ~Ledger();

  // Rows found by `resume`, by config_sha256.
  const std::map<std::string, std::vector<std::string>>& finished() const { return finished_; }

  // The row is in the file when this returns; on an error (a full disk) nothing of it is.
  void append(std::span<const std::string> cells);
  // Replaces the file by the header and these rows.
  void replace(std::span<const std::vector<std::string>> rows);

 private:
  [[noreturn]] void fail(const std::string& what, const std::string& accepted) const;
  [[noreturn]] void fail_errno() const;
  void lock();
  bool load(const std::string& text);
  void write_all(int descriptor, std::string_view text) const;

  std::string path_;
  std::vector<std::string> header_;
  std::map<std::string, std::vector<std::string>> finished_;
  int descriptor_ = -1;
};

}  // namespace ridgepoint::results
