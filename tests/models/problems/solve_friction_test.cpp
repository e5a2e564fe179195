// Friction problems from a caller's own arrays.
#include "nsn/models/problems/solve_friction.h"

#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace nsn {
namespace {

struct Arrays {
  std::vector<int> row_begin{0, 1, 2, 3};
  std::vector<int> column{0, 1, 2};
  std::vector<double> value{1.0, 1.0, 1.0};
  std::vector<double> q{-1.0, 2.0, 0.0};
  std::vector<double> mu{0.5};

  FrictionAnswer solve(const FrictionRequest& request = {}) const {
    return solve_friction({row_begin, column, value}, q, mu, request);
  }
};

TEST(SolveFriction, OneSlidingContact) {
  const FrictionAnswer answer = Arrays{}.solve();
  EXPECT_TRUE(answer.solved) << answer.status;
  EXPECT_EQ(answer.status, "solved");
  const double r[] = {1.0, -0.5, 0.0};
  const double u[] = {0.0, 1.5, 0.0};
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_NEAR(answer.r[k], r[k], 1e-8);
    EXPECT_NEAR(answer.u[k], u[k], 1e-8);
  }
  EXPECT_LE(answer.error, 1e-8);
}

TEST(SolveFriction, InThePlaneAndFromAStart) {
  const std::vector<int> row_begin{0, 1, 2};
  const std::vector<int> column{0, 1};
  const std::vector<double> value{1.0, 1.0};
  const std::vector<double> q{-1.0, 0.2};
  const std::vector<double> mu{0.5};
  const std::vector<double> start{1.0, -0.2};  // the answer: it sticks
  FrictionRequest request;
  request.dimension = 2;
  request.start = start;
  const FrictionAnswer answer = solve_friction({row_begin, column, value}, q, mu, request);
  EXPECT_TRUE(answer.solved);
  EXPECT_EQ(answer.factorizations, 0);
  EXPECT_NEAR(answer.r[1], -0.2, 1e-8);
}

void expect_refused(const Arrays& arrays, const std::string& words,
                    const FrictionRequest& request = {}) {
  try {
    static_cast<void>(arrays.solve(request));
    ADD_FAILURE() << "not refused: " << words;
  } catch (const std::invalid_argument& error) {
    EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
  }
}

TEST(SolveFriction, RefusesWhatDoesNotAgree) {
  Arrays sizes;
  sizes.q.pop_back();
  expect_refused(sizes, "q: 2 numbers for 1 contacts in 3D");
  Arrays rows;
  rows.row_begin.pop_back();
  expect_refused(rows, "3 entries of row_begin for 3 rows");
  Arrays order;
  order.row_begin = {0, 2, 3, 4};
  order.column = {1, 0, 1, 2};
  order.value = {0.0, 1.0, 1.0, 1.0};
  expect_refused(order, "the columns of row 0 do not ascend");
  Arrays outside;
  outside.column[1] = 3;
  expect_refused(outside, "column 3 in row 1");
  Arrays falls;
  falls.row_begin = {0, 2, 1, 3};
  expect_refused(falls, "row_begin falls at row 1");
  Arrays nan;
  nan.q[0] = NAN;
  expect_refused(nan, "q holds NaN or infinity");
  Arrays negative;
  negative.mu[0] = -0.1;
  expect_refused(negative, "mu");
  FrictionRequest request;
  request.method = "autto";
  expect_refused({}, "auto", request);
  request = {};
  request.dimension = 4;
  expect_refused({}, "dimension 4", request);
}

}  // namespace
}  // namespace nsn
