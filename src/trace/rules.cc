#include "trace/rules.h"

#include <fmt/format.h>

#include <array>

#include "base/file.h"
#include "base/text.h"
#include "base/try.h"
#include "kstar/trace.h"
#include "spec/toml_source.h"

namespace kstar {

std::string_view trace_rules() {
  return R"(# What an operation is, by its name: used where the trace does not say it. The first rule
# that matches decides; those of --rules come before these. Patterns are RE2.
# class: communication, copy, compute, none. host: also when it runs on the CPU.

[[rule]]
pattern = '(?i)^(gloo|mpi|ucc):'
class = "communication"
library = "gloo, MPI or UCC"
host = true
[[rule]]
pattern = '(?i)^(nccl|rccl|hccl|xccl):'
class = "none"                       # the call on the CPU; the kernel is what takes the time
[[rule]]
pattern = '(?i)^MPI_(All|Reduce|Bcast|Gather|Scatter|Barrier|Send|Recv|Wait|I(all|send|recv))'
class = "communication"
library = "MPI"
host = true
[[rule]]
pattern = '^nccl(Dev)?Kernel|^ncclSym|ncclKernel|^nccl'
class = "communication"
library = "NCCL"
[[rule]]
pattern = '(?i)rccl|^msccl'
class = "communication"
library = "RCCL or MSCCL"
[[rule]]
pattern = '(?i)^hccl|^hcom_|^xccl|oneccl'
class = "communication"
library = "HCCL or oneCCL"
[[rule]]
pattern = '(?i)deep_ep::|internode_ll|^intranode::|^internode::'
class = "communication"
collective = "all-to-all"
library = "DeepEP"
[[rule]]
pattern = '(?i)nvshmem'
class = "communication"
library = "NVSHMEM"
[[rule]]
pattern = '(?i)cross_device_reduce|custom_?all_?reduce|quick_?reduce|lamport'
class = "communication"
collective = "all-reduce"
library = "custom all-reduce"
[[rule]]
pattern = '(?i)(one|two)_?shot_?all_?reduce|all_?reduce_?fusion|multimem|symm_?mem'
class = "communication"
collective = "all-reduce"
library = "symmetric memory"
[[rule]]
pattern = '(?i)userbuffers|^ub_|mscclpp|^mori::'
class = "communication"
library = "user buffers"
[[rule]]
pattern = '(?i)memcpy PtoP|memcpy.*peer|CopyPeerToPeer'
class = "communication"
collective = "peer copy"
library = "peer copy"
[[rule]]
pattern = '(?i)^(hip)?mem(cpy|set)|^copybuffer|^fillbuffer|^dma'
class = "copy"
[[rule]]
pattern = '(?i)all[_-]?reduce|all[_-]?gather|reduce[_-]?scatter|all[_-]?to[_-]?all|-(send|recv)$'
class = "communication"
library = "by its name alone"
[[rule]]
pattern = '(?i)sync(hronize)?$|^Stream Wait|^Event (Sync|Record)|^Context Sync'
class = "none"
[[rule]]
pattern = '(?i)at::|c10::|aten|torch|cub::|thrust::|cutlass|cudnn|cublas|gemm|gemv|xmma|nvjet'
class = "compute"
[[rule]]
pattern = '(?i)triton|flash|fmha|attention|elementwise|reduce_kernel|softmax|layer_?norm|rms_?norm'
class = "compute"
[[rule]]
pattern = '(?i)conv|winograd|fft|embedding|fbgemm|apex|transformer_engine|deep_gemm|vllm::|sglang'
class = "compute"
[[rule]]
pattern = '(?i)Cijk_|^ck::|miopen|hipblas|tensile|aiter|sort|scan|scatter|gather|index|topk|copy'
class = "compute"
[[rule]]
pattern = '(?i)compute|forward|backward|optimizer|adam|sgd|dropout|norm|gelu|silu|relu|rope|rotary'
class = "compute"
[[rule]]
pattern = '(?i)cast|transpose|fill|pool|loss|quant|matmul|sgemm|kernel_agent|^void |^gc$'
class = "compute"
)";
}

}  // namespace kstar

