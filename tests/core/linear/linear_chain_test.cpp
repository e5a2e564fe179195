// Which solver of a list answers.
#include "nsn/core/linear/linear_chain.h"

#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "nsn/core/linear/linear_operator.h"
#include "nsn/core/matrix/csr.h"

namespace nsn {
namespace {

/// A direct solver of the identity that answers b (1 + off).
class Off final : public LinearSolver {
 public:
  explicit Off(double off) : off_(off) {}
  std::string_view name() const override { return "off"; }
  const Capabilities& capabilities() const override { return can_; }

 private:
  void do_analyze(const LinearOperator&) override {}
  Preparation do_factorize(const LinearOperator&) override { return {}; }
  void do_solve(const LinearOperator&, ConstVector b, Vector x, const LinearControl&,
                const Monitor&, LinearReport& report) override {
    for (std::size_t k = 0; k < b.extent(0); ++k) x(k) = (1.0 + off_) * b(k);
    report.status = LinearStatus::kDirect;
  }
  double bytes_held() const override { return 0.0; }

  double off_;
  Capabilities can_;
};

SolverInfo off_by(const std::string& name, double off) {
  SolverInfo info;
  info.name = name;
  info.make = [off](const Options&, const SolverRegistry&) { return std::make_unique<Off>(off); };
  return info;
}

/// What the list answers to b = 1.
double answer(double first) {
  SolverRegistry registry;
  registry.add(off_by("first", first));
  registry.add(off_by("second", 0.0));
  const auto chain = make_linear_chain({"first", "second"}, registry);
  const std::vector<Triplet> one{{0, 0, 1.0}};
  const CsrOperator op(csr_from_triplets(1, 1, one));
  chain->prepare(op);
  Vector b("b", 1), x("x", 1);
  b(0) = 1.0;
  EXPECT_LE(chain->solve(b, x, {.rtol = 1e-8}).relative_residual(), 1e-4);
  return x(0);
}

TEST(LinearChain, HalfOfTheDigitsAreAnAnswerFewerAreNot) {
  EXPECT_EQ(answer(1e-9), 1.0 + 1e-9);
  EXPECT_EQ(answer(1e-5), 1.0 + 1e-5);
  EXPECT_EQ(answer(1e-3), 1.0);
}

}  // namespace
}  // namespace nsn
