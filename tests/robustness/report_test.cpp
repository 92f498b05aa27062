// SPDX-License-Identifier: Apache-2.0
// The report: one page without references to anything else, and what a browser draws of it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <regex>

#include "results/csv_reader.hpp"
#include "tests/robustness/program.hpp"

namespace ridgepoint::tests {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;
using Arguments = std::vector<std::string>;

class Report : public ProgramTest {
 protected:
  std::string page(Arguments files) const {
    files.insert(files.begin(), "report");
    files.insert(files.end(), {"--out", "r.html"});
    const Outcome outcome = run(files);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return slurp(folder() / "r.html");
  }
  void make_sweep() const {
    EXPECT_EQ(run({"sweep", "--model", "stories260K", "--vary", "batch=1,2,4", "--vary",
                   "phase+tokens=decode+1,prefill+8", "--csv", "sweep.csv"})
                  .exit_code,
              0);
    EXPECT_EQ(run({"run", "--model", "stories260K", "--batch", "2", "--csv", "run.csv",
                   "--kernels-csv", "kernels.csv"})
                  .exit_code,
              0);
  }
  static std::string browser() {
    for (const char* name : {"chromium", "chromium-browser", "google-chrome"}) {
      const std::string command = std::string("command -v ") + name + " >/dev/null 2>&1";
      if (std::system(command.c_str()) == 0) return name;
    }
    return {};
  }
  // The page as the browser has drawn it, and a picture of it beside r.html.
  std::string drawn(const std::string& more) const {
    const std::string base = "cd '" + folder().string() + "' && timeout 120 " + browser() +
                             " --headless --no-sandbox --enable-logging=stderr --disable-gpu --user-data-dir=profile"
                             " --virtual-time-budget=5000 " +
                             more;
    const std::string url = " 'file://" + folder().string() + "/r.html' ";
    EXPECT_EQ(std::system((base + " --dump-dom" + url + ">dom.html 2>log").c_str()), 0);
    EXPECT_EQ(std::system((base + " --screenshot=r.png" + url + ">>log 2>&1").c_str()), 0);
    EXPECT_THAT(slurp(folder() / "log"), Not(HasSubstr("CONSOLE"))) << slurp(folder() / "log");
    return slurp(folder() / "dom.html");
  }
};

std::size_t count(const std::string& text, const std::string& pattern) {
  const std::regex regex(pattern);
  return static_cast<std::size_t>(
      std::distance(std::sregex_iterator(text.begin(), text.end(), regex), {}));
}

// From the heading of a section to the next one.
std::string section_of(const std::string& dom, const std::string& title) {
  const std::size_t at = dom.find("<h2>" + title);
  return at == std::string::npos ? "" : dom.substr(at, dom.find("</section>", at) - at);
}

TEST_F(Report, ThePageIsAllThereIs) {
  make_sweep();
  const std::string html = page({"sweep.csv", "run.csv", "kernels.csv"});
  EXPECT_EQ(page({"sweep.csv", "run.csv", "kernels.csv"}), html);
  EXPECT_EQ(run({"report", "sweep.csv", "run.csv", "kernels.csv"}).out, html);
  EXPECT_EQ(run({"report", "sweep.csv", "run.csv", "kernels.csv", "-o", "short.html"}).exit_code,
            0);
  EXPECT_EQ(slurp(folder() / "short.html"), html);
  // The only address is the name of SVG, which nobody fetches.
  EXPECT_EQ(count(html, "https?://"), 1U);
  EXPECT_EQ(count(html, "(src|href)=\"(?!data:)"), 0U);
  for (const char* fetching : {"fetch(", "import ", "XMLHttpRequest", "@import", "url(http"}) {
    EXPECT_THAT(html, Not(HasSubstr(fetching)));
  }
  EXPECT_THAT(html, HasSubstr("default-src 'none'"));
  EXPECT_THAT(html, HasSubstr("prefers-color-scheme: dark"));
  EXPECT_THAT(html, HasSubstr("width=device-width"));
}

// The tables are in the page cell by cell, and no cell can break out of them.
TEST_F(Report, CellsStayCells) {
  const std::string nasty = "</script><img src=x onerror=alert(1)> \"quoted\" /*SCRIPT*/";
  file("t.csv",
       "name,value_count\n\"</script><img src=x onerror=alert(1)> \"\"quoted\"\" "
       "/*SCRIPT*/\",7\nplain,\n");
  const std::string html = page({"t.csv"});
  EXPECT_THAT(html, Not(HasSubstr("<img")));
  const std::string mark = "id=\"data\">";
  const std::size_t begin = html.find(mark) + mark.size();
  const auto data =
      nlohmann::json::parse(html.substr(begin, html.find("</script>", begin) - begin));
  EXPECT_EQ(data[0]["rows"][0][0], nasty);
  EXPECT_EQ(data[0]["columns"][1]["number"], true);
  EXPECT_EQ(data[0]["rows"][1][1], "");
}

TEST_F(Report, KernelRowsCarryTheKeysOfTheirStep) {
  make_sweep();
  results::CsvReader step(folder() / "run.csv");
  results::CsvReader kernels(folder() / "kernels.csv");
  ASSERT_TRUE(step.next());
  int rows = 0;
  for (; kernels.next(); ++rows) {
    for (const char* key : {"seed", "machine", "model", "phase", "batch_count", "new_tokens_count",
                            "context_tokens_count"}) {
      EXPECT_EQ(kernels.text(key), step.text(key)) << key;
      EXPECT_NE(kernels.text(key), "") << key;
    }
  }
  EXPECT_GT(rows, 5);
}

TEST_F(Report, ABrowserDrawsSteps) {
  if (browser().empty()) GTEST_SKIP() << "no Chromium is installed";
  make_sweep();
  page({"sweep.csv", "run.csv", "kernels.csv"});
  const std::string dom = drawn("--window-size=1200,900");
  EXPECT_THAT(dom, HasSubstr("data-drawn=\"true\""));
  const std::string roofline = section_of(dom, "Roofline");
  // Seven steps, and every kernel that does matrix work.
  EXPECT_GE(count(roofline, "class=\"mark\""), 7U + 5U);
  EXPECT_GE(count(roofline, "class=\"axis roof\""), 1U);
  EXPECT_THAT(roofline, HasSubstr("arithmetic intensity, FLOP/byte"));
  EXPECT_THAT(roofline, HasSubstr("linear.qkv"));
  EXPECT_THAT(roofline, Not(HasSubstr("NaN")));
  EXPECT_GE(count(section_of(dom, "Time by kernel family"), "<rect class=\"mark\""), 5U);
  EXPECT_GE(count(section_of(dom, "Matrix engines: sweep.csv"), "<rect class=\"mark\""), 12U);
  EXPECT_GE(count(section_of(dom, "HBM data buses: sweep.csv"), "<rect class=\"mark\""), 12U);
  const std::string front = section_of(dom, "Trade-offs: sweep.csv");
  EXPECT_EQ(count(front, "class=\"mark\""), 6U);
  EXPECT_EQ(count(front, "class=\"axis front\""), 1U);
  EXPECT_EQ(count(section_of(dom, "Tables"), "<tr>"), 1U + 6U);
  EXPECT_GT(std::filesystem::file_size(folder() / "r.png"), 10'000U);
  // On a phone nothing is wider than the screen, except inside the table's own scroll area.
  const std::string phone = drawn("--window-size=400,800");
  EXPECT_THAT(phone, ContainsRegex("viewBox=\"0 0 [0-9]+ "));
  const std::regex box("viewBox=\"0 0 ([0-9]+) ");
  std::size_t boxes = 0;
  for (std::sregex_iterator at(phone.begin(), phone.end(), box), end; at != end; ++at, ++boxes) {
    EXPECT_LT(std::stoi((*at)[1]), 600);
  }
  EXPECT_GT(boxes, 5U);
}

// What a reader does, done by a script at the end of the page; it leaves its notes on the body.
constexpr const char* kReader = R"(<script>{
const note = (name, value) => document.body.setAttribute('data-' + name, value);
const rows = () => [...document.querySelectorAll('tbody tr')];
const column = (name) => [...document.querySelectorAll('thead th')]
    .findIndex((one) => one.textContent.startsWith(name));
const batches = () => rows().map((row) => row.children[column('batch_count')].textContent).join();
const press = (target, key) => target.dispatchEvent(
    new KeyboardEvent('keydown', {key, bubbles: true, cancelable: true}));
const head = () => document.querySelectorAll('thead th')[column('batch_count')];
head().firstChild.click();
head().firstChild.click();
note('sorted', batches() + ' ' + head().getAttribute('aria-sort'));
note('focus', document.activeElement === head().firstChild);
const filter = document.querySelector('input[type=search]');
filter.value = 'prefill stories';
filter.dispatchEvent(new Event('input'));
note('filtered', rows().length);
const chart = document.querySelector('figure svg[tabindex="0"]');
chart.focus();
press(chart, 'ArrowRight');
const tip = chart.closest('figure').querySelector('.tip');
note('tip', tip.hidden ? '' : tip.textContent);
press(chart, 'Escape');
note('dark', matchMedia('(prefers-color-scheme: dark)').matches);
note('paper', getComputedStyle(document.body).backgroundColor);
note('wider', document.documentElement.scrollWidth > window.innerWidth);
const reachable = 'button, input, select, a[href], [tabindex="0"]';
note('reachable', document.querySelectorAll(reachable).length);
}</script>)";

