#include "import/csv/name_table.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "base/text.h"

namespace kstar {

namespace {

struct Meaning {
  Sense sense;
  double number;
  std::string_view words;
};

/// THE table: English, and what Spanish, French, German, Italian and Portuguese tables are headed
/// with.
constexpr Meaning kMeanings[] = {
    {Sense::kTimeUnit, 1,
     "s sec secs second seconds wsec segundo segundos seg segs sekunde sekunden "
     "sek seconde secondes secondi secondo"},
    {Sense::kTimeUnit, 1e-3,
     "ms msec msecs millisecond milliseconds millis milisegundos "
     "millisekunden millisecondes millisecondi milissegundos"},
    {Sense::kTimeUnit, 1e-6,
     "us usec usecs microsecond microseconds micros microsegundos "
     "mikrosekunden"},
    {Sense::kTimeUnit, 1e-9, "ns nsec nanosecond nanoseconds nanos"},
    {Sense::kTimeUnit, 60, "min mins minute minutes minutos minuti minuten"},
    {Sense::kTimeUnit, 3600, "h hr hrs hour hours horas heures stunden"},
    {Sense::kTimeUnit, 86400, "day days"},
    {Sense::kTime, 0,
     "time times duration elapsed runtime walltime seconds latency makespan t ttt "
     "sec ttotal ttot wallclock wall wtime tiempo tiempos zeit laufzeit temps duree "
     "tempo tempi dauer durata rechenzeit ausfuhrungszeit"},
    {Sense::kStepWord, 0, "step iter iteration it epoch timestep"},
    {Sense::kRate, 0,
     "throughput throughputs rate ops qps fps tps rps iops flops mflops gflops "
     "tflops pflops fom bandwidth performance perf mlups glups mups gups teps mteps "
     "gteps sypd mflups"},
    {Sense::kSpeedup, 0,
     "speedup speedups aceleracion aceleracao acceleration accelerazione "
     "beschleunigung"},
    {Sense::kEfficiency, 0,
     "efficiency efficiencies eff eficiencia efficacite effizienz efficienza"},
    {Sense::kRelative, 0, "rel relative normalized normalised normalizado ratio"},
    {Sense::kWorkers, 1, "k workers nworkers slaves trabajadores"},
    {Sense::kWorkers, 2, "gpus ngpus ngpu accelerators devices chips tpus gcds"},
    {Sense::kWorkers, 3,
     "ranks nranks procs nprocs nproc pes npes processes processors np tasks "
     "ntasks procesos procesadores processus processi processori processos "
     "processadores prozesse prozessoren"},
    {Sense::kWorkers, 4, "threads nthreads hilos hebras nthread"},
    {Sense::kWorkers, 5, "cores ncores cpus ncpus vcpus nucleos kerne coeurs"},
    {Sense::kWorkers, 6, "nodes nnodes hosts machines servers nodos noeuds knoten nodi"},
    {Sense::kWorkers, 7, "load clients users concurrency executors parallelism"},
    {Sense::kWorker, 1, "worker"},
    {Sense::kWorker, 2, "gpu accelerator device chip tpu"},
    {Sense::kWorker, 3, "rank process processor proc task pe proceso procesador"},
    {Sense::kWorker, 4, "thread hilo"},
    {Sense::kWorker, 5, "core cpu nucleo"},
    {Sense::kWorker, 6, "node host nodo"},
    {Sense::kModel, 3, "mpi"},
    {Sense::kModel, 4, "omp openmp pthreads"},
    {Sense::kCounting, 0,
     "no num number of the total count n nb used alloc allocated mpi omp openmp k numero nombre "
     "anzahl quantidade cantidad nro de di der des del dei"},
    {Sense::kFiller, 0,
     "no num number of the total count n used to solution train training clock run "
     "program job k all exec execution measured actual observed global overall "
     "parallel par in real ejecucion esecuzione execucao ejecucao de di der des del "
     "totale gesamt taken p"},
    {Sense::kStatistic, 1,
     "mean avg average promedio media moyenne moyen mittelwert mittel mittlere medio"},
    {Sense::kStatistic, 2, "median mediana"},
    {Sense::kStatistic, 3, "best max maximum minimum trimmed"},
    {Sense::kNotMeasured, 0,
     "ideal pred predicted prediction expected model fit fitted linear error err std stddev stdev "
     "sd "
     "var variance cv ci low high lower upper stamp timestamp date cost price energy power version "
     "memory mem peak useful init setup start end stop user sys system base baseline timelimit "
     "limit "
     "id pct theoretical theory perfect teorico amdahl gustafson karp flatt queue queued compile "
     "compilation simulated sim estimated estimate eta remaining requested sequential serial seq "
     "sequencial secuencial secuential sequentiell sequentiel reference ref iqr percentile "
     "slowdown "
     "improvement gain reduction reduced saved saving savings diff delta interval warmup timeout "
     "period"},
    {Sense::kPart, 0,
     "comm communicate communication mpi compute computation wait waiting idle io "
     "loading useful halo exchange read write comp"},
    {Sense::kObserved, 0,
     "util utilization utilisation usage temperature temp watts joules accuracy loss gb mb gib mib "
     "kb "
     "kib bytes percent faults switches misses ipc balance overhead fraction share mhz ghz retries "
     "failures failed warnings errors residual residuals norm ppl bleu rouge score f1 perplexity "
     "clock "
     "swap queue queued attempts rss fan mfu acc energy memory mem power checksum messages msgs "
     "calls "
     "flag "
     "serial karp flatt amdahl gustafson correct iters sum"},
    {Sense::kRemark, 0,
     "note notes comment comments remark remarks tag tags user username hostname "
     "nodename jobid nodelist description commit hash url logfile jobname pid observation "
     "interpretation verdict bottleneck kommentar bemerkung anmerkung beobachtung remarque "
     "commentaire commento comentario observacion observacao"},
    {Sense::kDay, 0, "date timestamp datetime day started finished fecha datum"},
    {Sense::kSize, 0,
     "size elements cells rows atoms dofs problem particles bodies dof zones unknowns "
     "vertices gridpoints elems nelem natoms ncells nelements npoints nbodies edges "
     "nnz nonzeros records items pixels datasize keys points taille tamano tamanho"},
    {Sense::kDimension, 0,
     "n m l dim dimension dimensions mesh grid resolution side matrix nex order"},
    {Sense::kAxis, 0, "x y z nx ny nz width height cols columns m n imax jmax kmax"},
    {Sense::kBatch, 0, "batch gbs batchsize"},
    {Sense::kSetting, 0,
     "seq len length hidden layers depth width params tp pp dp cp ep vp etp tensor "
     "pipeline mbs batch table year release"},
    {Sense::kSteps, 0, "steps iterations iters timesteps nsteps niter"},
    {Sense::kBuild, 0, "cflags cxxflags fflags ldflags flags compiler build"},
    {Sense::kRepeat, 0,
     "rep reps repeat repetition trial iteration iter itr run sample block ejecucion "
     "corrida lauf repeticion repeticao ripetizione wiederholung essai replica"},
    {Sense::kNumbered, 0,
     "run rep repeat repetition trial sample iter iteration step measurement try "
     "attempt round epoch replicate"},
    {Sense::kCounter, 0, "seed step epoch attempt measurement index idx unnamed"},
    {Sense::kStatus, 0,
     "status state result success outcome exit exitcode exitstatus returncode retcode rc"},
    {Sense::kMetric, 0, "metric measure quantity"},
    {Sense::kLabel, 0,
     "precision dtype datatype amp variant model optimizer dataset network algorithm solver "
     "mode kernel resolution"},
    {Sense::kSubject, 0, "model dataset network"},
    {Sense::kServed, 0, "tps qps rps iops requests transactions queries"},
    {Sense::kRequest, 0, "latency lat latencia latence latenz latenza response ttft tpot itl rtt"},
    {Sense::kFailed, 0,
     "failed fail failure failures error err oom timeout timed dnf killed crash crashed "
     "cancelled canceled abort aborted invalid incorrect wrong diverged unverified running pending "
     "suspended preempted deadline segfault not unsuccessful broken bad incomplete"},
    {Sense::kGood, 0, "success successful valid converged correct verified passed ok"},
    {Sense::kUnit, 0, "unit units uom"},
    {Sense::kVersion, 0, "version release driver cuda python gcc clang"},
    {Sense::kRowNumber, 0, "number no nr row"},
    {Sense::kAside, 0, "v baseline base reference ref default standard"},
    {Sense::kSimulated, 0, "ns ps fs us tau nanoseconds"},
    {Sense::kSample, 0, "samples tokens epochs examples sequences"},
    {Sense::kConverge, 0, "converge converged convergence"},
    {Sense::kAverse, 0, "learning miss hit success drop clock sampling"},
    {Sense::kIndex, 0, "id idx index number no local global mpi"},
    {Sense::kSerial, 0,
     "serial sequential seq sequencial secuencial sequentiell sequentiel sequenziale seriale"},
    {Sense::kTarget, 0,
     "target tolerance tol rtol quality checkpoint checkpointing profiling profiler "
     "debug offload offloading assertions"},
};

/// Names of two words, one of the first and one of the second.
struct TwoWords {
  Sense sense;
  std::string_view first, second;
};

constexpr TwoWords kPhrases[] = {
    {Sense::kSteps, "time optimizer", "steps"},
    {Sense::kRepeat, "rep repeat run trial", "index id number no idx"},
    {Sense::kStatus, "exit return job run", "code status state"},
    {Sense::kRemark, "job task slurm exp experiment process", "id name number"},
    {Sense::kRemark, "node host machine user", "name list id"},
    {Sense::kRemark, "submit", "line"},
    {Sense::kRemark, "work", "dir"},
    {Sense::kDay, "time", "stamp"},
    {Sense::kUnit, "time", "unit units"},
};

using Senses = std::vector<std::pair<Sense, double>>;

const Senses& senses_of(std::string_view word) {
  static const auto kTable = [] {
    std::unordered_map<std::string_view, Senses> table;
    for (const Meaning& meaning : kMeanings) {
      for (const std::string_view each : split(meaning.words, ' ')) {
        table[each].emplace_back(meaning.sense, meaning.number);
      }
    }
    return table;
  }();
  static const Senses kNone;
  const auto place = kTable.find(word);
  return place == kTable.end() ? kNone : place->second;
}

/// The letter without its accent of a character of two bytes that begins with C3.
char without_accent(unsigned char second) {
  constexpr std::string_view kPlain = "aaaaaaaceeeeiiiidnooooo*ouuuuyts";
  const char plain = kPlain[second % kPlain.size()];
  return plain == '*' ? '\0' : plain;
}

}  // namespace

bool means(std::string_view word, Sense sense) {
  const Senses& senses = senses_of(word);
  return std::any_of(senses.begin(), senses.end(),
                     [&](const auto& one) { return one.first == sense; });
}

bool is_phrase(const Words& words, Sense sense) {
  const auto among = [](std::string_view list, std::string_view word) {
    const auto all = split(list, ' ');
    return std::find(all.begin(), all.end(), word) != all.end();
  };
  return words.size() == 2 &&
         std::any_of(std::begin(kPhrases), std::end(kPhrases), [&](const TwoWords& one) {
           return one.sense == sense && among(one.first, words[0]) && among(one.second, words[1]);
         });
}

double number_of(std::string_view word, Sense sense) {
  for (const auto& [one, number] : senses_of(word)) {
    if (one == sense) return number;
  }
  return 0;
}

bool holds(const Words& words, Sense sense) {
  return std::any_of(words.begin(), words.end(),
                     [&](const std::string& word) { return means(word, sense); });
}

bool holds(const Words& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

Words words_of(std::string_view name) {
  const auto lower = [](char c) { return c >= 'a' && c <= 'z'; };
  const auto upper = [](char c) { return c >= 'A' && c <= 'Z'; };
  Words words(1);
  const auto start_word = [&] {
    if (!words.back().empty()) words.emplace_back();
  };
  char before = ' ';
  for (std::size_t i = 0; i < name.size(); ++i) {
    char c = name[i];
    if (c == '\xC3' && i + 1 < name.size()) {
      const char plain = without_accent(static_cast<unsigned char>(name[++i]));
      if (plain == '\0') {  // a cross: times
        start_word();
        before = ' ';
        continue;
      }
      c = plain;
    } else if (name.substr(i, 2) == "\xC2\xB5" || name.substr(i, 2) == "\xCE\xBC") {
      ++i;
      c = 'u';
    }
    if (c == '%' || c == '/' || c == '#') {
      start_word();
      words.back() = c == '%' ? "percent" : c == '/' ? "per" : "number";
      start_word();
    } else if (!lower(c) && !upper(c) && !is_digit(c)) {
      start_word();
    } else {
      const bool hump = upper(c) && lower(before);
      if (hump || is_digit(c) != is_digit(before)) start_word();
      words.back() += upper(c) ? static_cast<char>(c + 32) : c;
    }
    before = c;
  }
  if (words.back().empty()) words.pop_back();
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    if (words[i] != "open" || words[i + 1] != "mp") continue;
    words[i] = "openmp";
    words.erase(words.begin() + static_cast<std::ptrdiff_t>(i) + 1);
  }
  return words;
}

std::optional<double> seconds_of(std::string_view word) {
  const double seconds = number_of(word, Sense::kTimeUnit);
  return seconds > 0 ? std::optional(seconds) : std::nullopt;
}

bool names_target(std::string_view name) {
  return holds(words_of(name), Sense::kTarget);
}

bool names_setting(std::string_view name) {
  return names_target(name) || holds(words_of(name), Sense::kLabel);
}

}  // namespace kstar
