#include "tools/kstar_train/program.h"
#include "tools/kstar_train/thread_team.h"

int main(int argc, char** argv) {
  using namespace kstar::train;
  return show(run({argv + 1, argv + argc}, train_on_threads));
}
