// nsn compare --distributed on one and on two processes of one machine.
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "bench/support/generated_systems.h"
#include "nsn/core/base/vector_kernels.h"
#include "nsn/core/io/atomic_file.h"
#include "nsn/core/io/exported_system.h"
#include "nsn/core/io/petsc_binary.h"
#include "nsn/core/io/text_file.h"
#include "nsn/core/step/reductions/delassus.h"
#include "tests/support/command.h"

namespace nsn {
namespace {

const std::string kNsn = NSN_BINARY;
const std::string kMpirun =
    "env OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 "
    "OMPI_MCA_rmaps_base_oversubscribe=1 timeout 300 mpirun ";

Csr block_diagonal(ConstVector blocks) {
  std::vector<BlockTriplet> triplets;
  for (Index i = 0; i < size_of(blocks) / kBlockSize; ++i) {
    BlockTriplet t{i, i, {}};
    std::copy_n(&blocks(kBlockSize * i), kBlockSize, t.value.begin());
    triplets.push_back(t);
  }
  const auto n = static_cast<Index>(triplets.size());
  return to_scalar(block_csr_from_triplets(n, n, triplets));
}

/// A pile of this many contacts, three rows each, with its factors, in PETSc's format.
void write_pile(const std::filesystem::path& folder, Index contacts) {
  const GeneratedSystem pile = sphere_pile({.contacts = contacts, .contacts_per_body = 3});
  const Vector E("E", to_size(kBlockSize * contacts));  // S is then regular
  for (Index k = 0; k < kBlock * contacts; ++k) E(kBlockSize * (k / 3) + 4 * (k % 3)) = 1.0;
  Delassus S;
  S.analyze(pile.J);
  S.assemble(pile.J, pile.H_inverse, E);
  const Vector H("H", pile.H_inverse.extent(0));
  invert_blocks(pile.H_inverse, H);
  ExportedSystem system;
  system.A = to_scalar(S.matrix());
  system.b = pile.b;
  system.factors = SystemFactors{to_scalar(pile.J), block_diagonal(H), block_diagonal(E), {}};
  write_exported_system(folder, system, SystemFormat::kPetsc);
}

const std::vector<std::string> kSolvers{
    "petsc:pc=pbjacobi", "petsc:pc=pbjacobi,form=factored",
    "petsc:pc=icc",      "petsc:pc=hypre",
    "petsc:pc=gamg",     "petsc:ksp=preonly,pc=cholesky,options=-pc_factor_mat_solver_type mumps",
};

struct Answer {
  nlohmann::json row;
  Vector x;
};

/// Rows and answers, in the order of kSolvers.
std::vector<Answer> solve_on(int processes, const std::filesystem::path& system,
                             const std::filesystem::path& out) {
  std::string list;
  for (const std::string& solver : kSolvers) list += (list.empty() ? "" : ",") + solver;
  const CommandResult result =
      run_command(kMpirun + "-np " + std::to_string(processes) + " " + kNsn + " compare " +
                  system.string() + " --distributed --solutions --repeat 1 --tol 1e-9 --solvers '" +
                  list + "' --quiet --out " + out.string());
  EXPECT_EQ(result.exit_code, 0) << result.err << result.out;
  std::vector<Answer> answers;
  if (result.exit_code != 0) return answers;
  const auto report = nlohmann::json::parse(read_text_file(out / "compare.json"));
  for (const auto& row : report["results"]) {
    const std::string name =
        system.filename().string() + "-" + std::to_string(answers.size() + 1) + ".petsc";
    answers.push_back({row, read_petsc_vector(out / name)});
  }
  return answers;
}

double difference(ConstVector x, ConstVector y) {
  const Vector d = duplicate(x);
  axpby(-1.0, y, 1.0, d);
  return norm2(d) / norm2(y);
}

TEST(Distributed, TwoProcessesGiveTheAnswerOfOne) {
  const TemporaryFolder folder;
  write_pile(folder / "pile", 1700);

  const auto one = solve_on(1, folder / "pile", folder / "one");
  const auto two = solve_on(2, folder / "pile", folder / "two");

  ASSERT_EQ(one.size(), kSolvers.size());
  ASSERT_EQ(two.size(), kSolvers.size());
  for (std::size_t k = 0; k < kSolvers.size(); ++k) {
    EXPECT_EQ(two[k].row["ranks"], 2);
    EXPECT_GE(two[k].row["imbalance"].get<double>(), 1.0);
    EXPECT_EQ(two[k].row["converged"], true) << kSolvers[k] << two[k].row["detail"];
    EXPECT_LE(two[k].row["relative_residual"].get<double>(), 1e-9) << kSolvers[k];
    EXPECT_LE(difference(two[k].x, one[k].x), 1e-6) << kSolvers[k];
  }
  for (const std::size_t k : {0, 1}) {  // the same P whatever the number of processes
    EXPECT_EQ(two[k].row["iterations"], one[k].row["iterations"]) << kSolvers[k];
    EXPECT_LE(difference(two[k].x, one[k].x), 1e-12) << kSolvers[k];
  }
  EXPECT_LE(difference(two[5].x, one[5].x), 1e-10);
  EXPECT_EQ(two[1].row["operator"], "factored");
  EXPECT_LE(difference(two[1].x, two[0].x), 1e-8);
  EXPECT_LE(difference(two[0].x, two[5].x), 1e-6);
}

TEST(Distributed, AProcessThatDiesEndsAllWithoutAReport) {
  const TemporaryFolder folder;
  write_pile(folder / "pile", 300);
  const std::string command = kNsn + " compare " + (folder / "pile").string() +
                              " --distributed --solvers petsc:pc=pbjacobi --repeat 10000 --quiet" +
                              " --tol 1e-9 --out " + (folder / "out").string();
  write_file(folder / "mortal.sh",
             command + " & victim=$!\nsleep 3\nkill -9 $victim\nwait $victim\n");

  const CommandResult result =
      run_command(kMpirun + "-np 1 " + command + " : -np 1 sh " + (folder / "mortal.sh").string());

  EXPECT_NE(result.exit_code, 0);
  EXPECT_NE(result.exit_code, 124) << "it waited for ever";
  EXPECT_FALSE(std::filesystem::exists(folder / "out" / "compare.json"));
}

/// The sentence on a system after `damage`; alone, without mpirun.
template <class Damage>
std::string refusal(const Damage& damage, const std::string& more = "") {
  const TemporaryFolder folder;
  write_pile(folder / "pile", 20);
  damage(folder / "pile");
  const CommandResult result = run_command(kNsn + " compare " + (folder / "pile").string() +
                                           " --distributed --quiet " + more);
  EXPECT_EQ(result.exit_code, 2) << result.out << result.err;
  const std::string path = (folder / "pile").string() + "/";
  const std::size_t at = result.err.find(path);
  return at == std::string::npos ? result.err : result.err.substr(at + path.size());
}

void rewrite(const std::filesystem::path& file, std::string (*change)(std::string)) {
  std::ifstream in(file, std::ios::binary);
  std::string bytes((std::istreambuf_iterator<char>(in)), {});
  in.close();
  std::ofstream(file, std::ios::binary) << change(std::move(bytes));
}

TEST(Distributed, FilesThatAreNotOfItsKindAreRefused) {
  using Path = std::filesystem::path;
  const auto cut = [](const Path& pile) {
    rewrite(pile / "A.petsc", [](std::string s) { return s.substr(0, s.size() - 8); });
  };
  const auto swapped = [](const Path& pile) {
    rewrite(pile / "A.petsc", [](std::string s) {
      std::reverse(s.begin(), s.begin() + 4);
      return s;
    });
  };
  const auto wide = [](const Path& pile) {
    rewrite(pile / "A.petsc", [](std::string s) { return std::string(4, '\0') + s; });
  };
  const auto short_b = [](const Path& pile) {
    write_petsc(pile / "b.petsc", ConstVector(Vector("b", 6)));
  };
  const auto text = [](const Path& pile) {
    const ExportedSystem system = read_exported_system(pile);
    write_exported_system(pile, system, SystemFormat::kMatrixMarket);
  };

  EXPECT_NE(refusal(cut).find("the file was cut off"), std::string::npos) << refusal(cut);
  EXPECT_EQ(refusal(swapped).find("A.petsc: the least significant byte is first"), 0U);
  EXPECT_EQ(refusal(wide).find("A.petsc: holds indices of 8 bytes"), 0U);
  EXPECT_EQ(refusal(short_b), "b.petsc: has 6 rows, A.petsc asks for 60\n");
  EXPECT_EQ(refusal(text).find("A.mtx: --distributed reads PETSc files; 'nsn convert"), 0U);
}

TEST(Distributed, WhatDoesNotGoWithItIsSaid) {
  const auto nothing = [](const std::filesystem::path&) {};

  EXPECT_EQ(refusal(nothing, "--solvers pcg"),
            "nsn: --distributed takes solvers of PETSc, petsc:KEY=VALUE,..., and 'pcg' is none\n");
  EXPECT_EQ(refusal(nothing, "--time-limit 5").find("nsn: --time-limit does not go with"), 0U);
  EXPECT_EQ(refusal(nothing, "--solvers 'petsc:options=-pc_nothing 1'"),
            "nsn: 'petsc': nothing in PETSc read the option '-pc_nothing'\n");
  EXPECT_EQ(refusal(nothing, "--solutions"), "nsn: --solutions needs --out\n");
}

TEST(Distributed, WithoutItMpirunIsRefusedOnce) {
  const CommandResult result = run_command(kMpirun + "-np 2 " + kNsn + " scenes");

  EXPECT_EQ(result.exit_code, 2);
  const std::size_t first = result.err.find("nsn: one of 2 processes that mpirun started");
  EXPECT_NE(first, std::string::npos) << result.err;
  EXPECT_EQ(result.err.find("nsn: one of 2", first + 1), std::string::npos);
}

}  // namespace
}  // namespace nsn
