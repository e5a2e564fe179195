#include "nsn/models/rows/attachment_rows.h"

#include <cmath>

#include "nsn/core/base/error.h"
#include "nsn/models/world/world.h"

namespace nsn {

void AttachmentRowSet::add(const Attachment& attachment, const World& world) {
  const std::size_t index = attachments_.size();
  NSN_THROW_UNLESS(attachment.particle >= 0 && attachment.particle < world.num_particles(),
                   "attachment {}: no particle {} (there are {})", index, attachment.particle,
                   world.num_particles());
  NSN_THROW_UNLESS(attachment.body >= 0 && attachment.body < world.num_bodies(),
                   "attachment {}: no body {} (there are {})", index, attachment.body,
                   world.num_bodies());
  NSN_THROW_UNLESS(all_finite(attachment.local), "attachment {}: the point is not finite", index);
  NSN_THROW_UNLESS(attachment.compliance >= 0.0 && std::isfinite(attachment.compliance),
                   "attachment {}: compliance {} is negative or not finite", index,
                   attachment.compliance);
  attachments_.push_back(attachment);
}

NodeList AttachmentRowSet::nodes(int k) const {
  NodeList list;
  list.push(particle_node(at(k).particle));
  list.push(linear_node(at(k).body));
  list.push(angular_node(at(k).body));
  return list;
}

RowLaw AttachmentRowSet::law(int, double) const {
  RowLaw law;
  law.kind = RowLaw::Kind::kBox;
  return law;
}

Vec3 AttachmentRowSet::compliance(int k, double h) const {
  Vec3 E;
  for (int i = 0; i < 3; ++i) {
    E[i] = at(k).axes[static_cast<std::size_t>(i)] ? at(k).compliance : h * h;
  }
  return E;
}

void AttachmentRowSet::evaluate(int k, const Configuration& where, RowBlock& out) const {
  const Attachment& attachment = at(k);
  const BodyState& body = where.body(attachment.body);
  const Vec3 arm = body.R * attachment.local;
  const Vec3 between = where.particle(attachment.particle).x - (body.x + arm);
  const Mat3 turning = skew(arm);  // -(w x arm)
  out.J[0] = out.J[1] = out.J[2] = Mat3{};
  out.value = {};
  for (int i = 0; i < 3; ++i) {
    if (!attachment.axes[static_cast<std::size_t>(i)]) continue;
    out.value[i] = between[i] / where.h();
    out.J[0](i, i) = 1.0;
    out.J[1](i, i) = -1.0;
    for (int j = 0; j < 3; ++j) out.J[2](i, j) = turning(i, j);
  }
}

void AttachmentRowSet::add_stiffness(int k, const Configuration& where, const Vec3& r,
                                     std::span<Mat3> K) const {
  const Attachment& attachment = at(k);
  const BodyState& body = where.body(attachment.body);
  if (!body.dynamic) return;
  Mat3& K_body = K[static_cast<std::size_t>(angular_node(attachment.body))];
  K_body = K_body + arm_stiffness(body.R * attachment.local, -r);
}

Attachment attach_in_place(const World& world, int particle, int body) {
  const Body& b = world.body(body);
  Attachment attachment;
  attachment.particle = particle;
  attachment.body = body;
  attachment.local = transpose_times(rotation_matrix(b.orientation),
                                     world.particle(particle).position - b.position);
  return attachment;
}

}  // namespace nsn
