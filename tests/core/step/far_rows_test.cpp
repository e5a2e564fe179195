// Which contacts and limits a reduced step does without.
#include "nsn/core/step/far_rows.h"

#include <vector>

#include <gtest/gtest.h>

namespace nsn {
namespace {

Vector view(std::vector<double>& values) {
  return Vector(values.data(), values.size());
}

/// Contacts without bodies, and a limit beside two rows of padding, in an island whose speed is 0.1 m/s.
struct Rows {
  std::vector<double> value = std::vector<double>(12, 0.0);
  std::vector<double> r = std::vector<double>(12, 0.0);
  System system;
  StepEvaluation at;
  FarRows far;
  RealtimePolicy policy;

  Rows() {
    RowLaw limit;
    limit.kind = RowLaw::Kind::kBox;
    limit.lo[0] = 0.0;
    system.laws = {RowLaw::contact(0.5), RowLaw::contact(0.5), RowLaw::contact(0.5), limit};
    system.speed_scale = 0.1;
    at.value = view(value);
  }
  std::vector<int> marks() {
    far.find(system, at, view(r), policy);
    return {far.marks().begin(), far.marks().end()};
  }
};

TEST(FarRows, ContactsThatTheIslandIsTooSlowToReachAreLeftOut) {
  Rows rows;
  rows.value = {0.39, 0, 0, 0.41, 0, 0, 2.1, 0, 0, 1.9, 0, 0};
  EXPECT_EQ(rows.marks(), (std::vector<int>{0, 1, 1, 0}));
  EXPECT_EQ(rows.far.idle(), 1);  // of the two, one would count in a fast island
  rows.system.speed_scale = 1.0;  // fast enough for what is below policy.far_speed
  EXPECT_EQ(rows.marks(), (std::vector<int>{0, 0, 1, 0}));
  EXPECT_EQ(rows.far.idle(), 0);
}

TEST(FarRows, WhatCarriesAnImpulseStays) {
  Rows rows;
  rows.value = {5.0, 0, 0, 5.0, 0, 0, 0, 0, 0, 5.0, 0, 0};
  rows.r[0] = 1e-9;
  rows.r[9] = 1e-9;
  EXPECT_EQ(rows.marks(), (std::vector<int>{0, 1, 0, 0}));
}

TEST(FarRows, WhatIsViolatedComesBack) {
  Rows rows;
  rows.value = {5.0, 0, 0, 5.0, 0, 0, 5.0, 0, 0, 5.0, 0, 0};
  EXPECT_EQ(rows.marks(), (std::vector<int>{1, 1, 1, 1}));
  EXPECT_FALSE(rows.far.any_violated(rows.system, rows.at, 0.0));
  rows.value[3] = -1e-3;
  EXPECT_TRUE(rows.far.any_violated(rows.system, rows.at, 1e-4));
  EXPECT_FALSE(rows.far.any_violated(rows.system, rows.at, 1e-2));
  EXPECT_TRUE(rows.far.admit(rows.system, rows.at));
  EXPECT_EQ(rows.far.marks()[0], 1);
  EXPECT_EQ(rows.far.marks()[1], 0);
  EXPECT_FALSE(rows.far.admit(rows.system, rows.at));
}

}  // namespace
}  // namespace nsn
