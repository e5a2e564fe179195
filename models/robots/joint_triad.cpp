#include "nsn/models/robots/joint_triad.h"

#include <cmath>

namespace nsn {
namespace {

constexpr double kSame = 1e-9;  // of unit vectors, and in metres of anchors

/// Right-handed axes that hold the given unit vectors, which are at right angles to each other.
std::optional<Mat3> axes_with(const std::vector<Vec3>& first) {
  std::vector<Vec3> v = first;
  for (std::size_t i = 0; i < v.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (std::abs(dot(v[i], v[j])) > kSame) return {};
    }
  }
  if (v.empty()) v.push_back({1, 0, 0});
  if (v.size() == 1) v.push_back(tangent_frame(v[0]).t1);
  return columns(v[0], v[1], cross(v[0], v[1]));
}

/// Which axis of R a unit vector lies along.
std::optional<TriadAxis> axis_along(const Mat3& R, const Vec3& v) {
  for (int i = 0; i < 3; ++i) {
    const double along = dot(column(R, i), v);
    if (std::abs(std::abs(along) - 1.0) < kSame) return TriadAxis{i, along > 0.0 ? 1.0 : -1.0};
  }
  return {};
}

bool same_point(const Vec3& a, const Vec3& b) {
  return max_abs(a - b) < kSame;
}

/// Axes of the frame: hinges first, in their order (a single one is z), then slides.
std::optional<Mat3> triad_axes(const std::vector<Vec3>& hinges, const std::vector<Vec3>& slides) {
  std::vector<Vec3> wanted = hinges;
  if (wanted.size() > 2) wanted.resize(2);
  for (const Vec3& s : slides) {
    bool parallel = false;
    for (const Vec3& w : wanted) parallel = parallel || std::abs(dot(s, w)) > 1.0 - kSame;
    if (!parallel && wanted.size() < 2) wanted.push_back(s);
  }
  const auto axes = axes_with(wanted);
  if (!axes || hinges.size() != 1) return axes;
  return columns(column(*axes, 1), column(*axes, 2), column(*axes, 0));  // the hinge is z
}

}  // namespace

std::optional<JointTriad> joint_triad(const RobotLink& link, std::size_t count) {
  std::vector<Vec3> hinges;
  std::vector<Vec3> slides;
  JointTriad triad;
  for (std::size_t k = 0; k < count; ++k) {
    const RobotJoint& joint = link.joints[k];
    if (joint.kind == RobotJointKind::kSlide) {
      if (!hinges.empty()) return {};  // its axis turns with the hinge
      slides.push_back(joint.axis);
    } else if (joint.kind == RobotJointKind::kHinge) {
      if (!hinges.empty() && !same_point(joint.anchor, triad.frame.position)) return {};
      triad.frame.position = joint.anchor;
      hinges.push_back(joint.axis);
    } else {
      return {};
    }
  }
  if (hinges.size() > 3 || slides.size() > 3) return {};
  const auto axes = triad_axes(hinges, slides);
  if (!axes) return {};
  for (std::size_t k = 0; k < hinges.size(); ++k) {
    const auto found = axis_along(*axes, hinges[k]);
    const int place = hinges.size() == 1 ? 2 : static_cast<int>(k);
    if (!found || found->axis != place) return {};
    triad.hinge.push_back(*found);
  }
  for (const Vec3& s : slides) {
    const auto found = axis_along(*axes, s);
    if (!found) return {};
    for (const TriadAxis& other : triad.slide) {
      if (other.axis == found->axis) return {};
    }
    triad.slide.push_back(*found);
  }
  triad.frame.rotation = quaternion_of(*axes);
  return triad;
}

}  // namespace nsn
