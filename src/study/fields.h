#pragma once

#include <array>

#include "study/codec.h"

/// The keys of the file. schema/*.schema.json and docs/study-format.md describe each of them.
namespace kstar {

struct StudyMark {
  static constexpr std::string_view kText = "study";
};
struct RunMark {
  static constexpr std::string_view kText = "run";
};
struct NoteMark {
  static constexpr std::string_view kText = "note";
};

template <>
struct Fields<Workload> {
  static constexpr std::array kAll = {
      field<&Workload::workers, Rule::kPositive>("workers"),
      field<&Workload::size, Rule::kNotNegative>("size"),
      field<&Workload::unit>("unit"),
      field<&Workload::batch, Rule::kNotNegative>("batch"),
      field<&Workload::steps, Rule::kNotNegative>("steps"),
      field<&Workload::stopping>("stopping"),
      field<&Workload::settings>("settings"),
  };
};

template <>
struct Fields<Baseline> {
  static constexpr std::array kAll = {
      field<&Baseline::kind>("kind"),
      field<&Baseline::command>("command"),
      field<&Baseline::text>("text"),
  };
};

template <>
struct Fields<Protocol> {
  static constexpr std::array kAll = {
      field<&Protocol::warm_up_runs, Rule::kNotNegative>("warm_up_runs"),
      field<&Protocol::warm_up_steps, Rule::kNotNegative>("warm_up_steps"),
      field<&Protocol::setup>("setup"),
      field<&Protocol::setup_method>("setup_method"),
      field<&Protocol::order>("order"),
      field<&Protocol::seed>("seed"),
      field<&Protocol::stopping>("stopping"),
      field<&Protocol::time_limit, Rule::kNotNegative>("time_limit"),
      field<&Protocol::runs, Rule::kPositive>("runs"),
      field<&Protocol::same_command>("same_command"),
      field<&Protocol::interleaved_with, Rule::kPositive>("interleaved_with"),
  };
};

template <>
struct Fields<Host> {
  static constexpr std::array kAll = {
      field<&Host::name>("name"),
      field<&Host::cpu>("cpu"),
      field<&Host::sockets, Rule::kPositive>("sockets"),
      field<&Host::cores, Rule::kPositive>("cores"),
      field<&Host::threads, Rule::kPositive>("threads"),
      field<&Host::memory, Rule::kNotNegative>("memory"),
      field<&Host::accelerators>("accelerators"),
      field<&Host::kernel>("kernel"),
  };
};

template <>
struct Fields<Environment> {
  static constexpr std::array kAll = {
      field<&Environment::hosts>("hosts"),
      field<&Environment::binding>("binding"),
      field<&Environment::usable_cpus, Rule::kPositive>("usable_cpus"),
      field<&Environment::cpu_quota, Rule::kPositive>("cpu_quota"),
      field<&Environment::versions>("versions"),
      field<&Environment::variables>("variables"),
  };
};

template <>
struct Fields<Source> {
  static constexpr std::array kAll = {
      field<&Source::kind>("kind"),     field<&Source::format>("format"),
      field<&Source::files>("files"),   field<&Source::summary>("summary"),
      field<&Source::unused>("unused"),
  };
};

template <>
struct Fields<ChangedSetting> {
  static constexpr std::array kAll = {
      field<&ChangedSetting::name>("name"),
      field<&ChangedSetting::values>("values"),
      field<&ChangedSetting::count, Rule::kPositive>("count"),
  };
};

template <>
struct Fields<Mlperf> {
  static constexpr std::array kAll = {
      field<&Mlperf::round>("round"),
      field<&Mlperf::division>("division"),
      field<&Mlperf::submitter>("submitter"),
      field<&Mlperf::benchmark>("benchmark"),
      field<&Mlperf::accelerator>("accelerator"),
  };
};

template <>
struct Fields<ClaimBase> {
  static constexpr std::array kAll = {
      required<&ClaimBase::workers, Rule::kPositive>("workers"),
      required<&ClaimBase::seconds, Rule::kPositive>("seconds"),
  };
};

template <>
struct Fields<RunClaim> {
  static constexpr std::array kAll = {
      field<&RunClaim::speedup>("speedup"),
      field<&RunClaim::efficiency>("efficiency"),
      field<&RunClaim::base>("base"),
      field<&RunClaim::line>("line"),
  };
};

template <>
struct Fields<StudyHeader> {
  static constexpr std::array kAll = {
      fixed_text<StudyHeader>("kstar", StudyMark{}),
      required<&StudyHeader::schema, Rule::kPositive>("schema"),
      field<&StudyHeader::writer>("writer"),
      field<&StudyHeader::title>("title"),
      field<&StudyHeader::command>("command"),
      field<&StudyHeader::launcher>("launcher"),
      field<&StudyHeader::regime>("regime"),
      field<&StudyHeader::workload>("workload"),
      field<&StudyHeader::baseline>("baseline"),
      field<&StudyHeader::protocol>("protocol"),
      field<&StudyHeader::environment>("environment"),
      field<&StudyHeader::source>("source"),
      field<&StudyHeader::time>("time"),
      field<&StudyHeader::changes>("changes"),
      field<&StudyHeader::mlperf>("mlperf"),
      field<&StudyHeader::spec>("spec"),
  };
};

template <>
struct Fields<PerWorker> {
  static constexpr std::array kAll = {
      field<&PerWorker::host>("host"),
      field<&PerWorker::compute, Rule::kNotNegative>("compute"),
      field<&PerWorker::communicate, Rule::kNotNegative>("communicate"),
      field<&PerWorker::wait, Rule::kNotNegative>("wait"),
      field<&PerWorker::load, Rule::kNotNegative>("load"),
      field<&PerWorker::work, Rule::kNotNegative>("work"),
      field<&PerWorker::flops, Rule::kNotNegative>("flops"),
      field<&PerWorker::bytes, Rule::kNotNegative>("bytes"),
  };
};

template <>
struct Fields<CallSum> {
  static constexpr std::array kAll = {
      field<&CallSum::call>("call"),
      field<&CallSum::communicator>("communicator"),
      required<&CallSum::calls>("calls"),
      required<&CallSum::bytes>("bytes"),
      required<&CallSum::seconds, Rule::kNotNegative>("seconds"),
      required<&CallSum::seconds_min, Rule::kNotNegative>("seconds_min"),
      required<&CallSum::seconds_max, Rule::kNotNegative>("seconds_max"),
  };
};

template <>
struct Fields<CommunicatorSum> {
  static constexpr std::array kAll = {
      field<&CommunicatorSum::name>("name"),
      field<&CommunicatorSum::size, Rule::kNotNegative>("size"),
      field<&CommunicatorSum::collectives>("collectives"),
      field<&CommunicatorSum::wait, Rule::kNotNegative>("wait"),
  };
};

template <>
struct Fields<WindowSums> {
  static constexpr std::array kAll = {
      required<&WindowSums::seconds, Rule::kNotNegative>("seconds"),
      field<&WindowSums::useful_min, Rule::kNotNegative>("useful_min"),
      field<&WindowSums::useful_mean, Rule::kNotNegative>("useful_mean"),
      field<&WindowSums::useful_max, Rule::kNotNegative>("useful_max"),
      field<&WindowSums::mpi_mean, Rule::kNotNegative>("mpi_mean"),
      field<&WindowSums::bytes>("bytes"),
      field<&WindowSums::useful, Rule::kNotNegative>("useful"),
  };
};

template <>
struct Fields<Inside> {
  static constexpr std::array kAll = {
      field<&Inside::mpi>("mpi"),
      field<&Inside::world, Rule::kNotNegative>("world"),
      field<&Inside::clock_error, Rule::kNotNegative>("clock_error"),
      field<&Inside::wait_coverage, Rule::kNotNegative>("wait_coverage"),
      field<&Inside::rank, Rule::kNotNegative>("rank"),
      field<&Inside::span, Rule::kNotNegative>("span"),
      field<&Inside::init, Rule::kNotNegative>("init"),
      field<&Inside::calls>("calls"),
      field<&Inside::bytes>("bytes"),
      field<&Inside::end>("end"),
      field<&Inside::last_call>("last_call"),
      field<&Inside::by_call>("by_call"),
      field<&Inside::communicators>("communicators"),
      field<&Inside::windows>("windows"),
      field<&Inside::notes>("notes"),
  };
};

template <>
struct Fields<HardwareCounts> {
  static constexpr std::array kAll = {
      field<&HardwareCounts::instructions, Rule::kNotNegative>("instructions"),
      field<&HardwareCounts::cycles, Rule::kNotNegative>("cycles"),
  };
};

template <auto Member>
constexpr auto used(std::string_view key) {
  return field<&Run::usage, Rule::kNotNegative, false, Member>(key);
}

template <>
struct Fields<Run> {
  static constexpr std::array kAll = {
      fixed_text<Run>("record", RunMark{}),
      required<&Run::workers, Rule::kPositive>("workers"),
      field<&Run::nodes, Rule::kPositive>("nodes"),
      field<&Run::ranks, Rule::kPositive>("ranks"),
      field<&Run::threads, Rule::kPositive>("threads"),
      field<&Run::role>("role"),
      field<&Run::order, Rule::kNotNegative>("order"),
      field<&Run::block, Rule::kNotNegative>("block"),
      field<&Run::session>("session"),
      field<&Run::hosts>("hosts"),
      field<&Run::start>("start"),
      field<&Run::wall, Rule::kNotNegative>("wall"),
      field<&Run::setup, Rule::kNotNegative>("setup"),
      field<&Run::steps, Rule::kNotNegative>("steps"),
      field<&Run::work, Rule::kNotNegative>("work"),
      field<&Run::fixed, Rule::kNotNegative>("fixed"),
      field<&Run::warm_up>("warm_up"),
      field<&Run::warm_up_steps, Rule::kNotNegative>("warm_up_steps"),
      field<&Run::exit_status>("exit_status"),
      field<&Run::signal, Rule::kPositive>("signal"),
      field<&Run::timed_out>("timed_out"),
      field<&Run::failure>("failure"),
      field<&Run::output>("output"),
      used<&Usage::cpu_user>("cpu_user"),
      used<&Usage::cpu_system>("cpu_system"),
      used<&Usage::peak_memory>("peak_memory"),
      used<&Usage::minor_faults>("minor_faults"),
      used<&Usage::major_faults>("major_faults"),
      used<&Usage::voluntary_switches>("voluntary_switches"),
      used<&Usage::involuntary_switches>("involuntary_switches"),
      used<&Usage::migrations>("migrations"),
      used<&Usage::load>("load"),
      used<&Usage::cpu_others>("cpu_others"),
      used<&Usage::cpu_stolen>("cpu_stolen"),
      used<&Usage::cpu_wait>("cpu_wait"),
      field<&Run::counters>("counters"),
      field<&Run::per_worker>("per_worker"),
      field<&Run::inside>("inside"),
      field<&Run::job>("job"),
      field<&Run::lost>("lost"),
      field<&Run::claim>("claim"),
      field<&Run::factors>("pop"),
      field<&Run::settings>("settings"),
      field<&Run::init, Rule::kNotNegative>("init"),
  };
};

template <>
struct Fields<Note> {
  static constexpr std::array kAll = {
      fixed_text<Note>("record", NoteMark{}),
      required<&Note::severity>("severity"),
      field<&Note::what>("what"),
      field<&Note::where>("where"),
      field<&Note::text>("text"),
      field<&Note::values>("values"),
  };
};

}  // namespace kstar
