/* A marked program for the tests, in strict C99: mark_program MODE [STEPS].
     run      marks STEPS steps and closes
     leave    the same, and ends without closing
     kill     the same, and kills itself
     forever  marks steps until it is killed
     rank     takes its number from the launcher's variables */
#include <kstar/mark.h>
#include <signal.h>

static kstar_mark* mark; /* not in main: who leaves without closing must not count as a leak */

static void sleep_ms(long ms) {
  struct timespec time;
  time.tv_sec = 0;
  time.tv_nsec = ms * 1000000;
  nanosleep(&time, NULL);
}

static void step(int index) {
  kstar_mark_step_begin(mark);
  kstar_mark_begin(mark, KSTAR_MARK_COMPUTE);
  if (index == 0) sleep_ms(5);
  kstar_mark_end(mark, KSTAR_MARK_COMPUTE);
  kstar_mark_work(mark, 2.5);
  kstar_mark_step_end(mark);
}

int main(int count, char** words) {
  const char* mode = count > 1 ? words[1] : "run";
  const int steps = count > 2 ? atoi(words[2]) : 10;
  const int forever = strcmp(mode, "forever") == 0;
  int i;
  mark = kstar_mark_open(strcmp(mode, "rank") == 0 ? KSTAR_MARK_RANK : 3);
  kstar_mark_setup_end(mark);
  for (i = 0; forever || i < steps; ++i) {
    if (i == 1) kstar_mark_warm_up_end(mark);
    step(i);
  }
  if (strcmp(mode, "kill") == 0) raise(SIGKILL);
  if (strcmp(mode, "leave") == 0) return 0;
  kstar_mark_close(mark);
  return 0;
}
