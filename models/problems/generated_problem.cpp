#include "nsn/models/problems/generated_problem.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "nsn/core/base/error.h"
#include "nsn/core/base/math3.h"
#include "nsn/core/base/options.h"
#include "nsn/core/base/vector_kernels.h"
#include "nsn/models/problems/numbers.h"
#include "nsn/models/problems/random_friction_problem.h"

namespace nsn {
namespace {

constexpr double kStep = 0.01;       // s
constexpr double kGravity = 9.81;    // m/s^2
constexpr double kRadius = 0.05;     // m
constexpr double kDensity = 1000.0;  // kg/m^3
constexpr int kGround = -1;

/// Bodies that touch, as M v = H r + f, u = H^T v + w.
class Assembly {
 public:
  struct Body {
    double mass = 1.0;
    double inertia = 1.0;  // the same about every axis
    Vec3 position, velocity;
  };

  int add(const Body& body) {
    bodies_.push_back(body);
    return static_cast<int>(bodies_.size()) - 1;
  }
  int add_sphere(double radius, const Vec3& position, const Vec3& velocity) {
    const double mass = kDensity * 4.0 / 3.0 * 3.141592653589793 * radius * radius * radius;
    return add({mass, 0.4 * mass * radius * radius, position, velocity});
  }
  /// The normal points to a; approach: u_N at rest, m/s.
  void touch(int a, int b, const Vec3& point, const Vec3& normal, double approach = 0.0) {
    contacts_.push_back({a, b, point, normal, approach});
  }
  /// Four corners of a rectangle of half widths s and t.
  void touch_face(int a, int b, const Vec3& centre, const Vec3& normal, const Vec3& s,
                  const Vec3& t) {
    for (const double i : {-1.0, 1.0}) {
      for (const double j : {-1.0, 1.0}) touch(a, b, centre + i * s + j * t, normal);
    }
  }
  Index contacts() const { return static_cast<Index>(contacts_.size()); }

  GlobalFrictionProblem problem(double mu) const {
    GlobalFrictionProblem out;
    const auto dofs = static_cast<Index>(6 * bodies_.size());
    const Index n = contacts();
    std::vector<Triplet> M, H;
    out.f = zero_vector(dofs);
    for (std::size_t i = 0; i < bodies_.size(); ++i) {
      const Body& body = bodies_[i];
      const auto at = static_cast<Index>(6 * i);
      for (Index k = 0; k < 3; ++k) {
        M.push_back({at + k, at + k, body.mass});
        M.push_back({at + 3 + k, at + 3 + k, body.inertia});
        out.f(at + k) = body.mass * body.velocity[k];
      }
      out.f(at + 2) -= kStep * kGravity * body.mass;
    }
    out.w = zero_vector(3 * n);
    for (Index c = 0; c < n; ++c) {
      const Contact& contact = contacts_[to_size(c)];
      const TangentFrame tangents = tangent_frame(contact.normal);
      out.w(3 * c) = contact.approach;
      const Vec3 axes[3] = {contact.normal, tangents.t1, tangents.t2};
      for (const int body : {contact.a, contact.b}) {
        if (body == kGround) continue;
        const double sign = body == contact.a ? 1.0 : -1.0;
        const Vec3 arm = contact.point - bodies_[to_size(body)].position;
        for (Index k = 0; k < 3; ++k) {
          const Vec3 turn = cross(arm, axes[k]);
          for (Index d = 0; d < 3; ++d) {
            H.push_back({6 * body + d, 3 * c + k, sign * axes[k][d]});
            H.push_back({6 * body + 3 + d, 3 * c + k, sign * turn[d]});
          }
        }
      }
    }
    out.M = csr_from_triplets(dofs, dofs, M);
    out.H = csr_from_triplets(dofs, 3 * n, H);
    out.mu = zero_vector(n);
    for (Index c = 0; c < n; ++c) out.mu(c) = mu;
    return out;
  }