namespace kstar::tracing {

namespace {

std::optional<Kind> kind_named(std::string_view name) {
  if (name == "communication") return Kind::kCommunication;
  if (name == "compute") return Kind::kCompute;
  if (name == "copy") return Kind::kCopy;
  if (name == "none") return Kind::kNone;
  return std::nullopt;
}

Result<std::string> text_of(const TomlSource& source, const toml::table& table, const char* key) {
  const toml::node* node = table.get(key);
  if (node == nullptr) return std::string();
  if (const auto text = node->value_exact<std::string>()) return *text;
  return fail(source.error(node->source().begin,
                           expected("", fmt::format("{} = \"...\"", key), shown(*node)).message));
}

Result<Rule> read_rule(const TomlSource& source, const toml::table& table) {
  for (const auto& [key, node] : table) {
    const std::string_view name = key.str();
    if (name == "pattern" || name == "class" || name == "collective" || name == "library" ||
        name == "host") {
      continue;
    }
    return fail(
        source.error(key.source().begin,
                     expected("", "pattern, class, collective, library or host", name).message));
  }
  KSTAR_TRY(const std::string pattern, text_of(source, table, "pattern"));
  KSTAR_TRY(const std::string kind, text_of(source, table, "class"));
  KSTAR_TRY(std::string collective, text_of(source, table, "collective"));
  KSTAR_TRY(std::string library, text_of(source, table, "library"));
  const auto known = kind_named(kind);
  if (pattern.empty() || !known) {
    return fail(source.error(
        table.source().begin,
        "expected pattern = '...' and class = \"communication\", \"copy\", \"compute\" or "
        "\"none\" in [[rule]]"));
  }
  bool host = false;
  if (const toml::node* node = table.get("host")) {
    const auto value = node->value_exact<bool>();
    if (!value) {
      return fail(source.error(node->source().begin,
                               expected("", "host = true or false", shown(*node)).message));
    }
    host = *value;
  }
  const Error at = source.error(table.source().begin, "");
  KSTAR_TRY(Pattern compiled, Pattern::compile_name(pattern, at.where));
  return Rule{std::move(compiled), *known, std::move(collective), std::move(library), host};
}

}  // namespace

Result<void> Rules::add(std::string_view text, std::string_view where) {
  const TomlSource source(text, where);
  KSTAR_TRY(const toml::table root, source.parse());
  for (const auto& [key, node] : root) {
    const toml::array* list = node.as_array();
    if (key.str() != "rule" || list == nullptr || !list->is_homogeneous<toml::table>()) {
      return fail(source.error(key.source().begin,
                               expected("", "tables such as [[rule]]", key.str()).message));
    }
    for (const toml::node& one : *list) {
      KSTAR_TRY(Rule rule, read_rule(source, *one.as_table()));
      rules_.push_back(std::move(rule));
    }
  }
  return {};
}

Result<Rules> Rules::load(const std::string& path) {
  static const Result<Rules> kBuiltIn = []() -> Result<Rules> {
    Rules rules;
    KSTAR_CHECK(rules.add(trace_rules(), "built-in rules"));
    return rules;
  }();
  if (path.empty() || !kBuiltIn) return kBuiltIn;
  Rules rules;
  KSTAR_TRY(const FileText text, read_regular_file(path, TomlSource::kLargestFile));
  KSTAR_CHECK(rules.add(text.view(), path));
  rules.rules_.insert(rules.rules_.end(), kBuiltIn->rules_.begin(), kBuiltIn->rules_.end());
  return rules;
}

const Rule* Rules::find(std::string_view name) const {
  for (const Rule& rule : rules_) {
    if (rule.pattern.is_in(name)) return &rule;
  }
  return nullptr;
}

std::string collective_name(std::string_view text) {
  struct Word {
    std::string_view part, name;
  };
  static constexpr std::array kWords = {Word{"allreduce", "all-reduce"},
                                        Word{"reducescatter", "reduce-scatter"},
                                        Word{"allgather", "all-gather"},
                                        Word{"alltoall", "all-to-all"},
                                        Word{"all2all", "all-to-all"},
                                        Word{"broadcast", "broadcast"},
                                        Word{"bcast", "broadcast"},
                                        Word{"sendrecv", "send-receive"},
                                        Word{"send", "send"},
                                        Word{"recv", "receive"},
                                        Word{"barrier", "barrier"},
                                        Word{"gather", "gather"},
                                        Word{"scatter", "scatter"},
                                        Word{"reduce", "reduce"},
                                        Word{"dispatch", "all-to-all"},
                                        Word{"combine", "all-to-all"},
                                        Word{"peercopy", "peer copy"},
                                        Word{"ptop", "peer copy"}};
  std::string plain;
  for (const char c : lower_case(text)) {
    if (c != '_' && c != '-' && c != ' ') plain += c;
  }
  for (const Word& word : kWords) {
    if (plain.find(word.part) != std::string::npos) return std::string(word.name);
  }
  return "";
}

}  // namespace kstar::tracing
