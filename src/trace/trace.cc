#include "kstar/trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <filesystem>
#include <thread>

#include "base/file.h"
#include "base/text.h"
#include "base/try.h"
#include "trace/job.h"
#include "trace/part.h"
#include "trace/rank.h"

namespace kstar {

namespace {

using tracing::RankSummary;

bool looks_like_trace(const std::filesystem::path& path) {
  const std::string name = lower_case(path.filename().string());
  if (name.empty() || name.front() == '.') return false;
  return name.ends_with(".json") || name.ends_with(".json.gz") || name.ends_with(".json.zst") ||
         name.ends_with(".json.zstd") || name.ends_with(".trace") || name.ends_with(".pt.trace.gz");
}

struct ListedFile {
  std::string path;
  bool named = false;  ///< by the user; else it lies in a folder, and may be something else
};

/// All files, folders opened, in the order of their names.
Result<std::vector<ListedFile>> list_files(std::span<const std::string> paths) {
  namespace fs = std::filesystem;
  std::vector<ListedFile> files;
  for (const std::string& path : paths) {
    std::error_code error;
    if (!fs::is_directory(path, error)) {
      files.push_back({path, true});
      continue;
    }
    const std::size_t before = files.size();
    fs::recursive_directory_iterator at(path, fs::directory_options::skip_permission_denied, error);
    if (error) return fail({.where = printable(path), .message = error.message()});
    for (const fs::recursive_directory_iterator end; at != end; at.increment(error)) {
      if (error) return fail({.where = printable(path), .message = error.message()});
      if (at->is_regular_file(error) && looks_like_trace(at->path())) {
        files.push_back({at->path().string(), false});
      }
    }
    if (files.size() == before) {
      return fail({.where = printable(path),
                   .message = "has no trace in it",
                   .hint = "traces end in .json, .json.gz or .json.zst; name others one by one"});
    }
  }
  std::sort(files.begin(), files.end(), [](const ListedFile& a, const ListedFile& b) {
    return a.path != b.path ? a.path < b.path : a.named > b.named;
  });
  files.erase(
      std::unique(files.begin(), files.end(),
                  [](const ListedFile& a, const ListedFile& b) { return a.path == b.path; }),
      files.end());
  return files;
}

/// How finely a rank is kept for the critical path, so that all of them fit.
std::size_t stretches_for(std::size_t files) {
  constexpr std::size_t kAll = std::size_t{1} << 17, kFewest = 64, kMost = 4096;
  return std::clamp(kAll / std::max<std::size_t>(files, 1), kFewest, kMost);
}

/// A file that lies in a folder of traces and is none.
std::vector<RankSummary> skipped_file(const std::string& path, std::string reason) {
  std::vector<RankSummary> list(1);
  list.front().file = path;
  list.front().skipped = std::move(reason);
  return list;
}

Result<std::vector<RankSummary>> read_one(const ListedFile& listed, const tracing::Rules& rules,
                                          const tracing::RankOptions& options) try {
  const std::string& path = listed.path;
  KSTAR_TRY(const auto source, tracing::open_source(path));
  Result<tracing::TraceFile> file = tracing::read_trace(*source, path, rules);
  if (!file) {
    if (listed.named) return fail(std::move(file.error()));
    return skipped_file(path, file.error().message);
  }
  KSTAR_TRY(std::vector<RankSummary> ranks, tracing::summarize_ranks(*file, options));
  if (tracing::is_foreign(*file, ranks)) {
    const std::string reason =
        "is no trace of a profiler: nothing in it is a kernel, an operator or communication";
    if (!listed.named) return skipped_file(path, reason);
    return fail({.where = printable(path),
                 .message = reason,
                 .hint =
                     "--rules FILE names what your events are; 'kstar dag' reads time traces of "
                     "compilers and workflows"});
  }
  const bool nothing = std::all_of(ranks.begin(), ranks.end(),
                                   [](const RankSummary& rank) { return rank.steps.empty(); });
  if (nothing && !listed.named) return skipped_file(path, "has no operation to measure");
  return ranks;
} catch (const std::exception& error) {  // of a temporary file, or of too little memory
  return fail({.where = printable(listed.path), .message = error.what()});
}

/// Every file of the part, several at a time; the order of the result is that of the files.
Result<std::vector<RankSummary>> read_files(const std::vector<ListedFile>& files,
                                            const TraceOptions& options) {
  KSTAR_TRY(const tracing::Rules rules, tracing::Rules::load(options.rules));
  const tracing::RankOptions rank_options{options.step, stretches_for(files.size())};
  std::vector<std::size_t> wanted;
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (i % static_cast<std::size_t>(options.parts) == static_cast<std::size_t>(options.part - 1)) {
      wanted.push_back(i);
    }
  }
  std::vector<Result<std::vector<RankSummary>>> results(wanted.size());
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    for (std::size_t i = next++; i < wanted.size(); i = next++) {
      results[i] = read_one(files[wanted[i]], rules, rank_options);
    }
  };
  const unsigned cores = std::max(1U, std::thread::hardware_concurrency());
  const std::size_t threads = std::min<std::size_t>(
      options.threads > 0 ? static_cast<std::size_t>(options.threads) : cores, wanted.size());
  std::vector<std::thread> others;
  for (std::size_t i = 1; i < threads; ++i) others.emplace_back(work);
  work();
  for (std::thread& thread : others) thread.join();
  std::vector<RankSummary> ranks;
  for (Result<std::vector<RankSummary>>& result : results) {
    if (!result) return fail(std::move(result.error()));
    for (RankSummary& rank : *result) ranks.push_back(std::move(rank));
  }
  return ranks;
}

}  // namespace

Result<std::vector<TraceAnalysis>> analyze_traces(std::span<const std::string> paths,
                                                  const TraceOptions& options) {
  KSTAR_TRY(const std::vector<ListedFile> files, list_files(paths));
  KSTAR_TRY(std::vector<RankSummary> ranks, read_files(files, options));
  return tracing::analyze_ranks(std::move(ranks), options);
}

Result<std::string> trace_part(std::span<const std::string> paths, const TraceOptions& options) {
  KSTAR_TRY(const std::vector<ListedFile> files, list_files(paths));
  KSTAR_TRY(const std::vector<RankSummary> ranks, read_files(files, options));
  return tracing::part_text(ranks, options, files.size());
}

Result<std::vector<TraceAnalysis>> merge_trace_parts(std::span<const std::string> paths,
                                                     const TraceOptions& options) {
  KSTAR_TRY(std::vector<RankSummary> ranks, tracing::read_parts(paths));
  return tracing::analyze_ranks(std::move(ranks), options);
}

Result<TraceAnalysis> analyze_trace_text(std::string_view text, const TraceOptions& options) {
  KSTAR_TRY(const tracing::Rules rules, tracing::Rules::load(options.rules));
  const auto source = tracing::text_source(text);
  KSTAR_TRY(tracing::TraceFile file, tracing::read_trace(*source, "trace", rules));
  const tracing::RankOptions rank_options{options.step, stretches_for(1)};
  KSTAR_TRY(std::vector<RankSummary> ranks, tracing::summarize_ranks(file, rank_options));
  KSTAR_TRY(std::vector<TraceAnalysis> all, tracing::analyze_ranks(std::move(ranks), options));
  return std::move(all.front());
}

}  // namespace kstar