TEST_F(Report, AReaderSortsFiltersAndUsesTheKeyboardInLightAndDarkAndOnAPhone) {
  if (browser().empty()) GTEST_SKIP() << "no Chromium is installed";
  make_sweep();
  std::string html = page({"sweep.csv", "run.csv", "kernels.csv"});
  html.insert(html.rfind("</body>"), kReader);
  file("r.html", html);
  const std::string wide = drawn("--window-size=1200,900");
  EXPECT_THAT(wide, HasSubstr("data-sorted=\"4,4,2,2,1,1 descending\""));
  EXPECT_THAT(wide, HasSubstr("data-focus=\"true\""));
  EXPECT_THAT(wide, HasSubstr("data-filtered=\"3\""));
  EXPECT_THAT(wide, ContainsRegex("data-tip=\"[^\"]*FLOP/byte"));
  EXPECT_THAT(wide, HasSubstr("data-dark=\"false\""));
  EXPECT_THAT(wide, HasSubstr("data-paper=\"rgb(255, 255, 255)\""));
  std::filesystem::rename(folder() / "r.png", folder() / "light.png");
  const std::string dark = drawn("--window-size=1200,900 --blink-settings=preferredColorScheme=0");
  EXPECT_THAT(dark, HasSubstr("data-dark=\"true\""));
  EXPECT_THAT(dark, HasSubstr("data-paper=\"rgb(21, 23, 27)\""));
  EXPECT_NE(slurp(folder() / "r.png"), slurp(folder() / "light.png"));
  const std::string phone = drawn("--window-size=400,800");
  EXPECT_THAT(phone, HasSubstr("data-wider=\"false\""));
  EXPECT_THAT(phone, HasSubstr("data-sorted=\"4,4,2,2,1,1 descending\""));
}

