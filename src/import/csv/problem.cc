#include "import/csv/problem.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/json_document.h"
#include "base/product.h"
#include "base/text.h"
#include "base/try.h"
#include "import/csv/name_table.h"
#include "import/join.h"
#include "import/offers.h"

namespace kstar {

namespace {

bool is_program_setting(const Column& column) {
  return column.says.kind == ColumnKind::kBuild || names_setting(column.name);
}

/// "20 000 cells per core", "constant work per thread": each of them has as much as that. Of a
/// column's name any noun will do.
bool says_part(const Words& words, bool any_noun) {
  bool amount = false;
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    const std::string& word = words[i];
    const bool per =
        word == "per" || word == "par" || word == "pro" || word == "por" || word == "je";
    if (per && i > 0 && amount && is_worker_word(words[i + 1])) {
      const std::string& noun = words[i - 1];
      const bool sized = means(noun, Sense::kSize) || noun == "work" || noun == "workload";
      if (sized || (any_noun && !is_worker_word(noun))) return true;
    }
    amount = amount || is_digit(word[0]) || word == "constant" || word == "fixed" ||
             word == "same" || word == "equal";
  }
  return false;
}

/// The least T at each K.
std::map<int, double> least_times(const Study& study) {
  std::map<int, double> least;
  for (const Run& run : study.runs) {
    if (failed(run) || !run.wall) continue;
    const auto place = least.try_emplace(run.workers, *run.wall).first;
    place->second = std::min(place->second, *run.wall);
  }
  return least;
}

std::vector<Offer> weak_or_strong() {
  return {offer("regime", "weak", "if the work grows in proportion to K"),
          offer("regime", "strong", "if it does not grow")};
}

}  // namespace

std::optional<Regime> regime_called(std::string_view text, bool any_noun) {
  const Words words = words_of(text);
  const bool weak = holds(words, "weak") || says_part(words, any_noun),
             strong = holds(words, "strong");
  if (weak == strong) return {};
  return weak ? Regime::kWeak : Regime::kStrong;
}

Result<void> TableProblem::see(std::size_t row, int workers) {
  const Roles& roles = known_.roles;
  if (roles.regime) regime_ = regime_named(known_.table.at(row, *roles.regime));
  if (roles.sizes.empty() && !roles.batch && !roles.converged && !roles.steps && !roles.epochs) {
    return {};
  }
  Workload& problem = problems_[workers];
  problem.workers = workers;
  KSTAR_CHECK(see_amounts(row, problem));
  return see_steps(row, problem);
}

Result<void> TableProblem::see_amounts(std::size_t row, Workload& problem) {
  const Roles& roles = known_.roles;
  if (roles.converged) {
    problem.unit = roles.counts_samples() ? "samples" : roles.columns[*roles.converged].says.work;
    problem.stopping = "when it has converged";
  }
  const auto keep = [&](std::size_t column, std::optional<double>& into) -> Result<void> {
    const Cell cell = known_.table.at(row, column);
    if (is_absent(cell)) return {};
    if (const auto grid = parse_product(cell)) {  // 64 x 64
      into = grid;
      return {};
    }
    KSTAR_TRY(const double value, amount_in(known_, cell));
    into = value;
    return {};
  };
  std::optional<double> size;
  for (const std::size_t column : roles.sizes) {
    std::optional<double> part;
    KSTAR_CHECK(keep(column, part));
    if (!part) {
      size.reset();
      break;
    }
    size = size.value_or(1) * *part;
  }
  if (!roles.sizes.empty()) problem.size = size;
  if (roles.batch) KSTAR_CHECK(keep(*roles.batch, problem.batch));
  const auto only_size = roles.sizes.size() == 1 ? std::optional(roles.sizes[0]) : std::nullopt;
  multiply(row, only_size, roles.parts_of_size, problem.size, *problem.workers);
  multiply(row, roles.batch, roles.parts_of_batch, problem.batch, *problem.workers);
  return {};
}

void TableProblem::multiply(std::size_t row, const std::optional<std::size_t>& column,
                            const std::optional<std::size_t>& parts, std::optional<double>& amount,
                            int workers) const {
  if (!column || !amount || !known_.roles.is_of_one_worker(*column)) return;
  const auto count =
      parts ? read_number(known_.table.at(row, *parts), known_.roles.comma) : std::nullopt;
  *amount *= count.value_or(workers);
  if (!std::isfinite(*amount)) amount.reset();
}

