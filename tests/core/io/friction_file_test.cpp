#include "nsn/core/io/friction_file.h"

#include <filesystem>

#include <gtest/gtest.h>

#include "nsn/core/base/error.h"
#include "nsn/core/io/atomic_file.h"
#include "nsn/core/io/contactbench.h"
#include "nsn/core/io/siconos_text.h"
#include "tests/support/friction_samples.h"
#include "tests/support/npz_samples.h"
#include "tests/support/public_data.h"
#include "tests/support/temporary_folder.h"

namespace nsn {
namespace {

using test::npz_entry;

std::string written(const TemporaryFolder& folder, const std::string& name,
                    const std::string& text) {
  write_file(folder / name, text);
  return folder / name;
}

std::string error_of(const std::string& path) {
  try {
    static_cast<void>(read_friction_file(path));
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(FrictionFile, WhatCannotBeReadIsSaid) {
  const TemporaryFolder folder;

  EXPECT_EQ(error_of(folder / "absent"), folder.path().string() + "/absent: no such file");
  EXPECT_EQ(error_of(folder.path().string()),
            folder.path().string() + ": is a directory, a file is needed");
  EXPECT_EQ(error_of("/dev/zero"), "/dev/zero: is not a regular file");
  EXPECT_EQ(error_of(written(folder, "empty.dat", "")),
            folder.path().string() + "/empty.dat:1: the file ends where dimension is expected");
}

TEST(FrictionFile, UnknownFormatNamesTheNearest) {
  EXPECT_EQ(friction_format_from_name("fclib"), FrictionFormat::kFclib);
  EXPECT_THROW(friction_format_from_name("fclibb"), std::invalid_argument);
  for (const std::string& name : friction_format_names()) {
    EXPECT_EQ(name_of(friction_format_from_name(name)), name);
  }
}

TEST(FrictionFile, TextIsReadWhateverItsName) {
  const TemporaryFolder folder;
  const FrictionProblem problem = test::two_contacts();

  const FrictionFile file =
      read_friction_file(written(folder, "p.hdf5.dat", to_siconos_text(problem)));

  EXPECT_EQ(file.format, FrictionFormat::kSiconosLocal);
  test::expect_same(std::get<FrictionProblem>(file.problem), problem);
}

TEST(ContactBench, TangentsFirstBecomesNormalFirst) {
  // G(i, j) = 10 i + j in (t1, t2, n) order
  const std::string bytes = npz_entry("G.npy", "(3, 3)", {0, 1, 2, 10, 11, 12, 20, 21, 22}) +
                            npz_entry("g.npy", "(3, 1)", {5, 6, 7}) +
                            npz_entry("mus.npy", "(1,)", {0.9});

  const FrictionFile file = parse_contactbench(bytes, "f");
  const auto& problem = std::get<FrictionProblem>(file.problem);

  test::expect_same(problem.q, test::to_vector({7, 5, 6}));
  test::expect_same(problem.W, csr_from_triplets(3, 3,
                                                 std::vector<Triplet>{{0, 0, 22},
                                                                      {0, 1, 20},
                                                                      {0, 2, 21},
                                                                      {1, 0, 2},
                                                                      {1, 2, 1},
                                                                      {2, 0, 12},
                                                                      {2, 1, 10},
                                                                      {2, 2, 11}}));
}

TEST(ContactBench, DamagedArchivesAreRefused) {
  const std::string G = npz_entry("G.npy", "(3, 3)", std::vector<double>(9, 1.0));
  const std::string g = npz_entry("g.npy", "(3,)", {5, 6, 7});
  const std::string mus = npz_entry("mus.npy", "(1,)", {0.9});
  const auto error = [](const std::string& bytes) -> std::string {
    try {
      static_cast<void>(parse_contactbench(bytes, "f"));
    } catch (const InputError& e) {
      return e.what();
    }
    return "accepted";
  };

  EXPECT_EQ(error(G + g + mus), "accepted");
  EXPECT_EQ(error(G + g), "f: mus.npy: is missing");
  EXPECT_EQ(error(G + mus + g.substr(0, g.size() - 1)), "f: g.npy: declares 92 bytes, 91 are left");
  EXPECT_EQ(error(npz_entry("G.npy", "(3, 1000000000000)", {1.0}) + g + mus),
            "f: G.npy: declares more values than it has");
  EXPECT_EQ(error(G + g + npz_entry("mus.npy", "(1,)", {-0.9})),
            "f: mus.npy: mu -0.9 of contact 0 is negative");
}

TEST(FrictionFile, EveryPublicProblemIsRead) {
  const std::filesystem::path folder = std::filesystem::path(NSN_DATA_DIR) / "friction";
  NSN_NEED_PUBLIC_DATA("friction");
  for (const auto& file : std::filesystem::directory_iterator(folder)) {
    const std::string path = file.path().string();
#if !defined(NSN_WITH_HDF5)
    if (file.path().extension() == ".hdf5") continue;
#endif
    FrictionFile content;
    ASSERT_NO_THROW(content = read_friction_file(path)) << path;
    EXPECT_EQ(contacts_of(content.problem) == 0, path.find("_00000_") != std::string::npos) << path;
    // README: asymmetry of every matrix as given is below 2e-3.
    EXPECT_LT(content.asymmetry, 2e-3) << path;
  }
}

}  // namespace
}  // namespace nsn
