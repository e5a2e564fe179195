// A wish to stop: how often a step asks for it, in pieces of work and not in seconds, and what is left behind when it
// throws, at whichever question.
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "nsn/backends/standard_backends.h"
#include "nsn/core/linear/linear_solver.h"
#include "nsn/models/scenes/scene.h"
#include "tests/support/simulate.h"

namespace nsn {
namespace {

/// What linear solvers did since the last question, and the most that they did between two.
struct Work {
  int factorizations = 0;
  int solves = 0;
  int most_factorizations = 0;
  int most_solves = 0;
  int questions = 0;

  void ask() {
    ++questions;
    most_factorizations = std::max(most_factorizations, factorizations);
    most_solves = std::max(most_solves, solves);
    factorizations = solves = 0;
  }
};

/// contact-lu that counts.
class Counted final : public LinearSolver {
 public:
  Counted(std::unique_ptr<LinearSolver> inner, Work& work)
      : inner_(std::move(inner)), work_(work) {}

  std::string_view name() const override { return "counted"; }
  const Capabilities& capabilities() const override { return inner_->capabilities(); }
  double factorization_flops() const override { return inner_->factorization_flops(); }

 private:
  void do_analyze(const LinearOperator& op) override { inner_->analyze(op); }
  Preparation do_factorize(const LinearOperator& op) override {
    ++work_.factorizations;
    inner_->prepare(op);
    return {};
  }
  void do_solve(const LinearOperator&, ConstVector b, Vector x, const LinearControl& control,
                const Monitor& monitor, LinearReport& report) override {
    ++work_.solves;
    report = inner_->solve(b, x, control, monitor);
  }
  double bytes_held() const override { return 0.0; }

  std::unique_ptr<LinearSolver> inner_;
  Work& work_;
};

SolverRegistry counting(Work& work) {
  SolverRegistry registry = standard_backends();
  SolverInfo info = registry.info("contact-lu");
  info.name = "counted";
  info.make = [&work](const Options&, const SolverRegistry& all) {
    return std::make_unique<Counted>(all.make("contact-lu"), work);
  };
  info.on_device = {};
  registry.add(std::move(info));
  return registry;
}

class Cancel : public testing::TestWithParam<const char*> {};

TEST_P(Cancel, IsAskedForAfterEveryFactorisationAndEveryFewSolves) {
  for (const char* const scene : {"wall", "bridge", "heavy-stack"}) {
    Work work;
    SimulationOptions options = test::with_preset(GetParam());
    options.islands = false;  // one thread asks
    options.newton.linear = {"counted"};
    options.newton.cancel = [&work] {
      work.ask();
      return false;
    };
    Simulation simulation(make_scene(scene), options, counting(work));
    for (int k = 0; k < 5; ++k) {
      simulation.step();
      work.ask();
    }
    EXPECT_GT(work.questions, 20) << scene;
    EXPECT_LE(work.most_factorizations, 1) << scene;
    EXPECT_LE(work.most_solves, 3) << scene;
  }
}

struct Stop {};

TEST_P(Cancel, LeavesTheStateAtWhicheverQuestionItThrows) {
  for (const char* const scene : {"sliding-stack", "four-bar", "heavy-stack"}) {
    for (const bool cold : {false, true}) {
      SCOPED_TRACE(std::string(scene) + (cold ? ", cold" : ""));
      SimulationOptions options = test::with_preset(GetParam());
      auto uninterrupted = test::simulate(scene, {}, options);
      test::advance(uninterrupted, 3);
      if (cold) uninterrupted.forget_impulses();
      uninterrupted.step();
      int left = 1000000;
      options.newton.cancel = [&left]() -> bool {
        if (--left < 0) throw Stop{};
        return false;
      };
      auto simulation = test::simulate(scene, {}, options);
      test::advance(simulation, 3);
      if (cold) simulation.forget_impulses();
      const std::string before = simulation.state();
      int question = 0;
      for (bool stopped = true; stopped; ++question) {
        left = question;
        try {
          simulation.step();
          stopped = false;
        } catch (const Stop&) {
          ASSERT_TRUE(simulation.state() == before) << "question " << question;
        }
      }
      EXPECT_GT(question, 3);
      EXPECT_TRUE(simulation.state() == uninterrupted.state());
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Presets, Cancel, testing::Values("accurate", "realtime"));

}  // namespace
}  // namespace nsn
