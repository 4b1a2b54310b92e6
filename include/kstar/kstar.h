#pragma once

/// Everything at once. Read in this order, the headers are the design:
// clang-format off
#include "kstar/result.h"             // errors are values
#include "kstar/regime.h"             // what is held fixed as K grows
#include "kstar/limits.h"             // what nothing goes beyond, what is usual
#include "kstar/shape.h"              // K = nodes x ranks x threads
#include "kstar/estimate.h"           // a number with its interval
#include "kstar/estimate_words.h"     // how an estimate is said
#include "kstar/stats.h"              // samples -> estimates
#include "kstar/distributions.h"      // probabilities of counts
#include "kstar/noise_pool.h"         // the noise that all K share
#include "kstar/joint_draws.h"        // what several estimates might have been
#include "kstar/stopping.h"           // when a K was run often enough
#include "kstar/warm_up.h"            // which first samples to mark
#include "kstar/outliers.h"           // which runs stand out, and why
#include "kstar/cost_model.h"         // a job as a sum of parts
#include "kstar/law.h"                // the laws by name
#include "kstar/questions.h"          // ceiling, bend, least time ...
#include "kstar/usage.h"              // what a run used of its machine
#include "kstar/study.h"              // raw samples with their provenance
#include "kstar/study_inside.h"       // what a run keeps of its MPI ranks
#include "kstar/study_note.h"         // what was skipped, failed, lost or guessed
#include "kstar/study_source.h"       // where its numbers came from
#include "kstar/study_file.h"         // their file
#include "kstar/machine.h"            // what a machine can do at most
#include "kstar/price.h"              // what a job costs
#include "kstar/redact.h"             // a Study without what is private
#include "kstar/network.h"            // what collectives cost, and its file
#include "kstar/network_cost.h"       // time by collective, bytes, K and algorithm
#include "kstar/executor.h"           // one job, run once and timed
#include "kstar/launcher.h"           // a command and a K -> a job
#include "kstar/host.h"               // the machine, for the Study
#include "kstar/hygiene.h"            // what would spoil a measurement
#include "kstar/measure_spec.h"       // what to measure, and how
#include "kstar/variants.h"           // the studies of --against and --parameter
#include "kstar/spec_key.h"           // what a study.toml and the flags can say
#include "kstar/placeholders.h"       // a command at one K
#include "kstar/time_source.h"        // what a run's time is
#include "kstar/inside.h"             // what MPI ranks did
#include "kstar/measure_check.h"      // whether its answer is right
#include "kstar/measure_plan.h"       // what would run
#include "kstar/block_runner.h"       // the runs of one block
#include "kstar/measure.h"            // the loop -> a Study
#include "kstar/measure_session.h"    // a study from its opening to its end
#include "kstar/measure_set.h"        // several studies in the same blocks
#include "kstar/slurm_submit.h"       // the runs as jobs of Slurm
#include "kstar/comm.h"               // benchmarks of collectives, as their tools print them
#include "kstar/comm_fit.h"           // sweeps -> alpha and beta, and whether they are good
#include "kstar/comm_predict.h"       // a collective on other K, in buckets
#include "kstar/import.h"             // other people's numbers -> a Study
#include "kstar/scaling_table.h"      // a Study -> T, S, E with intervals
#include "kstar/bend.h"               // the first K with too low an efficiency
#include "kstar/models.h"             // T(K) as a sum of terms, fitted
#include "kstar/time_to_train.h"      // T(K) -> what the algorithm and the system take
#include "kstar/inside_table.h"       // a Study -> where the ranks' time goes
#include "kstar/worker_table.h"       // a Study -> where the workers' time goes, who is slow
#include "kstar/phases.h"             // how each phase of a step scales
#include "kstar/cpu_accounts.h"       // what the processors did
#include "kstar/causes.h"             // why it bends
#include "kstar/analysis.h"           // a Study -> all of these
#include "kstar/thresholds.h"         // K* and the bend at another threshold
#include "kstar/memory_scaling.h"     // a Study and its machine -> is it the memory?
#include "kstar/suspicion.h"          // what makes numbers doubtful
#include "kstar/verdict.h"            // how many workers, how sure, and why not more
#include "kstar/words.h"              // how results are said
#include "kstar/audit.h"              // a Study -> what it proves, and what to ask
#include "kstar/compare.h"            // two Studies -> what changed, and gates
#include "kstar/prediction.h"         // a law -> a result
#include "kstar/communication_terms.h"  // a network -> terms of a law
#include "kstar/simulation.h"         // a law -> a Study
#include "kstar/curve_draws.h"        // whole curves that the times allow
#include "kstar/plan.h"               // a study or a law -> K for time and money
#include "kstar/plan_machines.h"      // the same job on each type of machine
#include "kstar/plan_fleet.h"         // one pool of workers, several classes of jobs
#include "kstar/plan_check.h"         // five questions to a proposal
#include "kstar/dag_graph.h"          // tasks, and which waits for which
#include "kstar/dag_read.h"           // other people's graphs of tasks
#include "kstar/dag.h"                // a graph -> work, depth, greedy schedules
#include "kstar/dag_algorithms.h"     // algorithms with known work and depth
#include "kstar/roofline.h"           // kernels under the ceilings of their machine
#include "kstar/roofline_measure.h"   // a machine -> its ceilings
#include "kstar/roofline_program.h"   // a program -> where it stands under them
#include "kstar/trace.h"              // profiler traces -> where a step's time goes, s, the laws
#include "kstar/trace_totals.h"       // the table of key_averages() -> bounds of s
#include "kstar/latency.h"            // latencies, as tools write them down
#include "kstar/tail.h"               // latencies -> percentiles, fan-out, capacity
#include "kstar/load.h"               // requests at a rate -> latencies
#include "kstar/chart.h"              // a drawing before it is drawn
#include "kstar/chart_parts.h"        // axes and ideal lines of scaling
#include "kstar/terminal.h"           // a drawing on a terminal
#include "kstar/svg.h"                // a drawing as a picture
#include "kstar/card.h"               // an answer as one picture, a badge
#include "kstar/examine.h"            // a Study with all that is found in it
#include "kstar/view.h"               // studies -> drawings
#include "kstar/document.h"           // a text before it is laid out
#include "kstar/prediction_report.h"  // a prediction as table, CSV, JSON, chart
#include "kstar/scaling_report.h"     // a scaling table, a plan as documents
#include "kstar/analysis_report.h"    // an analysis as document, JSON, CSV, chart
#include "kstar/audit_report.h"       // an audit as document, JSON, CSV
#include "kstar/compare_report.h"     // a comparison as document, JSON, CSV
#include "kstar/plan_report.h"        // plans as documents, JSON, CSV
#include "kstar/dag_report.h"         // what a graph allows as document, JSON, CSV, charts
#include "kstar/trace_report.h"       // analyses of traces as documents, JSON, CSV
#include "kstar/comm_report.h"        // collectives as documents, JSON, CSV, charts
#include "kstar/roofline_report.h"    // kernels and ceilings as document, JSON, CSV, chart
#include "kstar/tail_report.h"        // latencies as document, JSON, CSV, charts
#include "kstar/report.h"             // studies as one text to pass on
#include "kstar/page.h"               // studies as one page to pass on
// clang-format on
