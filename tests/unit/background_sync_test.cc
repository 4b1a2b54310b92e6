#include "study/background_sync.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>

#include "base/file.h"
#include "support/temp_folder.h"

namespace kstar {
namespace {

TEST(BackgroundSync, DoesWhatIsAskedAgainAndAgainAndWaitsForIt) {
  const TempFolder folder;
  const auto file = open_file(folder / "f", O_CREAT | O_RDWR, "create");
  ASSERT_TRUE(file);
  BackgroundSync sync(file->get());
  EXPECT_EQ(sync.wait(), 0);  // nothing asked yet
  for (int i = 0; i < 200; ++i) {
    ASSERT_TRUE(write_all(*file, "x", "f"));
    sync.ask();
    if (i % 50 == 0) {
      EXPECT_EQ(sync.wait(), 0);
    }
  }
  EXPECT_EQ(sync.wait(), 0);
  EXPECT_EQ(sync.error(), 0);
}

TEST(BackgroundSync, KeepsTheErrorOfTheFirstFailure) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  {
    BackgroundSync sync(ends[1]);  // a pipe cannot be synced
    EXPECT_EQ(sync.error(), 0);
    sync.ask();
    EXPECT_EQ(sync.wait(), EINVAL);
    sync.ask();
    EXPECT_EQ(sync.wait(), EINVAL);
    EXPECT_EQ(sync.error(), EINVAL);
  }
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST(BackgroundSync, EndsWithWorkStillAsked) {
  const TempFolder folder;
  const auto file = open_file(folder / "f", O_CREAT | O_RDWR, "create");
  for (int i = 0; i < 20; ++i) {
    BackgroundSync sync(file->get());
    sync.ask();
  }
}

}  // namespace
}  // namespace kstar
