#include "bench/joints/joint_references.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include "nsn/backends/standard_backends.h"
#include "nsn/core/base/error.h"
#include "nsn/core/io/text_file.h"
#include "nsn/core/io/text_scanner.h"
#include "nsn/models/joints/joints.h"

namespace nsn::bench {
namespace {

constexpr double kSampleTime = 0.01;  // s between lines of a file
constexpr int kHeadLines = 3;
constexpr double kGravity = 9.80665;
constexpr double kSolved = 1e-9;  // m/s, error of a step that counts as converged

/// Time and up to four columns.
using Sample = std::array<double, 5>;

std::vector<Sample> read_samples(const std::filesystem::path& path, int columns) {
  const std::string text = read_text_file(path);
  TextScanner scanner(text, path.string());
  // The head is "# name", "#", and the names of the columns.
  for (int k = 0; k < kHeadLines; ++k) scanner.line("a line of the head");
  std::vector<Sample> samples;
  while (!scanner.at_end()) {
    Sample sample{};
    for (int k = 0; k <= columns; ++k) {
      sample[static_cast<std::size_t>(k)] = scanner.number("a value");
    }
    const double time = kSampleTime * static_cast<double>(samples.size());
    if (std::abs(sample[0] - time) > 1e-6) {
      scanner.fail("time {} where {} is expected", sample[0], time);
    }
    samples.push_back(sample);
  }
  if (samples.empty()) scanner.fail("no samples");
  return samples;
}

Joint joint_of(const std::string& type, int body_a, int body_b) {
  if (type == "revolute") return revolute_joint(body_a, body_b);
  if (type == "spherical") return spherical_joint(body_a, body_b);
  if (type == "universal") return universal_joint(body_a, body_b);
  if (type == "prismatic") return prismatic_joint(body_a, body_b);
  return cylindrical_joint(body_a, body_b);
}

/// Body 0 is the ground, body 1 the pendulum, joint 0 between them.
World make_world(const JointCase& reference, const JointRun& run) {
  const Mat3 turn = rotation_matrix(run.turned);
  const bool hangs = reference.type == "universal";
  World world;
  world.gravity = turn * Vec3{0.0, 0.0, -kGravity};
  Body fixed;
  fixed.kind = BodyKind::kStatic;
  const int ground = world.add_body(fixed);
  Body body;
  body.mass = 1.0;
  body.inertia = hangs ? diagonal(Vec3{0.1, 0.1, 0.04}) : diagonal(Vec3{0.04, 0.1, 0.1});
  const Vec3 arm = hangs ? Vec3{0.0, 0.0, -2.0} : Vec3{2.0, 0.0, 0.0};
  const Quaternion frame = run.turned * reference.turned;
  const Vec3 point = run.moved + turn * reference.point;
  body.position = point + rotation_matrix(frame) * arm;
  body.orientation = normalized(frame);
  const int pendulum = world.add_body(body);
  Joint joint = joint_of(reference.type, pendulum, ground);
  joint.frame_a = {-arm, {}};
  joint.frame_b = {point, normalized(frame)};
  world.add_joint(joint);
  return world;
}

/// Quantities as the files have them, turned back.
class Observer {
 public:
  Observer(const Simulation& simulation, const JointRun& run)
      : simulation_(&simulation), run_(&run), turn_(rotation_matrix(run.turned)) {}

  /// Pos, Vel, Quat, Avel at the present state.
  std::array<std::array<double, 4>, 4> motion() const {
    const ConstBodyRef body = simulation_->world().body(1);
    const Quaternion q = conjugate(run_->turned) * body.orientation;
    return {back(body.position - run_->moved),
            back(body.velocity),
            {q.w, q.x, q.y, q.z},
            back(body.angular_velocity)};
  }
  /// Rforce, Rtorque of the last step.
  std::array<std::array<double, 4>, 2> reaction() const {
    const JointReaction on_ground = simulation_->joint_reaction(0);
    return {back(on_ground.force), back(on_ground.torque)};
  }

 private:
  std::array<double, 4> back(const Vec3& v) const {
    const Vec3 u = transpose_times(turn_, v);
    return {u[0], u[1], u[2], 0.0};
  }
  const Simulation* simulation_;
  const JointRun* run_;
  Mat3 turn_;
};

/// Sums of squared differences of the columns of one quantity.
struct Squares {
  std::vector<Sample> reference;
  std::array<double, 4> sum{};
  bool quaternion = false;

