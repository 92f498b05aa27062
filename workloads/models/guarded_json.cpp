// SPDX-License-Identifier: Apache-2.0
#include "workloads/models/guarded_json.hpp"

#include <set>
#include <utility>
#include <vector>

#include "sim/core/error.hpp"

namespace ridgepoint::workloads {

nlohmann::json parse_guarded_json(const std::string& text, int deepest, const std::string& file,
                                  const std::string& what) {
  using Event = nlohmann::json::parse_event_t;
  std::vector<std::set<std::string>> keys;  // one set per open object
  const auto watch = [&](int depth, Event event, nlohmann::json& parsed) {
    const bool opens = event == Event::object_start || event == Event::array_start;
    if (opens && depth >= deepest) {
      core::fail_input({file, 0, 0}, what, "", "is nested too deep",
                       std::to_string(deepest) + " levels");
    }
    if (event == Event::object_start) keys.emplace_back();
    if (event == Event::object_end) keys.pop_back();
    if (event == Event::key && !keys.back().insert(parsed.get<std::string>()).second) {
      core::fail_input({file, 0, 0}, what, parsed.get<std::string>(), "is a key that stands twice",
                       "each key once");
    }
    return true;
  };
  try {
    return nlohmann::json::parse(text, watch);
  } catch (const nlohmann::json::parse_error& error) {
    core::fail_input({file, 0, 0}, what, "",
                     "is not JSON (byte " + std::to_string(error.byte) + ")", "one JSON object");
  } catch (const nlohmann::json::exception&) {  // a number no double can hold
    core::fail_input({file, 0, 0}, what, "", "has a number out of range", "finite numbers");
  }
}

}  // namespace ridgepoint::workloads
