#include "tools/kstar_train/program.h"
#include "tools/kstar_train/thread_team.h"

int main(int argc, char** argv) {
  using namespace kstar::train;
  const Engine engine = thread_engine();
  return show(run({argv + 1, argv + argc}, engine, train_on_threads), engine);
}