 private:
  struct Contact {
    int a, b;
    Vec3 point, normal;
    double approach;
  };
  std::vector<Body> bodies_;
  std::vector<Contact> contacts_;
};

Vec3 random_vector(Numbers& numbers, double size) {
  return {
      {numbers.uniform(-size, size), numbers.uniform(-size, size), numbers.uniform(-size, size)}};
}

struct Sphere {
  double radius;
  Vec3 centre;
};

/// Random centres in a cube, pushed apart until little overlaps are left.
std::vector<Sphere> packed_spheres(Index count, double side, Numbers& numbers) {
  constexpr int kRounds = 4000;
  std::vector<Sphere> spheres(to_size(count));
  for (Sphere& s : spheres) {
    s.radius = kRadius * numbers.uniform(0.8, 1.2);
    for (int k = 0; k < 3; ++k) s.centre[k] = numbers.uniform(s.radius, side - s.radius);
  }
  std::vector<Vec3> move(spheres.size());
  for (int round = 0; round < kRounds; ++round) {
    std::fill(move.begin(), move.end(), Vec3{});
    for (std::size_t i = 0; i < spheres.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        const Vec3 d = spheres[i].centre - spheres[j].centre;
        const double reach = spheres[i].radius + spheres[j].radius;
        const double distance = norm(d);
        if (distance >= reach || distance == 0.0) continue;
        const Vec3 push = (0.5 * (reach - distance) / distance) * d;
        move[i] += push;
        move[j] -= push;
      }
    }
    for (std::size_t i = 0; i < spheres.size(); ++i) {
      Sphere& s = spheres[i];
      s.centre += 0.8 * move[i];
      for (int k = 0; k < 3; ++k) {
        s.centre[k] = std::clamp(s.centre[k], s.radius, side - s.radius);
      }
    }
  }
  return spheres;
}

/// Speeds of approach that close the gaps of one step: what the centres say, or, where everything has been pressed
/// together, up to a tenth of a millimetre.
class Gaps {
 public:
  explicit Gaps(Numbers* pressed) : pressed_(pressed) {}
  double operator()(double gap) {
    return pressed_ != nullptr ? pressed_->uniform(0.0, 1e-4) / kStep : std::max(gap, 0.0) / kStep;
  }

 private:
  Numbers* pressed_;
};

constexpr double kTouches = 0.02 * kRadius;  // a gap below it

void touch_neighbours(const std::vector<Sphere>& spheres, Gaps gaps, Assembly& out) {
  for (std::size_t i = 0; i < spheres.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const Vec3 d = spheres[i].centre - spheres[j].centre;
      const double gap = norm(d) - spheres[i].radius - spheres[j].radius;
      if (gap > kTouches) continue;
      const Vec3 normal = (1.0 / norm(d)) * d;
      out.touch(static_cast<int>(i), static_cast<int>(j),
                spheres[j].centre + spheres[j].radius * normal, normal, gaps(gap));
    }
  }
}

void touch_wall(const std::vector<Sphere>& spheres, int axis, double sign, double wall, Gaps gaps,
                Assembly& out) {
  for (std::size_t i = 0; i < spheres.size(); ++i) {
    const Sphere& s = spheres[i];
    const double gap = sign * (s.centre[axis] - wall) - s.radius;
    if (gap > kTouches) continue;
    Vec3 normal;
    normal[axis] = sign;
    out.touch(static_cast<int>(i), kGround, s.centre - s.radius * normal, normal, gaps(gap));
  }
}

Assembly closed_box(Index contacts, Numbers& numbers) {
  // Packings at this density have some three contacts a sphere, and those with the walls.
  constexpr double kDense = 0.66;
  const Index count = std::max<Index>(2, static_cast<Index>(contacts / 3.6));
  const double volume = static_cast<double>(count) * 4.19 * kRadius * kRadius * kRadius;
  const double side = std::cbrt(volume / kDense) + 0.35 * kRadius;
  const auto spheres = packed_spheres(count, side, numbers);
  Assembly out;
  for (const Sphere& s : spheres) out.add_sphere(s.radius, s.centre, random_vector(numbers, 0.5));
  const Gaps pressed(&numbers);
  touch_neighbours(spheres, pressed, out);
  for (int axis = 0; axis < 3; ++axis) {
    touch_wall(spheres, axis, 1.0, 0.0, pressed, out);
    touch_wall(spheres, axis, -1.0, side, pressed, out);
  }
  return out;
}

/// A face-centred lattice with jitter, as wide as high.
Assembly heap(Index contacts, Numbers& numbers) {
  const auto width = std::max(2, static_cast<int>(std::lround(std::cbrt(contacts / 1.9))));
  std::vector<Sphere> spheres;
  const double a = kRadius * std::sqrt(2.0);
  for (int z = 0; z < width; ++z) {
    for (int x = 0; x < width; ++x) {
      for (int y = 0; y < width; ++y) {
        if ((x + y + z) % 2 != 0) continue;
        const Vec3 centre{{a * x, a * y, kRadius + a * z}};
        spheres.push_back({kRadius, centre + random_vector(numbers, 0.01 * kRadius)});
      }
    }
  }
  Assembly out;
  for (Sphere& s : spheres) {
    if (s.centre[2] < 1.5 * kRadius) s.centre[2] = kRadius;
    out.add_sphere(s.radius, s.centre, random_vector(numbers, 0.1));
  }
  touch_neighbours(spheres, Gaps(nullptr), out);
  touch_wall(spheres, 2, 1.0, 0.0, Gaps(nullptr), out);
  return out;
}