Result<void> TableProblem::see_steps(std::size_t row, Workload& problem) {
  constexpr double kMostSteps = 1e15;
  const Roles& roles = known_.roles;
  if (roles.steps && !is_absent(known_.table.at(row, *roles.steps))) {
    KSTAR_TRY(const auto steps, amount_in(known_, known_.table.at(row, *roles.steps)));
    const auto count = static_cast<std::int64_t>(std::min(steps, kMostSteps));
    unsteady_ = unsteady_ || (problem.steps && *problem.steps != count);
    problem.steps = count;
  }
  if (roles.epochs && !is_absent(known_.table.at(row, *roles.epochs))) {
    KSTAR_TRY(const auto epochs, amount_in(known_, known_.table.at(row, *roles.epochs)));
    unsteady_ = unsteady_ || (problem.size && *problem.size != epochs);
    problem.size = epochs;
    problem.unit = "epochs";
  }
  return {};
}

bool TableProblem::is_weak() const {
  return regime_ == Regime::kWeak || known_.options.regime == Regime::kWeak;
}

Result<void> TableProblem::finish(const TableLabels& labels, Study& study) {
  const bool is_time = known_.roles.value.kind == ColumnKind::kTime;
  if (regime_) {
    study.header.regime = regime_;
  } else if (!is_time) {
    study.header.regime = Regime::kThroughput;
  }
  if (unsteady_) drop_unsteady(study);
  if (!is_time || !known_.roles.value.work.empty()) say_work_of_rates(study);
  if (!regime_) {
    KSTAR_CHECK(is_rate(known_.roles.value.kind) ? check_texts(labels, study)
                                                 : settle_regime(labels, study));
  }
  keep_settings(labels, study);
  std::vector<Workload> problems;
  for (const auto& [workers, problem] : problems_) problems.push_back(problem);
  study.header.workload = workload_list(std::move(problems));
  return {};
}

/// A table that says nothing of its regime is one of a fixed problem only where nothing in it grows
/// with K, and nobody calls it weak.
Result<void> TableProblem::settle_regime(const TableLabels& labels, Study& study) {
  if (known_.options.regime) return {};
  const bool several = std::any_of(study.runs.begin(), study.runs.end(), [&](const Run& run) {
    return run.workers != study.runs[0].workers;
  });
  if (!several) return {};
  const Roles& roles = known_.roles;
  const std::string_view file = known_.table.input.name;
  auto said = regime_called(file.substr(file.rfind('/') + 1));
  std::string said_by = said ? "the file's name" : "its heading";
  if (!said) said = regime_called(known_.table.title);
  for (const std::size_t i : roles.workers) {
    if (said || regime_called(roles.columns[i].name, true) != Regime::kWeak) continue;
    said = Regime::kWeak;
    said_by = fmt::format("'{}'", roles.name(i));
  }
  // Of rates and ratios the size is that of a unit of work.
  const bool has_size = !roles.sizes.empty() || roles.epochs;
  std::set<double> sizes;
  for (const auto& [workers, problem] : problems_) {
    if (problem.size && has_size) sizes.insert(*problem.size);
  }
  if (said != Regime::kWeak) {
    // Where a size grows, T may.
    if (sizes.size() < 2) KSTAR_CHECK(check_texts(labels, study));
    KSTAR_CHECK(check_growth(study));
    KSTAR_CHECK(labels.check_growth());
    return said == Regime::kStrong || sizes.size() > 1 ? Result<void>() : check_rates(study);
  }
  std::optional<std::size_t> same;
  if (sizes.size() == 1) same = roles.sizes.empty() ? *roles.epochs : roles.sizes[0];
  if (sizes.empty()) same = labels.steady_dimension();
  if (same) {
    return fail(refusal(known_.table.input,
                        fmt::format("'{}' is the same at every K, but {} says weak scaling",
                                    roles.name(*same), said_by),
                        {offer("regime", "weak", "if that is the size of each worker's part"),
                         offer("regime", "strong", "if it is that of all")}));
  }
  if (sizes.size() > 1) return {};  // they tell
  if (is_ratio(roles.value.kind)) {
    return fail(refusal(known_.table.input,
                        fmt::format("{} says weak scaling, which changes what '{}' is of T",
                                    said_by, roles.name(roles.values[0])),
                        weak_or_strong()));
  }
  if (states_strong_efficiencies(study)) {
    return fail(
        refusal(known_.table.input,
                fmt::format("{} says weak scaling, but '{}' is T(1) / (K T), as of strong scaling",
                            said_by, roles.name(*roles.efficiency)),
                weak_or_strong()));
  }
  study.header.regime = Regime::kWeak;
  NoteValues values{{"regime", "weak"}};
  values["said_by"] = said_by;
  add_note(study, Severity::kWarning, "guessed", {}, std::move(values));
  return {};
}