  void add(std::size_t sample, const std::array<double, 4>& value) {
    const Sample& expected = reference[sample];
    double along = 0.0;
    for (std::size_t k = 0; k < 4; ++k) along += expected[k + 1] * value[k];
    const double sign = quaternion && along < 0.0 ? -1.0 : 1.0;  // q and -q are one turn
    for (std::size_t k = 0; k < 4; ++k) {
      const double difference = sign * value[k] - expected[k + 1];
      sum[k] += difference * difference;
    }
  }
  double rms() const {
    const double largest = *std::max_element(sum.begin(), sum.end());
    return std::sqrt(largest / static_cast<double>(reference.size()));
  }
};

std::array<Squares, 6> read_references(const JointCase& reference,
                                       const std::filesystem::path& folder) {
  std::array<Squares, 6> squares;
  for (std::size_t k = 0; k < squares.size(); ++k) {
    squares[k].quaternion = kJointQuantities[k] == "Quat";
    const auto file = folder / fmt::format("{}_ADAMS_{}.txt", reference.name, kJointQuantities[k]);
    squares[k].reference = read_samples(file, squares[k].quaternion ? 4 : 3);
    if (squares[k].reference.size() != squares[0].reference.size()) {
      throw InputError(fmt::format("{}: {} samples, the other quantities have {}", file.string(),
                                   squares[k].reference.size(), squares[0].reference.size()));
    }
  }
  return squares;
}

}  // namespace

const std::vector<JointCase>& joint_cases() {
  constexpr double kRight = 0.5 * std::numbers::pi;
  const auto about_x = [](double angle) { return rotation_about({1, 0, 0}, angle); };
  static const std::vector<JointCase> cases{
      {"Revolute_Case01", "revolute", {}, about_x(-kRight), {1e-3, 1e-4, 1e-3, 1e-2, 2e-2, 1e-2}},
      {"Spherical_Case01", "spherical", {}, {}, {2e-3, 1e-3, 1e-3, 2e-2, 2e-2, 1e-6}},
      {"Universal_Case01", "universal", {}, about_x(kRight), {2e-3, 2e-3, 1e-3, 2e-2, 2e-2, 1e-6}},
      {"Prismatic_Case01", "prismatic", {}, {}, {1e-2, 1e-4, 1e-3, 2e-2, 1e-6, 1e-6}},
      {"Prismatic_Case02",
       "prismatic",
       {1, 2, 3},
       about_x(-0.5 * kRight),
       {1e-2, 1e-4, 1e-3, 2e-2, 2e-2, 1e-1}},
      {"Cylindrical_Case01", "cylindrical", {}, {}, {1e-2, 1e-4, 1e-3, 2e-2, 2e-2, 1e-6}},
      {"Cylindrical_Case02",
       "cylindrical",
       {},
       about_x(-kRight),
       {1e-2, 1e-4, 1e-3, 2e-2, 2e-2, 1e-6}},
  };
  return cases;
}

double JointComparison::tolerance(const JointCase& reference, std::size_t quantity) const {
  const bool force = kJointQuantities[quantity] == "Rforce";
  const bool torque = kJointQuantities[quantity] == "Rtorque";
  const double floor = force ? force_floor : (torque ? force_floor * reach : 0.0);
  return std::max(reference.tolerance[quantity], floor);
}

bool JointComparison::within(const JointCase& reference) const {
  for (std::size_t k = 0; k < rms.size(); ++k) {
    if (!(rms[k] <= tolerance(reference, k))) return false;
  }
  return unconverged == 0;
}

JointComparison compare_joint(const JointCase& reference, const std::filesystem::path& folder,
                              const JointRun& run) {
  const double ratio = kSampleTime / run.h;
  const auto stride = static_cast<int>(std::lround(ratio));
  NSN_THROW_UNLESS(run.h > 0.0 && stride >= 1 && std::abs(ratio - stride) < 1e-9 * ratio,
                   "time step {}: {} s is not a multiple of it", run.h, kSampleTime);
  std::array<Squares, 6> squares = read_references(reference, folder);
  SimulationOptions options;
  options.h = run.h;
  options.joint_directions = run.directions;
  options.newton.tolerance = 1e-12;  // down to rounding, so that reactions are not blurred
  Simulation simulation(make_world(reference, run), options, standard_backends());
  const Observer observer(simulation, run);
  const double energy_start = energy(simulation.world());
  JointComparison result;
  const auto advance = [&](int steps) {
    for (int k = 0; k < steps; ++k) {
      const StepReport& report = simulation.step();
      result.unconverged += report.error.total <= kSolved ? 0 : 1;
      result.drift = std::max({result.drift, report.drift.distance, report.drift.angle});
      result.reach = std::max(result.reach, norm(simulation.world().body(1).position));
      result.energy_change = std::max(result.energy_change, std::abs(report.energy - energy_start));
    }
  };
  for (std::size_t n = 0; n < squares[0].reference.size(); ++n) {
    const auto motion = observer.motion();
    for (std::size_t k = 0; k < motion.size(); ++k) squares[k].add(n, motion[k]);
    const int first = n == 0 ? 1 : 0;  // at t = 0 the reaction is that of the first step
    advance(first);
    const auto reaction = observer.reaction();
    squares[4].add(n, reaction[0]);
    squares[5].add(n, reaction[1]);
    if (n + 1 < squares[0].reference.size()) advance(stride - first);
  }
  constexpr double kMass = 1.0;
  result.force_floor =
      std::numeric_limits<double>::epsilon() * result.reach * kMass / (run.h * run.h);
  for (std::size_t k = 0; k < squares.size(); ++k) result.rms[k] = squares[k].rms();
  return result;
}

}  // namespace nsn::bench