Assembly stack(Index contacts, Numbers& numbers) {
  Assembly out;
  const int boxes = std::max(1, static_cast<int>(contacts / 4));
  for (int k = 0; k < boxes; ++k) {
    const double mass = numbers.power(-1.0, 2.0);
    const Vec3 push{{numbers.uniform(0.0, 1.0), numbers.uniform(-0.2, 0.2), 0.0}};
    const int box = out.add({mass, mass / 6.0, {{0.0, 0.0, k + 0.5}}, push});
    const double x = numbers.uniform(-0.1, 0.1);
    out.touch_face(box, box - 1, {{x, 0.0, static_cast<double>(k)}}, {{0, 0, 1}}, {{0.4, 0, 0}},
                   {{0, 0.4, 0}});
  }
  return out;
}

/// Bricks of 2 x 1 x 1; each stands on the halves of two.
Assembly wall(Index contacts, Numbers& numbers) {
  const int side = std::max(1, static_cast<int>(std::lround(std::sqrt(contacts / 8.0))));
  Assembly out;
  for (int row = 0; row < side; ++row) {
    for (int k = 0; k < side; ++k) {
      const double x = 2.0 * k + (row % 2);
      const int brick = out.add({2.0, 0.7, {{x, 0.0, row + 0.5}}, random_vector(numbers, 0.1)});
      for (const double half : {-0.5, 0.5}) {
        const auto below = static_cast<int>(std::floor((x + half - (row + 1) % 2) / 2.0 + 0.5));
        const int under = row == 0 ? kGround : (row - 1) * side + std::clamp(below, 0, side - 1);
        out.touch_face(brick, under, {{x + half, 0.0, static_cast<double>(row)}}, {{0, 0, 1}},
                       {{0.4, 0, 0}}, {{0, 0.4, 0}});
      }
    }
  }
  return out;
}

Assembly bridge(Index contacts, Numbers& numbers) {
  const int blocks = std::max(1, static_cast<int>(contacts / 4) - 1);
  Assembly out;
  for (int k = 0; k <= blocks; ++k) {
    if (k < blocks) {
      const double mass = numbers.power(0.0, 1.0);
      out.add({mass, mass / 6.0, {{k + 0.5, 0.0, 0.0}}, {{numbers.uniform(-1.0, 1.0), 0.0, 0.0}}});
    }
    const int right = k < blocks ? k : kGround;
    const int left = k > 0 ? k - 1 : kGround;
    // The normal points to the first body, which is never the ground.
    const bool first = right != kGround;
    out.touch_face(first ? right : left, first ? left : right, {{static_cast<double>(k), 0.0, 0.0}},
                   {{first ? 1.0 : -1.0, 0.0, 0.0}}, {{0, 0.4, 0}}, {{0, 0, 0.4}});
  }
  return out;
}

/// Links that hold each other from both sides, hanging between two hooks.
Assembly chain(Index contacts, Numbers& numbers) {
  const int links = std::max(1, static_cast<int>(contacts / 4) - 1);
  Assembly out;
  for (int k = 0; k <= links; ++k) {
    if (k < links) {
      const double mass = numbers.power(-1.0, 1.0);
      out.add({mass, 0.1 * mass, {{k + 0.5, 0.0, 0.0}}, random_vector(numbers, 0.3)});
    }
    const int a = k < links ? k : k - 1;
    const int b = k < links ? k - 1 : kGround;  // the first link's other side is the ground too
    for (const double side : {-1.0, 1.0}) {
      for (const double pull : {-1.0, 1.0}) {
        const Vec3 tilt = random_vector(numbers, 0.2);
        Vec3 normal{{pull, tilt[1], tilt[2]}};
        normal *= 1.0 / norm(normal);
        out.touch(a, b, {{k + 0.05 * pull, 0.1 * side, 0.0}}, normal);
      }
    }
  }
  return out;
}

Assembly parallel_normals(Index contacts, Numbers& numbers) {
  Assembly out;
  const int body = out.add({1.0, 0.2, {{0.0, 0.0, 0.5}}, {{1.0, 0.2, -1.0}}});
  for (Index c = 0; c < contacts; ++c) {
    Vec3 normal{{1e-6 * numbers.normal(), 1e-6 * numbers.normal(), 1.0}};
    normal *= 1.0 / norm(normal);
    out.touch(body, kGround, {{numbers.uniform(-0.5, 0.5), numbers.uniform(-0.5, 0.5), 0.0}},
              normal);
  }
  return out;
}

