// SPDX-License-Identifier: Apache-2.0
#include "workloads/models/registry.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <set>
#include <type_traits>
#include <utility>

#include "sim/config/suggest.hpp"
#include "sim/core/error.hpp"
#include "sim/core/text_lines.hpp"
#include "workloads/models/models_csv.hpp"

namespace ridgepoint::workloads {
namespace {

// In the order of the columns below; the header may have them in any order.
enum Column : std::size_t {
  kName,
  kFamily,
  kLayers,
  kDModel,
  kHeads,
  kKvHeads,
  kHeadDim,
  kFfnDim,
  kVocab,
  kTied,
  kNorm,
  kNormsPerLayer,
  kActivation,
  kQkvBias,
  kOtherBias,
  kQkNorm,
  kSinks,
  kWindow,
  kWindowLocal,
  kWindowGlobal,
  kRopeTheta,
  kRopeThetaLocal,
  kRotaryDim,
  kMaxContext,
  kMoeExperts,
  kMoeActive,
  kMoeFfnDim,
  kMoeShared,
  kMoeFirstDense,
  kMoeRouterBias,
  kMlaQLora,
  kMlaKvLora,
  kMlaQkNope,
  kMlaQkRope,
  kMlaVDim,
  kParams,
  kPublished,
  kPublishedActive,
  kSource,
  kColumns
};
constexpr std::array<const char*, kColumns> kColumnNames{"name",
                                                         "family",
                                                         "layers",
                                                         "d_model",
                                                         "heads",
                                                         "kv_heads",
                                                         "head_dim",
                                                         "ffn_dim",
                                                         "vocab",
                                                         "tied_embeddings",
                                                         "norm",
                                                         "norms_per_layer",
                                                         "activation",
                                                         "qkv_bias",
                                                         "other_bias",
                                                         "qk_norm",
                                                         "attention_sinks",
                                                         "sliding_window",
                                                         "window_local_layers",
                                                         "window_global_layers",
                                                         "rope_theta",
                                                         "rope_theta_local",
                                                         "rotary_dim",
                                                         "max_context",
                                                         "moe_experts",
                                                         "moe_active",
                                                         "moe_ffn_dim",
                                                         "moe_shared",
                                                         "moe_first_dense",
                                                         "moe_router_bias",
                                                         "mla_q_lora",
                                                         "mla_kv_lora",
                                                         "mla_qk_nope",
                                                         "mla_qk_rope",
                                                         "mla_v_dim",
                                                         "params",
                                                         "published_params",
                                                         "published_active_params",
                                                         "source"};

// Where the columns stand in a file's header. InputError for one that is missing or unknown.
std::array<std::size_t, kColumns> positions_in(const core::CsvCells& table) {
  std::array<std::size_t, kColumns> positions{};
  std::string names;
  for (std::size_t column = 0; column < kColumns; ++column) {
    names += (column == 0 ? "" : ", ") + std::string(kColumnNames[column]);
  }
  const core::Location header{table.name(), 1, 0};
  for (std::size_t column = 0; column < kColumns; ++column) {
    const int found = table.find(kColumnNames[column]);
    if (found < 0) {
      core::fail_input(header, kColumnNames[column], "", "is a missing column", names);
    }
    positions[column] = static_cast<std::size_t>(found);
  }
  for (const std::string& name : table.header()) {
    if (std::find(kColumnNames.begin(), kColumnNames.end(), name) == kColumnNames.end()) {
      core::fail_input(header, name, "", "is an unknown column", names);
    }
  }
  return positions;
}

class Row {
 public:
  Row(const core::CsvCells& table, const std::vector<core::CsvCell>& cells,
      const std::array<std::size_t, kColumns>& positions)
      : table_(table), cells_(cells), positions_(positions) {}

  std::string text(Column column) const {
    if (blank(column)) fail(column, "is blank", "a text");
    return cell(column).text;
  }
  bool blank(Column column) const { return cell(column).text.empty(); }
  std::int64_t count(Column column) const {
    return number<std::int64_t>(column, "a whole number from 0 to 9223372036854775807");
  }
  std::int64_t count_or_zero(Column column) const { return blank(column) ? 0 : count(column); }
  double real_or_zero(Column column) const {
    return blank(column) ? 0 : number<double>(column, "a number from 0");
  }
  bool flag(Column column) const {
    const std::int64_t value = count(column);
    if (value > 1) fail(column, "is not a flag", "0, 1");
    return value == 1;
  }
  template <typename Value, std::size_t N>
  Value choice(Column column,
               const std::array<std::pair<std::string_view, Value>, N>& known) const {
    std::string names;
    for (const auto& [name, value] : known) {
      if (name == cell(column).text) return value;
      names += (names.empty() ? "" : ", ") + std::string(name);
    }
    fail(column, "is unknown", names);
  }

