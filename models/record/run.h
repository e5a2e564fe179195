/// What was seen of a run: frames of poses, contacts and measures, for pages and files. A RunRecorder
/// (run_recorder.h) fills it. World axes, SI units, single precision: it is for the eye.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "nsn/core/base/math3.h"
#include "nsn/models/step/simulation.h"
#include "nsn/models/world/body.h"

namespace nsn {

/// Triangles, in shape axes.
struct RunMesh {
  std::vector<float> point;  ///< x, y, z of each vertex, m
  std::vector<std::uint32_t> triangle;
  bool operator==(const RunMesh&) const = default;
};

/// Frames in which something is there: first <= frame < end.
struct RunSpan {
  int first = 0;
  int end = -1;  ///< -1: to the last
};

struct RunBody {
  std::string name;
  BodyKind kind = BodyKind::kDynamic;
  double mass = 0.0;  ///< kg
};

struct RunShape {
  int body = 0;
  std::string kind;  ///< Shape::type()
  int mesh = -1;     ///< -1: a plane without end, normal z
  Vec3 offset{};     ///< of its origin in body axes, m
  Quaternion rotation{};
  RunSpan there{};
};

/// A deformable body by its surface.
struct RunSoft {
  std::string name;
  int tets = 0;
  int vertices = 0;
  std::vector<std::uint32_t> triangle;
  RunSpan there{};
};

struct RunJoint {
  std::string name;
  std::string type;
  int body_a = 0;
  int body_b = 0;
  Vec3 origin{};  ///< of its frame in body axes of a, m
  Vec3 axis{};    ///< z of its frame, the same axes
  RunSpan there{};
};

struct RunContact {
  std::array<float, 3> point{};
  std::array<float, 3> force{};  ///< on a, N
  std::array<float, 3> normal{};
  float mu = 0.0F;
  int a = -1;  ///< body, or deformable(d)
  int b = -1;
  ContactState state = ContactState::kOpen;
  static int deformable(int d) { return -2 - d; }
};

/// Of the steps since the frame before: the largest error and the most iterations and contacts of a step,
/// mean wall time of a step, energy at the end.
struct RunMeasures {
  double relative_error = 0.0;
  double energy = 0.0;  ///< J
  int newton_iterations = 0;
  int contacts = 0;
  double milliseconds = 0.0;
};

struct RunFrame {
  double time = 0.0;                       ///< s
  std::vector<float> pose;                 ///< x, y, z, w, i, j, k of each body that exists by then
  std::vector<std::vector<float>> soft;    ///< surface vertices of each deformable, m
  std::vector<std::vector<float>> strain;  ///< equivalent strain at those
  std::vector<std::vector<float>> stress;  ///< von Mises stress at those, Pa
  bool has_contacts = false;  ///< a frame without them shows those of the last that has
  std::vector<RunContact> contacts;
  RunMeasures measures;
};

struct RecordedRun {
  std::string title;
  /// What distinguishes it from another run, in the order shown: preset, linear solver, ...
  std::vector<std::pair<std::string, std::string>> facts;
  std::vector<RunBody> bodies;
  std::vector<RunMesh> meshes;
  std::vector<RunShape> shapes;
  std::vector<RunSoft> softs;
  std::vector<RunJoint> joints;
  std::vector<RunFrame> frames;
};

/// Where a camera looks: a box around what moves, most of the time.
struct RunView {
  Vec3 centre{};
  double size = 1.0;  ///< its diagonal, m
};
RunView view_of(const RecordedRun& run);

}  // namespace nsn