/// Rows of spheres beside each other; every row is shorter than what the walls leave.
Assembly squeeze(Index contacts, Numbers& numbers) {
  const Index length =
      std::max<Index>(1, static_cast<Index>(std::lround(std::sqrt(contacts / 2.0))));
  const Index rows = std::max<Index>(1, contacts / (2 * length + 1));
  Assembly out;
  for (Index row = 0; row < rows; ++row) {
    for (Index k = 0; k < length; ++k) {
      const Vec3 centre{{kRadius * (2.0 * static_cast<double>(k) + 1.0),
                         2.0 * kRadius * static_cast<double>(row), kRadius}};
      const int ball = out.add_sphere(kRadius, centre, random_vector(numbers, 0.5));
      const int before = k > 0 ? ball - 1 : kGround;
      out.touch(ball, before, centre - Vec3{{kRadius, 0, 0}}, {{1, 0, 0}},
                k > 0 ? 0.0 : -numbers.uniform(0.1, 1.0));
      if (k == length - 1) {
        out.touch(ball, kGround, centre + Vec3{{kRadius, 0, 0}}, {{-1, 0, 0}},
                  -numbers.uniform(0.1, 1.0));
      }
      if (row > 0)
        out.touch(ball, ball - static_cast<int>(length), centre - Vec3{{0, kRadius, 0}},
                  {{0, 1, 0}});
    }
  }
  return out;
}

struct Kind {
  const char* name;
  Index least;  ///< contacts
  Existence existence;
  Assembly (*assemble)(Index, Numbers&);
};

constexpr Kind kKinds[] = {
    {"closed-box", 4, Existence::kUnknown, closed_box},
    {"heap", 4, Existence::kStrictlyFeasible, heap},
    {"stack", 4, Existence::kStrictlyFeasible, stack},
    {"wall", 8, Existence::kStrictlyFeasible, wall},
    {"bridge", 8, Existence::kUnknown, bridge},
    {"chain", 8, Existence::kUnknown, chain},
    {"parallel-normals", 1, Existence::kStrictlyFeasible, parallel_normals},
    {"random-delassus", 1, Existence::kPlanted, nullptr},
    {"squeeze", 2, Existence::kInfeasible, squeeze},
};

const char* words(Existence existence) {
  switch (existence) {
    case Existence::kPlanted:
      return "a solution was chosen first";
    case Existence::kStrictlyFeasible:
      return "a motion opens every contact, so that there is a solution";
    case Existence::kUnknown:
      return "not known whether there is a solution";
    case Existence::kInfeasible:
      return "no motion is admissible, so that there is no solution";
  }
  return "?";
}

}  // namespace

std::string_view to_string(Existence existence) {
  switch (existence) {
    case Existence::kPlanted:
      return "planted";
    case Existence::kStrictlyFeasible:
      return "strictly-feasible";
    case Existence::kUnknown:
      return "unknown";
    case Existence::kInfeasible:
      return "infeasible";
  }
  return "?";
}

const std::vector<std::string>& generated_kinds() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const Kind& kind : kKinds) all.emplace_back(kind.name);
    return all;
  }();
  return names;
}

GeneratedProblem generate_problem(const GeneratorOptions& options) {
  constexpr Index kMost = 1'000'000;
  const auto kind = std::find_if(std::begin(kKinds), std::end(kKinds),
                                 [&](const Kind& one) { return options.kind == one.name; });
  NSN_THROW_UNLESS(kind != std::end(kKinds), "unknown kind of problem '{}'{}", options.kind,
                   suggestion(options.kind, generated_kinds()));
  NSN_THROW_UNLESS(options.contacts >= kind->least && options.contacts <= kMost,
                   "{}: {} contacts, it has {} at least and {} at most", options.kind,
                   options.contacts, kind->least, kMost);
  NSN_THROW_UNLESS(options.mu >= 0.0 && std::isfinite(options.mu), "mu {} is not >= 0", options.mu);
  NSN_THROW_UNLESS(options.rank > 0.0 && options.rank <= 1.0, "rank {} is not in (0, 1]",
                   options.rank);
  GeneratedProblem out;
  out.existence = kind->existence;
  Index contacts = 0;
  if (kind->assemble == nullptr) {
    RandomFrictionProblem random = random_friction_problem(
        options.seed,
        {options.contacts, options.contacts, options.mu, options.mu, options.rank, options.rank});
    contacts = random.problem.contacts();
    out.problem = std::move(random.problem);
    out.r = random.r;
    out.u = random.u;
  } else {
    Numbers numbers(options.seed);
    const Assembly assembly = kind->assemble(options.contacts, numbers);
    contacts = assembly.contacts();
    out.problem = assembly.problem(options.mu);
  }
  out.description =
      fmt::format("{}, {} contacts, mu {:g}, seed {}: {} ({})", options.kind, contacts, options.mu,
                  options.seed, to_string(out.existence), words(out.existence));
  return out;
}

}  // namespace nsn
