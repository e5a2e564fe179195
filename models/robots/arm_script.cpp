#include "nsn/models/robots/arm_script.h"

#include <algorithm>
#include <cmath>

#include "nsn/core/base/error.h"
#include "nsn/core/base/index.h"
#include "nsn/models/robots/inverse_kinematics.h"
#include "nsn/models/robots/trajectory.h"

namespace nsn {
namespace {

/// Value and slope in s of the cubic through samples (Catmull and Rom) at s in [0, 1].
struct Interpolated {
  double value = 0.0;
  double slope = 0.0;
};
template <class Get>
Interpolated cubic(int last, double s, const Get& get) {
  const int k = std::clamp(static_cast<int>(s * last), 0, last - 1);
  const double u = s * last - k;
  const double a = get(k);
  const double b = get(k + 1);
  // Slopes at samples: central, at the ends those of a parabola.
  const auto slope = [&](int i) {
    if (last == 1) return b - a;
    if (i == 0) return -1.5 * get(0) + 2.0 * get(1) - 0.5 * get(2);
    if (i == last) return 1.5 * get(last) - 2.0 * get(last - 1) + 0.5 * get(last - 2);
    return 0.5 * (get(i + 1) - get(i - 1));
  };
  const double slope_a = slope(k);
  const double slope_b = slope(k + 1);
  const double c2 = 3.0 * (b - a) - 2.0 * slope_a - slope_b;
  const double c3 = slope_a + slope_b - 2.0 * (b - a);
  return {a + u * (slope_a + u * (c2 + u * c3)), last * (slope_a + u * (2.0 * c2 + u * 3.0 * c3))};
}

/// Rate of smooth_step(s).
double smooth_rate(double s) {
  return s > 0.0 && s < 1.0 ? 30.0 * s * s * (1.0 - s) * (1.0 - s) : 0.0;
}

}  // namespace

std::vector<double> reach(const RobotDescription& robot, const ArmTool& tool,
                          std::vector<double> guess, const RigidFrame& place) {
  IkTarget target;
  target.link = tool.link;
  target.point = tool.point;
  target.position = place.position;
  target.oriented = true;
  target.rotation = place.rotation;
  IkOptions options;
  options.moving = tool.arm;
  options.tolerance = 1e-8;
  const IkResult result = solve_ik(robot, std::move(guess), {target}, options);
  NSN_THROW_UNLESS(result.solved, "{} does not reach ({:.3f}, {:.3f}, {:.3f}) m: {:.2g} m are left",
                   robot.name, place.position[0], place.position[1], place.position[2],
                   result.error);
  return result.q;
}

ArmScript::ArmScript(std::shared_ptr<const RobotDescription> robot, ArmTool tool,
                     std::vector<double> q0, const Vec3& gravity)
    : robot_(std::move(robot)), tool_(std::move(tool)), gravity_(gravity), q_(std::move(q0)) {
  NSN_THROW_UNLESS(robot_->num_coordinates() == robot_->num_dofs(),
                   "a script needs hinges and slides; robot '{}' has ball or free joints",
                   robot_->name);
  const RigidFrame link = forward_kinematics(*robot_, q_)[to_size(tool_.link)];
  place_ = {link.point(tool_.point), link.rotation};
  first_ = sample(q_);
}

ArmScript& ArmScript::move(double seconds, const RigidFrame& place) {
  const Vec3 way = place.position - place_.position;
  const Vec3 turn = turn_between(place_.rotation, place.rotation);
  const int pieces = 1 + static_cast<int>(norm(way) / 0.04 + norm(turn) / 0.2);
  std::vector<std::vector<double>> ways{q_};
  for (int k = 1; k <= pieces; ++k) {
    const double s = static_cast<double>(k) / pieces;
    ways.push_back(
        reach(*robot_, tool_, ways.back(),
              {place_.position + s * way, normalized(rotation_exp(s * turn) * place_.rotation)}));
  }
  add(seconds, std::move(ways));
  place_ = place;
  return *this;
}

ArmScript& ArmScript::grip(double seconds, double finger) {
  std::vector<double> q = q_;
  for (const int d : tool_.fingers) q[to_size(d)] = finger;
  add(seconds, {q_, q});
  return *this;
}

ArmScript& ArmScript::rest(double seconds) {
  add(seconds, {q_, q_});
  return *this;
}

void ArmScript::add(double seconds, std::vector<std::vector<double>> ways) {
  NSN_THROW_UNLESS(seconds > 0.0, "a leg of a script takes {} s", seconds);
  Leg leg{end(), end() + seconds, {}};
  q_ = ways.back();
  for (auto& q : ways) leg.samples.push_back(sample(std::move(q)));
  legs_.push_back(std::move(leg));
}

ArmScript::Sample ArmScript::sample(std::vector<double> q) const {
  std::vector<double> holding = holding_efforts(*robot_, q, gravity_);
  return {std::move(q), std::move(holding)};
}

ArmScript::Pose ArmScript::at(double time) const {
  const auto leg = std::find_if(legs_.begin(), legs_.end(),
                                [time](const Leg& candidate) { return time < candidate.end; });
  if (leg == legs_.end()) {
    const Sample& last = legs_.empty() ? first_ : legs_.back().samples.back();
    return {last.q, std::vector<double>(last.q.size(), 0.0), last.holding};
  }
  const double part = (time - leg->start) / (leg->end - leg->start);
  const double s = smooth_step(part);
  const double rate = smooth_rate(part) / (leg->end - leg->start);
  const int last = static_cast<int>(leg->samples.size()) - 1;
  Pose pose;
  for (std::size_t d = 0; d < leg->samples[0].q.size(); ++d) {
    const auto q = cubic(last, s, [&](int k) { return leg->samples[to_size(k)].q[d]; });
    const auto tau = cubic(last, s, [&](int k) { return leg->samples[to_size(k)].holding[d]; });
    pose.q.push_back(q.value);
    pose.v.push_back(rate * q.slope);
    pose.holding.push_back(tau.value);
  }
  return pose;
}

void ArmScript::follow(World& world, const Robot& robot, double time) const {
  const Pose pose = at(time);
  for (std::size_t d = 0; d < pose.q.size(); ++d) {
    const RobotDof& dof = robot.dofs[d];
    const double k = world.joint(dof.joint).axes[to_size(dof.axis)].drive.stiffness;
    if (!(k > 0.0)) continue;
    set_target(world, robot, static_cast<int>(d), pose.q[d] + pose.holding[d] / k, pose.v[d]);
  }
}

}  // namespace nsn
