#include "nsn/models/record/run_recorder.h"

#include <algorithm>
#include <cmath>

#include "nsn/core/base/error.h"
#include "nsn/core/base/vector_kernels.h"
#include "nsn/models/collision/plane.h"
#include "nsn/models/deformable/tetrahedra.h"
#include "nsn/models/rows/joint_rows.h"

namespace nsn {
namespace {

constexpr double kFramesPerSecond = 60.0;
constexpr double kContactsPerSecond = 30.0;  // of many contacts

void push(std::vector<float>& to, const Vec3& v) {
  for (int k = 0; k < 3; ++k) to.push_back(static_cast<float>(v[k]));
}
std::array<float, 3> single(const Vec3& v) {
  return {static_cast<float>(v[0]), static_cast<float>(v[1]), static_cast<float>(v[2])};
}

/// sqrt(s:s) of the part of a symmetric A without trace.
double deviator_norm(const Mat3& A) {
  const double mean = (A(0, 0) + A(1, 1) + A(2, 2)) / 3.0;
  double sum = 0.0;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      const double a = A(i, j) - (i == j ? mean : 0.0);
      sum += a * a;
    }
  }
  return std::sqrt(sum);
}

/// sqrt(2/3 e:e) of Green's strain without its trace.
double equivalent_strain(const Mat3& F) {
  return std::sqrt(2.0 / 3.0) * deviator_norm(0.5 * (transpose(F) * F - identity<3>()));
}
/// Of the elastic Cauchy stress P F^T / det F; flat elements count as their nominal stress.
double von_mises(const Mat3& P, const Mat3& F) {
  const double J = std::abs(determinant(F));
  return std::sqrt(1.5) * deviator_norm(J > 0.0 ? (1.0 / J) * (P * transpose(F)) : P);
}

/// Means at the nodes of what elements have, by volume.
struct NodeMeans {
  std::vector<double> weight, strain, stress;

  NodeMeans(const Deformable& body, ConstVector x)
      : weight(body.mesh.node.size()), strain(weight), stress(weight) {
    for (Index t = 0; t < body.mesh.num_tets(); ++t) {
      const Mat3 F = body.elements->deformation_gradient(t, x);
      const double V = body.elements->rest_volume()(t);
      const double e = V * equivalent_strain(F);
      const double s = V * von_mises(body.elements->nominal_stress(F), F);
      for (const Index node : body.mesh.tet[static_cast<std::size_t>(t)]) {
        const auto n = static_cast<std::size_t>(node);
        weight[n] += V;
        strain[n] += e;
        stress[n] += s;
      }
    }
  }
};

void add_soft(const World& world, const Deformable& body, RunFrame& frame) {
  const std::vector<Vec3> x = positions(world, body);
  const NodeMeans means(body, flat(x));
  std::vector<float> point, strain, stress;
  for (const Index node : body.boundary.node) {
    const auto n = static_cast<std::size_t>(node);
    push(point, x[n]);
    strain.push_back(static_cast<float>(means.strain[n] / means.weight[n]));
    stress.push_back(static_cast<float>(means.stress[n] / means.weight[n]));
  }
  frame.soft.push_back(std::move(point));
  frame.strain.push_back(std::move(strain));
  frame.stress.push_back(std::move(stress));
}

RunContact contact_of(const ContactInfo& c) {
  const auto who = [&](int body, int deformable) {
    return body >= 0 || deformable < 0 ? body : RunContact::deformable(deformable);
  };
  return {single(c.point),
          single(c.force),
          single(c.normal),
          static_cast<float>(c.mu),
          who(c.body_a, c.deformable_a),
          who(c.body_b, c.deformable_b),
          c.state};
}

RunMeasures merged(const RunMeasures& first, const RunMeasures& second) {
  return {std::max(first.relative_error, second.relative_error), second.energy,
          std::max(first.newton_iterations, second.newton_iterations),
          std::max(first.contacts, second.contacts),
          0.5 * (first.milliseconds + second.milliseconds)};
}