TEST_F(Report, ABrowserDrawsServing) {
  if (browser().empty()) GTEST_SKIP() << "no Chromium is installed";
  ASSERT_EQ(
      run({"serve", "--trace", "synthetic-chat", "--take-requests", "40", "--model", "stories260K",
           "--csv", "s.csv", "--requests-csv", "requests.csv", "--steps-csv", "steps.csv"})
          .exit_code,
      0);
  page({"s.csv", "requests.csv", "steps.csv"});
  const std::string dom = drawn("--window-size=1200,900");
  EXPECT_THAT(dom, HasSubstr("data-drawn=\"true\""));
  for (const char* title : {"Concurrency over time", "Cache memory over time",
                            "Time to first token", "Time per output token"}) {
    const std::string part = section_of(dom, title);
    EXPECT_GE(count(part, "class=\"mark\""), 1U) << title;
    EXPECT_THAT(part, Not(HasSubstr("NaN"))) << title;
  }
  EXPECT_THAT(section_of(dom, "Time to first token"), HasSubstr("TTFT, ms"));
  EXPECT_THAT(section_of(dom, "Cache memory over time"), HasSubstr("cache memory, GiB"));
}

TEST_F(Report, BadInputIsOneLineAndLeavesNoPage) {
  file("empty.csv", "a,b\n");
  const auto refused = [&](const Arguments& files, const std::string& says) {
    Arguments all{"report", "--out", "r.html"};
    all.insert(all.end(), files.begin(), files.end());
    const Outcome outcome = run(all);
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_THAT(outcome.err, HasSubstr(says));
    EXPECT_EQ(names_in_folder(), Arguments{"empty.csv"});
  };
  refused({}, "needs files");
  refused({"missing.csv"}, "missing.csv");
  refused({"empty.csv"}, "has no rows");
  const Outcome onto_itself = run({"report", "empty.csv", "--out", "empty.csv"});
  EXPECT_EQ(onto_itself.exit_code, 2);
  EXPECT_EQ(slurp(folder() / "empty.csv"), "a,b\n");
}

}  // namespace
}  // namespace ridgepoint::tests
