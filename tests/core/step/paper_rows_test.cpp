// The rows of the paper's method: one bound by the NCP function, two by the projection.
#include "nsn/core/step/paper/paper_rows.h"

#include <vector>

#include <gtest/gtest.h>

namespace nsn {
namespace {

constexpr double kInfinity = RowLaw::kInfinity;
constexpr double kRho = 2.5;
constexpr double kE = 0.4;

using paper::Row;

/// One block of a law, all its rows at the value v (without E r) and the impulse r.
Row scaled(const RowLaw& law, const PaperOptions& options, double v, double r) {
  const Mat3 E = kE * identity<3>();
  Vec3 impulse{r, r, r};
  Row row;
  paper::scale_row(options, law, {kRho, kRho, kRho}, E, Vec3{v, v, v} + E * impulse, impulse, row);
  return row;
}

RowLaw bounded(double lower, double upper) {
  const double lo[3] = {lower, lower, lower};
  const double hi[3] = {upper, upper, upper};
  return RowLaw::box(lo, hi);
}

void expect_same_row(const Row& a, const Row& b, double side) {
  EXPECT_EQ(a.L(0, 0), b.L(0, 0));
  EXPECT_EQ(a.R(0, 0), b.R(0, 0));
  EXPECT_EQ(a.C(0, 0), b.C(0, 0));
  EXPECT_EQ(a.h[0], side * b.h[0]);
  EXPECT_EQ(a.phi[0], side * b.phi[0]);
  EXPECT_EQ(a.force[0], side * b.force[0]);
}

/// Both NCP functions in both forms.
std::vector<PaperOptions> all_options() {
  std::vector<PaperOptions> all;
  for (const NcpKind ncp : {NcpKind::kMinimumMap, NcpKind::kFischerBurmeister}) {
    for (const NcpForm form : {NcpForm::kRowScaled, NcpForm::kAlphaScaled}) {
      PaperOptions options;
      options.ncp = ncp;
      options.form = form;
      all.push_back(options);
    }
  }
  return all;
}

TEST(PaperLaws, ALimitIsARowLikeTheNormalOfAContact) {
  for (const PaperOptions& options : all_options()) {
    for (const double v : {-0.7, 0.0, 0.3}) {
      for (const double r : {-0.2, 0.0, 0.6}) {
        const Row normal = scaled(RowLaw::contact(0.0), options, v, r);
        expect_same_row(scaled(bounded(0.0, kInfinity), options, v, r), normal, 1.0);
        expect_same_row(scaled(bounded(-kInfinity, 0.0), options, -v, -r), normal, -1.0);
      }
    }
  }
}

TEST(PaperLaws, TheNcpFunctionChangesRowsWithOneBoundAlone) {
  PaperOptions minimum;
  minimum.ncp = NcpKind::kMinimumMap;
  PaperOptions fischer;
  fischer.ncp = NcpKind::kFischerBurmeister;

  EXPECT_NE(scaled(bounded(0.0, kInfinity), minimum, 0.3, 0.2).phi[0],
            scaled(bounded(0.0, kInfinity), fischer, 0.3, 0.2).phi[0]);
  for (const double r : {0.2, 5.0}) {  // inside the bounds, and beyond one
    expect_same_row(scaled(bounded(-1.0, 1.0), minimum, 0.3, r),
                    scaled(bounded(-1.0, 1.0), fischer, 0.3, r), 1.0);
  }
}

TEST(PaperLaws, TheChoiceAtTheOriginOpensOrClosesALimit) {
  PaperOptions options;
  options.form = NcpForm::kAlphaScaled;
  options.origin = ncp::Origin::kInactive;
  EXPECT_EQ(scaled(bounded(0.0, kInfinity), options, 0.0, 0.0).L(0, 0), 0.0);
  options.origin = ncp::Origin::kActive;
  EXPECT_EQ(scaled(bounded(0.0, kInfinity), options, 0.0, 0.0).L(0, 0), 1.0);
}

TEST(PaperLaws, BetweenTwoBoundsTheRowIsAnEquation) {
  const Row inside = scaled(bounded(-1.0, 1.0), {}, 0.3, 0.2);
  EXPECT_EQ(inside.L(0, 0), 1.0);
  EXPECT_DOUBLE_EQ(inside.h[0], 0.3 + kE * 0.2);
  const Row beyond = scaled(bounded(-1.0, 1.0), {}, 0.3, 5.0);
  EXPECT_EQ(beyond.L(0, 0), 0.0);
  EXPECT_DOUBLE_EQ(beyond.h[0], kRho * (5.0 - 1.0));
}

}  // namespace
}  // namespace nsn
