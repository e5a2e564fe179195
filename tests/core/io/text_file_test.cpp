// Files as people have them: with a byte order mark, packed, damaged; and whether a file could be written.
#include "nsn/core/io/text_file.h"

#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include "nsn/core/base/error.h"
#include "nsn/core/io/atomic_file.h"
#include "nsn/core/io/matrix_market.h"
#include "tests/support/command.h"

namespace nsn {
namespace {

namespace fs = std::filesystem;

constexpr const char* kMatrix =
    "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 3\n2 2 4.5\n";

std::string refusal(const fs::path& path) {
  try {
    static_cast<void>(read_text_file(path));
  } catch (const InputError& error) {
    return error.what();
  }
  return {};
}

TEST(TextFile, LosesItsByteOrderMark) {
  const TemporaryFolder folder;
  write_file(folder / "a.mtx", std::string("\xef\xbb\xbf") + kMatrix);
  EXPECT_EQ(read_text_file(folder / "a.mtx"), kMatrix);
  EXPECT_EQ(read_matrix_market(folder / "a.mtx").A.value(1), 4.5);
  write_file(folder / "short", "\xef\xbb");
  EXPECT_EQ(read_text_file(folder / "short"), "\xef\xbb");
}

#if defined(NSN_WITH_ZLIB)

TEST(TextFile, IsUnpacked) {
  const TemporaryFolder folder;
  const fs::path file = folder / "a.mtx";
  write_file(file, std::string("\xef\xbb\xbf") + kMatrix);
  ASSERT_EQ(run_command("gzip -k " + file.string()).exit_code, 0);
  const fs::path packed = folder / "a.mtx.gz";
  EXPECT_EQ(read_matrix_market(packed).A.value(1), 4.5);

  // Two packed pieces in a row are the two texts in a row.
  const std::string bytes = run_command("cat " + packed.string()).out;
  write_file(folder / "twice.gz", bytes + bytes);
  EXPECT_EQ(read_text_file(folder / "twice.gz"), kMatrix + (std::string("\xef\xbb\xbf") + kMatrix));

  write_file(folder / "cut.gz", bytes.substr(0, bytes.size() / 2));
  EXPECT_NE(refusal(folder / "cut.gz").find("damaged gzip file"), std::string::npos);
  std::string damaged = bytes;
  damaged[damaged.size() - 6] ^= 1;  // the checksum
  write_file(folder / "damaged.gz", damaged);
  EXPECT_NE(refusal(folder / "damaged.gz").find("damaged gzip file"), std::string::npos);
  EXPECT_NE(refusal(folder / "none.gz").find("no such file"), std::string::npos);
}

#else

TEST(TextFile, ThatIsPackedIsRefusedWithoutZlib) {
  const TemporaryFolder folder;
  write_file(folder / "a.gz", "x");
  EXPECT_NE(refusal(folder / "a.gz").find("built without zlib"), std::string::npos);
}

#endif

TEST(ProbeFile, RefusesWhatCannotBeWrittenAndLeavesNothing) {
  const TemporaryFolder folder;
  EXPECT_THROW(probe_file("/proc/no-such-folder/x"), InputError);
  EXPECT_THROW(probe_file(folder.path()), InputError);
  write_file(folder / "file", "text");
  EXPECT_THROW(probe_file(folder / "file/below"), InputError);
  probe_file(folder / "file");
  EXPECT_EQ(read_text_file(folder / "file"), "text");
  probe_file(folder / "a/b/c");
  EXPECT_FALSE(fs::exists(folder / "a"));
  EXPECT_NO_THROW(probe_file("/dev/null"));
}

}  // namespace
}  // namespace nsn
