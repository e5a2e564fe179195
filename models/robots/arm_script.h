/// An arm that follows a script: its tool goes from place to place on straight lines, its fingers
/// close and open.
///
///   nsn::ArmScript script(description, {.link = hand, .point = {0.16, 0, 0}, .fingers = {8, 9}},
///                         q0);
///   script.move(1.0, above).move(0.5, around).grip(0.4, 0.0).move(1.0, above);   // s, place
///   world.control = [=](World& w, double h) { script.follow(w, robot, w.time + h); };
///
/// The path of a move is x = x_0 + s (x_1 - x_0) and the turn exp(s v), with s of least jerk
/// (models/robots/trajectory.h). Inverse kinematics runs where the script is written, at samples
/// along the way, each from the last; coordinates are cubic in between.
///
/// A drive of stiffness k rests off its target by tau / k under an effort tau. Targets therefore
/// lead by the efforts that hold the robot against gravity,
///
///     target = q + tau(q) / k,
///
/// so that everything a drive does is within the bounds of its effort.
#pragma once

#include <memory>
#include <vector>

#include "nsn/models/robots/build_robot.h"

namespace nsn {

/// What the script moves. Degrees of freedom are those of a robot of hinges and slides.
struct ArmTool {
  int link = 0;
  Vec3 point{};              ///< that is brought to a place, in the link's frame, m
  std::vector<int> arm;      ///< degrees of freedom that inverse kinematics may use; empty: all
  std::vector<int> fingers;  ///< those that grip() sets
};

class ArmScript {
 public:
  /// Starts at q0. Throws std::invalid_argument for a robot with ball or free joints.
  ArmScript(std::shared_ptr<const RobotDescription> robot, ArmTool tool, std::vector<double> q0,
            const Vec3& gravity = {0.0, 0.0, -9.81});

  /// Brings the tool's point to place.position and the link's axes to place.rotation, both in the
  /// robot's base. Throws std::invalid_argument where the arm does not reach.
  ArmScript& move(double seconds, const RigidFrame& place);
  /// Brings all fingers to one coordinate.
  ArmScript& grip(double seconds, double finger);
  ArmScript& rest(double seconds);

  /// Where the tool is at the end of what is written so far.
  const RigidFrame& place() const { return place_; }
  double end() const { return legs_.empty() ? 0.0 : legs_.back().end; }  ///< s

  struct Pose {
    std::vector<double> q;
    std::vector<double> v;        ///< rates of q
    std::vector<double> holding;  ///< efforts against gravity, N m or N
  };
  /// Before the start and after the end it rests.
  Pose at(double time) const;
  /// Sets the targets of all drives of the robot to those of the time.
  void follow(World& world, const Robot& robot, double time) const;

 private:
  struct Sample {
    std::vector<double> q;
    std::vector<double> holding;
  };
  struct Leg {
    double start;
    double end;
    std::vector<Sample> samples;  // at equal distances in s
  };
  void add(double seconds, std::vector<std::vector<double>> ways);
  Sample sample(std::vector<double> q) const;

  std::shared_ptr<const RobotDescription> robot_;
  ArmTool tool_;
  Vec3 gravity_;
  std::vector<double> q_;  // at the end
  RigidFrame place_;
  Sample first_;
  std::vector<Leg> legs_;
};

/// Coordinates that bring the tool to a place, from a guess. Throws std::invalid_argument where the
/// arm does not reach.
std::vector<double> reach(const RobotDescription& robot, const ArmTool& tool,
                          std::vector<double> guess, const RigidFrame& place);

}  // namespace nsn
