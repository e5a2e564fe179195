// contact-lu orders the active rows alone: whatever becomes active or rests between two factorisations, the systems
// are solved.
#include <cstdint>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "nsn/backends/standard_backends.h"
#include "nsn/core/contact/dual_system.h"
#include "nsn/core/problems/friction_blocks.h"

namespace nsn {
namespace {

constexpr Index kSide = 7;

/// Contacts between neighbours in a cube of bodies: u of a contact is J_a v_a - J_b v_b.
FrictionBlocks lattice(std::mt19937_64& random) {
  struct Contact {
    Index a, b;
    double J[18];
  };
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  std::vector<Contact> contacts;
  const auto body = [](Index x, Index y, Index z) { return (z * kSide + y) * kSide + x; };
  for (Index x = 0; x < kSide; ++x) {
    for (Index y = 0; y < kSide; ++y) {
      for (Index z = 0; z < kSide; ++z) {
        const Index last = kSide - 1;
        for (const Index other :
             {x < last ? body(x + 1, y, z) : -1, y < last ? body(x, y + 1, z) : -1,
              z < last ? body(x, y, z + 1) : -1}) {
          if (other < 0) continue;
          Contact contact{body(x, y, z), other, {}};
          for (double& e : contact.J) e = uniform(random);
          contacts.push_back(contact);
        }
      }
    }
  }
  FrictionProblem problem;
  const auto n = static_cast<Index>(contacts.size());
  std::vector<std::vector<std::pair<Index, const double*>>> of_body(kSide * kSide * kSide);
  for (Index i = 0; i < n; ++i) {
    const Contact& contact = contacts[static_cast<std::size_t>(i)];
    of_body[static_cast<std::size_t>(contact.a)].push_back({i, contact.J});
    of_body[static_cast<std::size_t>(contact.b)].push_back({i, contact.J + 9});
  }
  std::vector<Triplet> entries;
  for (const auto& touching : of_body) {
    for (const auto& [i, J] : touching) {
      for (const auto& [j, K] : touching) {
        for (Index r = 0; r < 3; ++r) {
          for (Index c = 0; c < 3; ++c) {
            double sum = 0.0;
            for (Index k = 0; k < 3; ++k) sum += J[3 * r + k] * K[3 * c + k];
            entries.push_back({3 * i + r, 3 * j + c, sum});
          }
        }
      }
    }
  }
  problem.W = csr_from_triplets(3 * n, 3 * n, entries);
  problem.q = Vector("q", static_cast<std::size_t>(3 * n));
  problem.mu = Vector("mu", static_cast<std::size_t>(n));
  return to_friction_blocks(problem);
}

TEST(ActiveRows, EverySetIsSolved) {
  std::mt19937_64 random(1);
  const FrictionBlocks made = lattice(random);
  const BlockCsr& W = made.W;
  DualSystem system(standard_backends().make("contact-lu"));
  system.analyze(W);
  system.set_values(W, true);
  const auto n = static_cast<std::size_t>(W.rows);
  const Vector ones("ones", 3 * n);
  const Vector A("A", 3 * n);
  const Vector b("b", 3 * n);
  const Vector z("z", 3 * n);
  for (std::size_t k = 0; k < 3 * n; ++k) {
    ones(k) = 1.0;
    A(k) = 1e-3;
    b(k) = static_cast<double>(k % 7) - 3.0;
  }
  system.scale(ones);
  const double full = system.factorization_flops();
  std::vector<ncp::BlockLinearization> blocks(n);
  for (auto& block : blocks) block.active = 7;
  // All, few, fewer, others, nearly all, none, few again.
  for (const double share : {1.0, 0.3, 0.1, 0.35, 0.95, 0.0, 0.2}) {
    for (auto& block : blocks) {
      const double draw = static_cast<double>(random() >> 11U) * 0x1.0p-53;
      block.active = share == 1.0 || draw < share ? 7 : 0;
    }
    system.prepare(blocks, A);
    const NewtonSolve solve = system.solve(b, z);
    EXPECT_TRUE(solve.ok) << share;
    EXPECT_LT(solve.relative_residual, 1e-8) << share;
    EXPECT_EQ(system.factorization_flops(), full);
  }
}

}  // namespace
}  // namespace nsn
