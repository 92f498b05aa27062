// SPDX-License-Identifier: Apache-2.0
// Shell completions: subcommands, their flags, and the names that flags and lists accept.
#include <set>

#include "sim/cli/docs.hpp"
#include "sim/cli/subcommands.hpp"
#include "sim/config/machines.hpp"
#include "sim/config/option_table.hpp"
#include "workloads/models/registry.hpp"

namespace ridgepoint::cli {
namespace {

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

std::vector<std::string> flags_for(const Subcommand& subcommand) {
  std::vector<std::string> flags{"--help"};
  for (const config::OptionRef& option : config::all_options()) {
    const bool other = subcommand.takes_others && config::used_by(option, "run");
    if (config::used_by(option, subcommand.name) || other) {
      flags.push_back(config::flag_of(*option.row));
    }
  }
  return flags;
}

// The names a flag accepts; "@file" for a path; empty if any text or number will do.
std::string values_for(const config::OptionRow& row) {
  std::vector<std::string> names;
  if (row.flag == "machine") {
    for (const config::MachinePreset& preset : config::machine_presets()) {
      names.emplace_back(preset.name);
    }
  } else if (row.flag == "model") {
    for (const workloads::ModelShape& model : workloads::all_models()) names.push_back(model.name);
  } else if (row.type == config::OptionType::kChoice) {
    names = config::split_words(row.accepted, '|');
  } else if (row.unit.starts_with("path")) {
    return "@file";
  }
  return joined(names);
}

// "machines|models" -> "machines models"; other positionals are files.
std::string positionals_for(const Subcommand& subcommand) {
  if (subcommand.positionals.find('|') == std::string_view::npos) return "@file";
  return joined(config::split_words(subcommand.positionals, '|'));
}

// case arms for both shells: "pattern) words='...' ;;"
std::string value_arms() {
  std::string text;
  for (const config::OptionRef& option : config::all_options()) {
    const std::string values = values_for(*option.row);
    if (values.empty()) continue;
    text += "    " + config::flag_of(*option.row) + ") words='" + values + "' ;;\n";
  }
  return text;
}

std::string flag_arms() {
  std::string text;
  for (const Subcommand& one : subcommands()) {
    text += "    " + std::string(one.name) + ") flags='" + joined(flags_for(one)) + "' words='" +
            positionals_for(one) + "' ;;\n";
  }
  return text;
}

}  // namespace

std::string bash_completion() {
  return "# SPDX-License-Identifier: Apache-2.0\n"
         "# bash completion, written by `ridgepoint docs bash`\n"
         "_ridgepoint() {\n"
         "  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}\n"
         "  local words='' flags=''\n"
         "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
         "    COMPREPLY=($(compgen -W '" +
         joined(subcommand_names()) +
         " --help --version' -- \"$current\"))\n"
         "    return\n"
         "  fi\n"
         "  case \"$previous\" in\n" +
         value_arms() +
         "  esac\n"
         "  if [ -z \"$words\" ]; then\n"
         "    case \"${COMP_WORDS[1]}\" in\n" +
         flag_arms() +
         "    esac\n"
         "    case \"$current\" in -*) words=$flags ;; esac\n"
         "  fi\n"
         "  if [ \"$words\" = @file ]; then\n"
         "    compopt -o default\n"
         "    COMPREPLY=()\n"
         "  else\n"
         "    COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
         "  fi\n"
         "}\n"
         "complete -F _ridgepoint ridgepoint\n";
}

std::string zsh_completion() {
  return "#compdef ridgepoint\n"
         "# SPDX-License-Identifier: Apache-2.0\n"
         "# zsh completion, written by `ridgepoint docs zsh`\n"
         "local words_before=(\"${words[@]}\") current=${words[CURRENT]} "
         "previous=${words[CURRENT-1]}\n"
         "_ridgepoint_choices() {\n"
         "  local words='' flags=''\n"
         "  case \"$2\" in\n" +
         value_arms() +
         "  esac\n"
         "  if [ -z \"$words\" ]; then\n"
         "    case \"$1\" in\n" +
         flag_arms() +
         "    esac\n"
         "    case \"$3\" in -*) words=$flags ;; esac\n"
         "  fi\n"
         "  print -r -- \"$words\"\n"
         "}\n"
         "if (( CURRENT == 2 )); then\n"
         "  compadd -- " +
         joined(subcommand_names()) +
         " --help --version\n"
         "  return\n"
         "fi\n"
         "local choices=\"$(_ridgepoint_choices \"${words_before[2]}\" \"$previous\" "
         "\"$current\")\"\n"
         "if [[ $choices == @file ]]; then\n"
         "  _files\n"
         "else\n"
         "  compadd -- ${=choices}\n"
         "fi\n";
}

}  // namespace ridgepoint::cli
