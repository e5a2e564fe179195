#include "nsn/models/joints/hinges.h"

#include "nsn/models/joints/hold.h"

namespace nsn {
namespace {

using Kind = JointCoordinate::Kind;

void add_axis(Joint& joint, const JointCoordinate& c) {
  JointAxis axis;
  axis.coordinate = c;
  joint.axes.push_back(axis);
}

}  // namespace

void turn_about_two(Joint& joint) {
  joint.rows.push_back({coordinate(Kind::kCosine, 1, 0)});
  add_axis(joint, coordinate(Kind::kAzimuthA, 0, 1));
  add_axis(joint, coordinate(Kind::kAzimuthB, 1, 0));
}

void turn_about_three(Joint& joint) {
  add_axis(joint, coordinate(Kind::kAzimuthA, 0, 2));
  add_axis(joint, coordinate(Kind::kElevation, 2, 0));
  add_axis(joint, coordinate(Kind::kAzimuthB, 2, 0));
}

}  // namespace nsn