/// Whether the efficiencies beside the times were computed for a problem that stays the same.
bool TableProblem::states_strong_efficiencies(const Study& study) const {
  constexpr double kRounding = 0.02;
  const Roles& roles = known_.roles;
  if (!roles.efficiency || roles.value.kind != ColumnKind::kTime || study.runs.empty() ||
      study.runs.size() != roles.rows.size() || !study.runs[0].wall) {
    return false;
  }
  const Column& column = roles.columns[*roles.efficiency];
  const double scale = column.says.scale != 1 ? column.says.scale : column.percents > 0 ? 0.01 : 1;
  const Run& base = study.runs[0];
  const double cost = base.workers * *base.wall;
  std::size_t fitting = 0;
  for (std::size_t i = 0; i < study.runs.size(); ++i) {
    const Run& run = study.runs[i];
    const auto stated =
        read_quantity(known_.table.at(roles.rows[i], *roles.efficiency), roles.comma);
    if (run.workers == base.workers) continue;
    if (!stated || !run.wall) return false;
    const double strong = cost / (run.workers * *run.wall);
    if (!(std::fabs(stated->value * scale / strong - 1) <= kRounding)) return false;
    ++fitting;
  }
  return fitting > 1;
}

/// Rows that a text tells apart may be of different jobs. Where more workers take longer, they
/// hardly are of one.
Result<void> TableProblem::check_texts(const TableLabels& labels, const Study& study) const {
  const Label* const text = labels.text_of_each();
  const std::map<int, double> least = least_times(study);
  const bool slower = !least.empty() && least.rbegin()->second > least.begin()->second;
  if (text == nullptr || !slower || known_.options.claims || known_.options.regime) return {};
  const std::string name = known_.roles.name(text->column);
  return fail(refusal(known_.table.input,
                      fmt::format("T grows with K, and '{}' is another one at every K: the rows "
                                  "may be of different jobs",
                                  name),
                      {offer("ignore", name, "if they are of one job")}));
}

/// No strong scaling: T grows, and faster than K does. A name of one letter is asked about, and so
/// is a number that no machine has, unless ratios beside it are of workers.
Result<void> TableProblem::check_growth(Study& study) const {
  constexpr std::size_t kFew = 3;
  constexpr int kManyWorkers = 100'000;  // more than that were made, and hardly ran
  if (known_.roles.value.kind != ColumnKind::kTime) return {};
  const std::map<int, double> least = least_times(study);
  if (least.size() < kFew) return {};
  const auto &first = *least.begin(), &last = *least.rbegin();
  if (last.second * first.first <= first.second * last.first) return {};
  const std::string name = known_.roles.name(known_.roles.workers[0]);
  const bool told = !known_.options.worker_column.empty() || !known_.options.columns.empty() ||
                    !known_.table.has_header;
  const bool vague = name.size() == 1 || last.first > kManyWorkers;
  if (vague && !told && !known_.roles.speedup && !known_.roles.efficiency) {
    return fail(refusal(known_.table.input,
                        fmt::format("T grows faster than '{}': it may be a size, and not K", name),
                        {offer("k-column", name, fmt::format("if '{}' counts workers", name))}));
  }
  add_note(study, Severity::kWarning, "guessed", {},
           {{"column", name}, {"meaning", "K, though T grows faster than it: it may be a size"}});
  return {};
}

