#include "launch/launchers.h"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>

#include "base/file.h"
#include "base/text.h"
#include "launch/launcher_template.h"

namespace kstar {

namespace {

/// Where the user's own launchers stand, and whether somebody said so: then the file must be there.
struct LaunchersFile {
  std::string path;
  bool said = false;
};

LaunchersFile launchers_file(const std::string& said) {
  if (!said.empty()) return {said, true};
  const auto variable = [](const char* name) {
    const char* value = std::getenv(name);
    return std::string(value == nullptr ? "" : value);
  };
  if (std::string file = variable("KSTAR_LAUNCHERS"); !file.empty()) return {file, true};
  std::string folder = variable("XDG_CONFIG_HOME");
  if (folder.empty() && !variable("HOME").empty()) folder = variable("HOME") + "/.config";
  return {folder.empty() ? "" : folder + "/kstar/launchers.toml", false};
}

Result<std::vector<Launcher>> own_launchers(const std::string& said) {
  constexpr std::size_t kLargestFile = std::size_t{1} << 20U;
  const LaunchersFile file = launchers_file(said);
  std::error_code ignored;
  if (file.path.empty() || (!file.said && !std::filesystem::exists(file.path, ignored))) {
    return std::vector<Launcher>();
  }
  const Result<FileText> text = read_file(file.path, kLargestFile);
  if (!text) return fail(text.error());
  Result<std::vector<LauncherTemplate>> forms = read_launchers(text->view(), file.path);
  if (!forms) return fail(forms.error());
  std::vector<Launcher> all;
  for (LauncherTemplate& form : *forms) {
    Launcher launcher{.name = form.name, .summary = form.summary, .launch = {}, .from = file.path};
    launcher.launch = [form = std::move(form)](const LaunchRequest& request) {
      return launch_with_template(form, request);
    };
    all.push_back(std::move(launcher));
  }
  return all;
}

}  // namespace

const std::vector<Launcher>& launchers() {
  static const std::vector<Launcher> kLaunchers = {
      {"local", "K threads on this machine: OMP_NUM_THREADS, bound to K cores", launch_locally, ""},
      {"mpi", "K ranks by mpirun or mpiexec of Open MPI or MPICH, on this machine or --hosts",
       launch_with_mpi, ""},
      {"slurm", "K ranks by srun, as a step of the allocation that kstar runs in",
       launch_with_slurm, ""},
      {"torchrun", "K ranks by torchrun, on this machine or on the nodes of a Slurm allocation",
       launch_with_torchrun, ""},
  };
  return kLaunchers;
}

Result<std::vector<Launcher>> all_launchers(const std::string& file) {
  Result<std::vector<Launcher>> own = own_launchers(file);
  if (!own) return own;
  std::vector<Launcher> all = launchers();
  all.insert(all.end(), own->begin(), own->end());
  return all;
}

Result<Launcher> find_launcher(std::string_view name, const std::string& file) {
  for (const Launcher& launcher : launchers()) {
    if (launcher.name == name) return launcher;  // a file that is wrong is nothing to it
  }
  const Result<std::vector<Launcher>> all = all_launchers(file);
  if (!all) return fail(all.error());
  std::vector<std::string> names;
  for (const Launcher& launcher : *all) {
    if (launcher.name == name) return launcher;
    names.push_back(launcher.name);
  }
  const std::string near = did_you_mean(name, names);
  return fail(expected("--launcher", fmt::format("one of {}", fmt::join(names, ", ")), name,
                       near.empty() ? "" : fmt::format("did you mean '{}'?", near)));
}

}  // namespace kstar