/// Numbers that a frame keeps without its contacts.
std::size_t numbers_of(const RunFrame& frame) {
  std::size_t sum = frame.pose.size();
  for (const auto& one : frame.soft) sum += 2 * one.size();
  return sum;
}

}  // namespace

RunRecorder::RunRecorder(const Simulation& simulation, RecordOptions options)
    : options_(std::move(options)) {
  NSN_THROW_UNLESS(options_.every >= 0, "{} steps per frame is negative", options_.every);
  NSN_THROW_UNLESS(options_.max_frames >= 2, "{} frames are less than two", options_.max_frames);
  NSN_THROW_UNLESS(options_.max_contacts >= 0, "{} contacts is negative", options_.max_contacts);
  NSN_THROW_UNLESS(options_.thin_contacts_from >= 0, "{} contacts is negative",
                   options_.thin_contacts_from);
  if (options_.every == 0) {
    const double steps = 1.0 / (kFramesPerSecond * simulation.options().h);
    options_.every = std::max(1, static_cast<int>(std::lround(steps)));
  }
  run_.title = options_.title;
  run_.facts = options_.facts;
  since_.energy = energy(simulation.world());
  add_frame(simulation);
}

void RunRecorder::add(const Simulation& simulation) {
  const StepReport& r = simulation.report();
  const double seconds = r.detect_seconds + r.assemble_seconds + r.solve_seconds;
  since_.relative_error = std::max(since_.relative_error, r.error.relative);
  since_.energy = r.energy;
  since_.newton_iterations = std::max(since_.newton_iterations, r.newton_iterations);
  since_.contacts = std::max(since_.contacts, r.contacts);
  since_.milliseconds += 1e3 * seconds;
  if (++steps_ < options_.every) return;
  since_.milliseconds /= steps_;
  add_frame(simulation);
}

void RunRecorder::add_frame(const Simulation& simulation) {
  const World& world = simulation.world();
  const auto frame_number = static_cast<int>(run_.frames.size());
  const bool changed = version_ != world.version() ||
                       run_.bodies.size() != static_cast<std::size_t>(world.num_bodies());
  if (changed) add_shapes(world);
  version_ = world.version();
  add_softs(world);
  add_joints(world);

  RunFrame& frame = run_.frames.emplace_back();
  frame.time = world.time;
  frame.measures = since_;
  for (const ConstBodyRef body : world.bodies()) {
    push(frame.pose, body.position);
    const Quaternion& q = body.orientation;
    for (const double part : {q.w, q.x, q.y, q.z}) frame.pose.push_back(static_cast<float>(part));
  }
  for (int d = 0; d < static_cast<int>(world.deformables().size()); ++d) {
    if (world.has_deformable(d)) {
      add_soft(world, world.deformable(d), frame);
    } else {
      frame.soft.emplace_back();
      frame.strain.emplace_back();
      frame.stress.emplace_back();
    }
  }
  frame.has_contacts = frame_number % contacts_every_ == 0;
  if (frame.has_contacts) {
    for (const ContactInfo& c : simulation.contacts()) {
      frame.contacts.push_back(contact_of(c));
    }
    num_contacts_ += frame.contacts.size();
  }
  since_ = {0.0, since_.energy, 0, 0, 0.0};
  steps_ = 0;
  // Frames of many numbers: fewer of them, but a film still.
  constexpr std::size_t kNumbers = 40'000'000;
  constexpr std::size_t kFewest = 120;
  const std::size_t fit = std::max(kFewest, kNumbers / (numbers_of(frame) + 1));
  const auto most = std::min(static_cast<std::size_t>(options_.max_frames), fit);
  if (run_.frames.size() > most) halve_frames();
  const auto many = [&] {
    if (num_contacts_ > static_cast<std::size_t>(options_.max_contacts)) return true;
    const double apart = contacts_every_ * options_.every * simulation.options().h;
    return num_contacts_ > static_cast<std::size_t>(options_.thin_contacts_from) &&
           apart * kContactsPerSecond < 1.0 - 1e-9;
  };
  while (many() && contacts_every_ < static_cast<int>(run_.frames.size())) halve_contacts();
}

