/// Tests of a scene with our own robot, and with the public one where that is at hand.
#pragma once

#include <string>

#include <gtest/gtest.h>

#include "tests/support/public_data.h"

namespace nsn::test {

inline bool is_public(const std::string& robot) {
  return robot.find('/') != std::string::npos;
}

/// The parameter is what the scene's `file` is set to.
class WithRobot : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (is_public(GetParam())) NSN_NEED_PUBLIC_DATA(std::string("robots/") + GetParam());
  }
};

inline std::string robot_name(const testing::TestParamInfo<const char*>& robot) {
  return is_public(robot.param) ? "public" : "own";
}

constexpr const char* kOwnHand = "hand";
constexpr const char* kPublicHand = "allegro_mjcf/right_hand.xml";
constexpr const char* kOwnHumanoid = "humanoid";
constexpr const char* kPublicHumanoid = "humanoid_mjcf/nv_humanoid.xml";
constexpr const char* kOwnArms = "two-arms";
constexpr const char* kPublicArms = "yumi/urdf/yumi.urdf";

}  // namespace nsn::test
