// SPDX-License-Identifier: Apache-2.0
// `report`: result tables as one page of pictures.
#include "results/report.hpp"

#include "results/csv_writer.hpp"
#include "sim/cli/commands.hpp"

namespace ridgepoint::cli {

int report_command(const Context& context) {
  const std::string& path = context.options.text("report.out");
  if (path.empty()) {
    context.out << results::report_page(context.arguments);
    return 0;
  }
  results::OutputFile file(path);
  file.write(results::report_page(context.arguments));
  file.commit();
  context.say("written: " + path);
  return 0;
}

}  // namespace ridgepoint::cli
