#include "kstar/measure_set.h"

#include <algorithm>
#include <memory>
#include <set>
#include <string>

#include "base/try.h"
#include "kstar/measure_plan.h"
#include "measure/block_loop.h"

namespace kstar {

namespace {

using Loops = std::vector<std::unique_ptr<BlockLoop>>;

/// One run: of which study, and of which of its points.
struct Member {
  std::size_t loop = 0;
  std::size_t point = 0;
};

/// What one study still needs, all run that can.
std::vector<Member> block_members(const Loops& loops) {
  std::set<std::size_t> needed;
  for (const auto& loop : loops) {
    for (const std::size_t point : loop->next_block()) needed.insert(point);
  }
  std::vector<Member> members;
  for (const std::size_t point : needed) {
    for (std::size_t i = 0; i < loops.size(); ++i) {
      if (loops[i]->may_run(point)) members.push_back({i, point});
    }
  }
  return members;
}

/// The answers of the others are compared with the base's, as in the loop of one study.
void put_bases_first(std::vector<Member>& order) {
  std::stable_partition(order.begin(), order.end(),
                        [](const Member& member) { return member.point == 0; });
}

Result<void> run_block(const Loops& loops, std::span<const SetMember> members, int block) {
  const std::vector<Member> all = block_members(loops);
  std::vector<Member> order;
  const std::uint64_t seed = *members[0].session.header().protocol.seed;
  for (const std::size_t i : block_order(seed, static_cast<std::uint64_t>(block), all.size())) {
    order.push_back(all[i]);
  }
  if (block == 0 && !members[0].session.spec().check_pattern.empty()) put_bases_first(order);
  for (const Member& member : order) KSTAR_CHECK(loops[member.loop]->run_point(member.point));
  return {};
}

Result<void> run_blocks(const Loops& loops, std::span<const SetMember> members,
                        SessionCount& count) {
  const auto judge_all = [&]() -> Result<void> {
    for (const auto& loop : loops) KSTAR_CHECK(loop->judge());
    return {};
  };
  KSTAR_CHECK(judge_all());
  while (!block_members(loops).empty() && !loops[0]->is_stopped()) {
    KSTAR_CHECK(run_block(loops, members, count.block));
    KSTAR_CHECK(judge_all());
    if (!loops[0]->is_stopped()) ++count.block;
  }
  return {};
}

}  // namespace

Result<std::vector<MeasureResult>> run_interleaved(std::span<const SetMember> members,
                                                   Executor& executor,
                                                   const std::atomic<bool>& stop) {
  const std::string session = session_now();
  SessionCount count;
  std::vector<std::unique_ptr<BlockRunner>> runners;
  Loops loops;
  const auto tell_others = [&loops] {
    for (const auto& loop : loops) loop->tell_last();
  };
  for (const SetMember& member : members) {
    const MeasureSpec& spec = member.session.spec();
    runners.push_back(direct_blocks(spec, executor, session));
    MeasureTools tools = member.session.tools(executor, stop, member.observer, member.found);
    tools.blocks = runners.back().get();
    tools.count = &count;
    tools.while_running = tell_others;
    loops.push_back(block_loop(spec, member.session.header(), tools));
    KSTAR_CHECK(loops.back()->prepare());
  }
  const Result<void> ran = run_blocks(loops, members, count);
  tell_others();
  std::vector<MeasureResult> results;
  for (std::size_t i = 0; i < loops.size(); ++i) {
    KSTAR_CHECK(members[i].session.sync());
    results.push_back(loops[i]->result());
  }
  KSTAR_CHECK(ran);
  return results;
}

}  // namespace kstar