int RunRecorder::mesh_of(const Shape& shape) {
  const SurfaceMesh surface = shape.surface();
  RunMesh mesh;
  for (const Vec3& p : surface.points) push(mesh.point, p);
  for (const auto& polygon : surface.polygons) {
    for (std::size_t k = 2; k < polygon.size(); ++k) {
      for (const int v : {polygon[0], polygon[k - 1], polygon[k]}) {
        mesh.triangle.push_back(static_cast<std::uint32_t>(v));
      }
    }
  }
  const auto known = std::find(run_.meshes.begin(), run_.meshes.end(), mesh);
  if (known != run_.meshes.end()) return static_cast<int>(known - run_.meshes.begin());
  run_.meshes.push_back(std::move(mesh));
  return static_cast<int>(run_.meshes.size()) - 1;
}

void RunRecorder::add_shapes(const World& world) {
  const auto now = static_cast<int>(run_.frames.size());
  run_.bodies.clear();
  for (const ConstBodyRef body : world.bodies()) {
    run_.bodies.push_back({body.name, body.kind, body.mass});
  }
  known_.resize(world.shapes().size());
  for (std::size_t s = 0; s < known_.size(); ++s) {
    const PlacedShape& placed = world.shapes()[s];
    const bool there = world.has_shape(static_cast<int>(s));
    Known& known = known_[s];
    if (there && known.shape == placed.shape &&
        run_.shapes[static_cast<std::size_t>(known.record)].body == placed.body) {
      continue;
    }
    if (known.shape) run_.shapes[static_cast<std::size_t>(known.record)].there.end = now;
    known = {};
    if (!there || !placed.shape) continue;
    const bool plane = placed.shape->type() == Plane::kType;
    known = {placed.shape, static_cast<int>(run_.shapes.size())};
    run_.shapes.push_back({placed.body,
                           std::string(placed.shape->type()),
                           plane ? -1 : mesh_of(*placed.shape),
                           placed.offset,
                           placed.rotation,
                           {now, -1}});
  }
}

void RunRecorder::add_softs(const World& world) {
  const auto now = static_cast<int>(run_.frames.size());
  for (std::size_t d = 0; d < world.deformables().size(); ++d) {
    const Deformable& body = world.deformables()[d];
    const bool there = world.has_deformable(static_cast<int>(d));
    if (d < run_.softs.size()) {
      int& end = run_.softs[d].there.end;
      if (!there && end < 0) end = now;
      continue;
    }
    RunSoft soft{body.name,
                 static_cast<int>(body.mesh.num_tets()),
                 static_cast<int>(body.boundary.num_vertices()),
                 {},
                 {now, -1}};
    for (const auto& triangle : body.boundary.triangle) {
      for (const Index v : triangle) soft.triangle.push_back(static_cast<std::uint32_t>(v));
    }
    run_.softs.push_back(std::move(soft));
  }
}

void RunRecorder::add_joints(const World& world) {
  const auto now = static_cast<int>(run_.frames.size());
  for (int j = 0; j < world.num_joints(); ++j) {
    const Joint& joint = world.joint(j);
    if (static_cast<std::size_t>(j) < run_.joints.size()) {
      int& end = run_.joints[static_cast<std::size_t>(j)].there.end;
      if (!world.has_joint(j) && end < 0) end = now;
      continue;
    }
    run_.joints.push_back({joint.name,
                           joint.type,
                           joint.body_a,
                           joint.body_b,
                           joint.frame_a.origin,
                           column(rotation_matrix(joint.frame_a.rotation), 2),
                           {now, -1}});
  }
}

