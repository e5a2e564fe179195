/// Pieces that several scenes are built from.
#pragma once

#include <cstdint>
#include <vector>

#include "nsn/core/base/options.h"
#include "nsn/models/world/world.h"

namespace nsn {

/// A static body with a horizontal plane through the origin. Returns the body.
int add_ground(World& world, double mu, double extent = 4.0);
/// A dynamic box with its shape. Returns the body; its shape is the last one added.
int add_box(World& world, const Vec3& size, double mass, const Vec3& position, double mu,
            const Quaternion& orientation = {});
/// A dynamic ball with its shape.
int add_ball(World& world, double radius, double mass, const Vec3& position, double mu);
/// A dynamic capsule with its shape; its axis is the body's z axis.
int add_capsule(World& world, double radius, double length, double mass, const Vec3& position,
                double mu, const Quaternion& orientation = {});
/// A box of a body made of several, in the body's own axes.
struct BoxPart {
  Vec3 size;    ///< m
  Vec3 centre;  ///< m, about any origin
};
/// A dynamic body of uniform density that carries several boxes; `position` is where its centre of
/// mass goes.
int add_boxes(World& world, const std::vector<BoxPart>& parts, double mass, const Vec3& position,
              double mu, const Quaternion& orientation = {});
/// A square pit without a lid: the ground and four walls around |x|, |y| <= half_width.
void add_pit(World& world, double half_width, double mu);
/// Gives every shape half of a contact's normal compliance (m/N): bodies that are jammed between
/// each other, as rigid ones, may leave Coulomb's law without a solution.
void set_contact_compliance(World& world, double compliance);
/// The parameter "compliance" of scenes that use it.
OptionSpec contact_compliance_option(double by_default);
/// A static box.
int add_static_box(World& world, const Vec3& size, const Vec3& position, double mu);

/// A deformable ball, by the parameters that soft_ball_options() lists. Returns the deformable.
int add_soft_ball(World& world, const Options& options, const Vec3& position);
std::vector<OptionSpec> soft_ball_options(long tets);
/// Parameters of a piece and those of the scene it is in.
std::vector<OptionSpec> joined(std::vector<OptionSpec> first, const std::vector<OptionSpec>& more);

/// Unit ball of 20 4^n triangles.
SurfaceMesh icosphere(int refinements);

/// Uniform numbers in [0, 1): the same on every platform.
class SceneRandom {
 public:
  explicit SceneRandom(std::uint64_t seed) : state_(seed) {}
  double uniform();
  double uniform(double low, double high) { return low + (high - low) * uniform(); }
  /// All orientations alike.
  Quaternion orientation();

  std::uint64_t state() const { return state_; }

 private:
  std::uint64_t state_;
};

}  // namespace nsn
