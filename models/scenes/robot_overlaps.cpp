#include "nsn/models/scenes/robot_overlaps.h"

#include <algorithm>
#include <map>

#include "nsn/core/base/error.h"
#include "nsn/models/step/contact_finder.h"

namespace nsn {
namespace {

/// "'left' (line 12)", or what is fixed to the world.
std::string element_of(const Robot& robot, int body) {
  const auto found = std::ranges::find(robot.body_of_link, body);
  if (found == robot.body_of_link.end() || body == robot.base_body)
    return "what is fixed to the world";
  const RobotLink& link =
      robot.description->link(static_cast<int>(found - robot.body_of_link.begin()));
  return fmt::format("'{}' (line {})", link.name, link.source.line);
}

}  // namespace

std::vector<std::string> ignore_overlaps(World& world, const Robot& robot, double depth) {
  ContactFinder finder;
  ContactRowSet found;
  finder.find(world, 0.0, found);
  std::map<std::pair<int, int>, double> deepest;
  for (const Contact& c : found.contacts()) {
    const ConstBodyRef a = world.body(c.body_a);
    const ConstBodyRef b = world.body(c.body_b);
    const double gap =
        dot(c.normal, a.to_world(c.local_a) - b.to_world(c.local_b)) - c.radius_a - c.radius_b;
    if (!(gap < -depth)) continue;
    double& most = deepest[std::minmax(c.body_a, c.body_b)];
    most = std::max(most, -gap);
  }
  std::vector<std::string> sentences;
  for (const auto& [bodies, overlap] : deepest) {
    world.ignore_pair(bodies.first, bodies.second);
    sentences.push_back(fmt::format(
        "{}: {} and {} overlap by {:.2g} mm where the robot starts: they never touch each other",
        robot.description->file, element_of(robot, bodies.first), element_of(robot, bodies.second),
        1e3 * overlap));
  }
  return sentences;
}

}  // namespace nsn