 private:
  template <typename Number>
  Number number(Column column, const char* accepted) const {
    const std::string& text = cell(column).text;
    Number value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || !(value >= 0) ||
        value > std::numeric_limits<Number>::max()) {
      fail(column, "is not a number in range", accepted);
    }
    return value;
  }
  const core::CsvCell& cell(Column column) const { return cells_[positions_[column]]; }
  [[noreturn]] void fail(Column column, const char* what, const std::string& accepted) const {
    core::fail_input(table_.at(cell(column).column), kColumnNames[column], cell(column).text, what,
                     accepted);
  }

  const core::CsvCells& table_;
  const std::vector<core::CsvCell>& cells_;
  const std::array<std::size_t, kColumns>& positions_;
};

constexpr std::array<std::pair<std::string_view, NormKind>, 2> kNorms{
    {{"rmsnorm", NormKind::kRmsNorm}, {"layernorm", NormKind::kLayerNorm}}};
constexpr std::array<std::pair<std::string_view, Activation>, 4> kActivations{
    {{"swiglu", Activation::kSwiGlu},
     {"gelu", Activation::kGelu},
     {"geglu", Activation::kGeGlu},
     {"swiglu_clamped", Activation::kSwiGluClamped}}};

void read_experts_and_latent(const Row& row, ModelShape& shape) {
  if (!row.blank(kMoeExperts)) {
    shape.moe = MoeShape{.experts = row.count(kMoeExperts),
                         .active = row.count(kMoeActive),
                         .ffn_dim = row.count(kMoeFfnDim),
                         .shared_experts = row.count(kMoeShared),
                         .first_dense_layers = row.count(kMoeFirstDense),
                         .router_bias = row.flag(kMoeRouterBias)};
  }
  if (!row.blank(kMlaKvLora)) {
    shape.mla = MlaShape{.q_lora = row.count(kMlaQLora),
                         .kv_lora = row.count(kMlaKvLora),
                         .qk_nope = row.count(kMlaQkNope),
                         .qk_rope = row.count(kMlaQkRope),
                         .v_dim = row.count(kMlaVDim)};
  }
}

ModelShape shape_from(const Row& row) {
  ModelShape shape;
  shape.name = row.text(kName);
  shape.family = row.text(kFamily);
  shape.layers = row.count(kLayers);
  shape.d_model = row.count(kDModel);
  shape.heads = row.count(kHeads);
  shape.kv_heads = row.count(kKvHeads);
  shape.head_dim = row.count(kHeadDim);
  shape.ffn_dim = row.count(kFfnDim);
  shape.vocab = row.count(kVocab);
  shape.tied_embeddings = row.flag(kTied);
  shape.norm = row.choice(kNorm, kNorms);
  shape.norms_per_layer = row.count(kNormsPerLayer);
  shape.activation = row.choice(kActivation, kActivations);
  shape.qkv_bias = row.flag(kQkvBias);
  shape.other_bias = row.flag(kOtherBias);
  shape.qk_norm = row.flag(kQkNorm);
  shape.attention_sinks = row.flag(kSinks);
  shape.sliding_window = row.count_or_zero(kWindow);
  shape.window_local_layers = row.count_or_zero(kWindowLocal);
  shape.window_global_layers = row.count_or_zero(kWindowGlobal);
  shape.rope_theta = row.real_or_zero(kRopeTheta);
  shape.rope_theta_local = row.real_or_zero(kRopeThetaLocal);
  shape.rotary_dim = row.count_or_zero(kRotaryDim);
  shape.max_context = row.count(kMaxContext);
  read_experts_and_latent(row, shape);
  shape.declared_params = row.count_or_zero(kParams);
  shape.published_params = row.count_or_zero(kPublished);
  shape.published_active_params = row.count_or_zero(kPublishedActive);
  shape.source = row.text(kSource);
  return shape;
}

}  // namespace

std::vector<ModelShape> parse_models(std::string_view text, const std::string& file_name) {
  core::CsvCells table(core::TextLines::from_text(file_name, std::string(text)));
  const std::array<std::size_t, kColumns> positions = positions_in(table);
  std::vector<ModelShape> models;
  std::set<std::string> names;
  std::vector<core::CsvCell> cells;
  while (table.next(cells)) {
    ModelShape shape = shape_from(Row(table, cells, positions));
    check_shape(shape, file_name + ":" + std::to_string(table.line_number()) + ": " + shape.name);
    if (!names.insert(shape.name).second) {
      core::fail_input(table.at(1), "name", shape.name, "stands twice", "each model once");
    }
    models.push_back(std::move(shape));
  }
  return models;
}

const std::vector<ModelShape>& all_models() {
  static const std::vector<ModelShape> kModels = parse_models(kModelsCsv, "models.csv");
  return kModels;
}

const ModelShape& find_model(std::string_view name, const core::Location& where,
                             const std::string& key) {
  std::string accepted;
  std::vector<std::string> names;
  for (const ModelShape& model : all_models()) {
    if (model.name == name) return model;
    names.push_back(model.name);
    accepted += (accepted.empty() ? "" : ", ") + model.name;
  }
  core::fail_input(where, key, std::string(name),
                   config::with_suggestion("is unknown", name, names), accepted);
}

}  // namespace ridgepoint::workloads