/// A rate beside the time says how much one T does: their product. Where that grows with K, the
/// problem does.
Result<void> TableProblem::check_rates(const Study& study) const {
  constexpr double kMostGrowth = 1.3, kMostSpread = 1.1;
  constexpr double kSameTime = 1.02, kLess = 0.95;
  const Roles& roles = known_.roles;
  if (roles.value.kind != ColumnKind::kTime || roles.values.size() != 1) return {};
  // The surest name of one, that of all workers first.
  const auto doubt = [&](std::size_t i) {
    const ColumnName& says = roles.columns[i].says;
    return says.unexplained + (says.kind == ColumnKind::kWorkerRate ? 100 : 0);
  };
  std::optional<std::size_t> rate;
  bool several = false;
  for (std::size_t i = 0; i < roles.columns.size(); ++i) {
    if (!is_rate(roles.columns[i].says.kind) || !roles.columns[i].numeric()) continue;
    several = rate && (doubt(i) == doubt(*rate) || (several && doubt(i) > doubt(*rate)));
    if (!rate || doubt(i) < doubt(*rate)) rate = i;
  }
  if (!rate || several || study.runs.size() != roles.rows.size()) return {};
  std::map<int, double> works;
  for (std::size_t i = 0; i < study.runs.size(); ++i) {
    const auto per_second = read_number(known_.table.at(roles.rows[i], *rate), roles.comma);
    const Run& run = study.runs[i];
    if (!per_second || !(*per_second > 0) || !run.wall) return {};
    const bool of_one = roles.columns[*rate].says.kind == ColumnKind::kWorkerRate;
    works[run.workers] = *per_second * *run.wall * (of_one ? run.workers : 1);
  }
  if (works.size() < 2) return {};
  const double growth = works.rbegin()->second / works.begin()->second;
  // A test of a fixed duration does less work where it is slower.
  const auto [least, most] =
      std::minmax_element(study.runs.begin(), study.runs.end(),
                          [](const Run& a, const Run& b) { return *a.wall < *b.wall; });
  const bool fixed = (*most->wall < kMostSpread * *least->wall && growth < 1 / kMostGrowth) ||
                     (*most->wall < kSameTime * *least->wall && growth < kLess);
  if (growth < kMostGrowth && !fixed) return {};
  const std::string name = roles.name(*rate), time = roles.name(roles.values[0]);
  return fail(
      refusal(known_.table.input,
              fmt::format("'{}' times '{}' {} with K: one '{}' does {} work at a larger K", name,
                          time, fixed ? "falls" : "grows", time, fixed ? "less" : "more"),
              {offer("rate-column", name, "to use the rates"),
               offer("regime", "weak", "if the work grows in proportion to K"),
               offer("regime", "mixed", "if it grows otherwise"),
               offer("regime", "strong", "if it does not grow")}));
}

/// What differs between runs of one K was measured, and is not what the job was.
void TableProblem::drop_unsteady(Study& study) {
  const Roles& roles = known_.roles;
  for (auto& [workers, problem] : problems_) {
    problem.steps.reset();
    if (!roles.epochs) continue;
    problem.size.reset();
    problem.unit.clear();
  }
  if (roles.sizes.empty() && !roles.batch && !roles.converged) problems_.clear();
  add_note(study, Severity::kWarning, "left-out", {},
           {{"column", roles.name(roles.steps ? *roles.steps : *roles.epochs)}});
}

void TableProblem::keep_settings(const TableLabels& labels, Study& study) {
  for (const Label& label : labels.all()) {
    const Column& column = known_.roles.columns[label.column];
    if (label.changes_at_one_k || known_.roles.is_size(label.column)) continue;
    const bool unknown = column.says.kind == ColumnKind::kOther ||
                         column.says.kind == ColumnKind::kSetting ||
                         column.says.kind == ColumnKind::kDimension;
    if (!is_program_setting(column) && !(unknown && grows_with_workers(label, Numbers::kReal)))
      continue;
    for (const auto& [workers, cell] : label.at) {
      if (is_absent(cell)) continue;
      Workload& problem = problems_[workers];
      problem.workers = workers;
      problem.settings[column.name] = cell_text(cell);
    }
    if (column.says.kind == ColumnKind::kBuild && is_one_value(label)) {
      study.header.environment.versions[column.name] = cell_text(label.at.begin()->second);
    }
  }
}

void TableProblem::say_work_of_rates(const Study& study) {
  if (!problems_.empty()) {
    // A batch stands beside the rate: what the rate counts stays known.
    if (is_ratio(known_.roles.value.kind)) return;
    for (auto& [workers, problem] : problems_) {
      if (problem.unit.empty()) problem.unit = unit_of_work();
    }
    return;
  }
  for (const Run& run : study.runs) {
    problems_[run.workers] = {
        .workers = run.workers, .size = is_weak() ? run.workers : 1, .unit = unit_of_work()};
  }
}

std::string TableProblem::unit_of_work() const {
  if (is_ratio(known_.roles.value.kind)) return "jobs, in times of the base";
  return known_.roles.value.work.empty() ? std::string(Workload::kUnitOfRates)
                                         : known_.roles.value.work;
}

}  // namespace kstar
