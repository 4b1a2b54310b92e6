#include <exception>
#include <new>
#include <string>
#include <vector>

#include "base/try.h"
#include "cli/arguments.h"
#include "cli/console.h"
#include "cli/help.h"
#include "cli/kept_files.h"

namespace {

using namespace kstar;

Result<ExitCode> run(const std::vector<std::string>& words, Console& console) {
  KSTAR_TRY(const Arguments arguments, parse_arguments(program(), words));
  console.apply(arguments);
  const Command& command = *arguments.command;
  if (arguments.wants_help) {
    console.print(help_text(command, arguments.path, console.style().width));
    return ExitCode::kDone;
  }
  if (arguments.has("version")) {
    console.print("kstar " KSTAR_VERSION "\n");
    return ExitCode::kDone;
  }
  if (command.run) {
    KSTAR_CHECK(keep_inputs(arguments));
    remove_leftovers(arguments);
    return command.run(arguments, console);
  }
  return fail(usage({.where = arguments.path,
                     .message = "missing command",
                     .hint = "'" + arguments.path + " --help' lists them"}));
}

/// Rooms return errors; what the standard library throws at the very limit is turned into one.
Result<ExitCode> guarded_run(const std::vector<std::string>& words, Console& console) {
  try {
    return run(words, console);
  } catch (const std::bad_alloc&) {
    return fail({.where = {}, .message = "out of memory"});
  } catch (const std::exception& problem) {
    return fail({.where = "internal error", .message = problem.what()});
  }
}

}  // namespace

int main(int argc, char** argv) {
  Console console;
  Result<ExitCode> code = guarded_run(std::vector<std::string>(argv + 1, argv + argc), console);
  if (const Result<void> flushed = console.flush(); code && !flushed) code = fail(flushed.error());
  if (code) return static_cast<int>(*code);
  console.print_error(code.error());
  return static_cast<int>(code.error().code);
}