void RunRecorder::halve_frames() {
  std::vector<RunFrame> kept;
  for (std::size_t f = 0; f < run_.frames.size(); f += 2) {
    RunFrame& frame = run_.frames[f];
    if (f > 0) frame.measures = merged(run_.frames[f - 1].measures, frame.measures);
    kept.push_back(std::move(frame));
  }
  run_.frames = std::move(kept);
  const auto shorten = [](RunSpan& there) {
    there.first = (there.first + 1) / 2;
    if (there.end >= 0) there.end = (there.end + 1) / 2;
  };
  for (RunShape& one : run_.shapes) shorten(one.there);
  for (RunSoft& one : run_.softs) shorten(one.there);
  for (RunJoint& one : run_.joints) shorten(one.there);
  options_.every *= 2;
  contacts_every_ = std::max(1, contacts_every_ / 2);
  num_contacts_ = 0;
  for (const RunFrame& frame : run_.frames) num_contacts_ += frame.contacts.size();
}

void RunRecorder::halve_contacts() {
  contacts_every_ *= 2;
  num_contacts_ = 0;
  for (std::size_t f = 0; f < run_.frames.size(); ++f) {
    RunFrame& frame = run_.frames[f];
    if (f % static_cast<std::size_t>(contacts_every_) != 0) {
      frame.has_contacts = false;
      frame.contacts = {};
    }
    num_contacts_ += frame.contacts.size();
  }
}

RunView view_of(const RecordedRun& run) {
  // The 2nd and 98th percentile along each axis: what falls off the edge of the world is left out.
  constexpr double kLeftOut = 0.02;
  std::array<std::vector<float>, 3> along;
  const auto see = [&](const float* p) {
    for (std::size_t k = 0; k < 3; ++k) along[k].push_back(p[k]);
  };
  std::vector<double> radius(run.bodies.size());
  for (const RunShape& shape : run.shapes) {
    if (shape.mesh < 0) continue;
    const RunMesh& mesh = run.meshes[static_cast<std::size_t>(shape.mesh)];
    double& r = radius[static_cast<std::size_t>(shape.body)];
    for (std::size_t v = 0; v + 2 < mesh.point.size(); v += 3) {
      const Vec3 p{mesh.point[v], mesh.point[v + 1], mesh.point[v + 2]};
      r = std::max(r, norm(shape.offset) + norm(p));
    }
  }
  constexpr std::size_t kSeen = 100;  // frames are enough
  const auto look = [&](bool fixed) {
    const std::size_t stride = run.frames.size() / kSeen + 1;
    for (std::size_t f = 0; f < run.frames.size(); f += stride) {
      const RunFrame& frame = run.frames[f];
      for (std::size_t b = 0; 7 * b + 2 < frame.pose.size(); ++b) {
        if ((run.bodies[b].kind == BodyKind::kStatic) != fixed || !(radius[b] > 0.0)) continue;
        const auto r = static_cast<float>(radius[b]);
        const float* p = &frame.pose[7 * b];
        const float lower[3] = {p[0] - r, p[1] - r, p[2] - r};
        const float upper[3] = {p[0] + r, p[1] + r, p[2] + r};
        see(lower);
        see(upper);
      }
      for (const auto& points : frame.soft) {
        for (std::size_t v = 0; v + 2 < points.size(); v += 3) see(&points[v]);
      }
    }
  };
  look(false);
  if (along[0].empty()) look(true);
  if (along[0].empty()) return {};
  RunView view;
  double square = 0.0;
  for (std::size_t k = 0; k < 3; ++k) {
    std::vector<float>& x = along[k];
    const auto at = [&](double share) {
      const auto n = static_cast<std::size_t>(share * static_cast<double>(x.size() - 1));
      std::nth_element(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(n), x.end());
      return static_cast<double>(x[n]);
    };
    const double low = at(kLeftOut);
    const double high = at(1.0 - kLeftOut);
    view.centre[static_cast<int>(k)] = 0.5 * (low + high);
    square += (high - low) * (high - low);
  }
  view.size = std::max(std::sqrt(square), 1e-3);
  return view;
}

}  // namespace nsn
