#include "nsn/models/rows/attachment_rows.h"

#include <algorithm>
#include <cmath>

#include "nsn/core/base/error.h"
#include "nsn/core/rows/attachment_body.h"
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
  const struct {
    double* value;
    std::array<double*, 3> J;
  } entries{out.value.a, {out.J[0].a, out.J[1].a, out.J[2].a}};
  evaluate_attachment(attachment, where.particle(attachment.particle), where.body(attachment.body),
                      where.h(), entries);
}

bool AttachmentRowSet::record(int k, const RecordTarget& to) const {
  const Attachment& attachment = at(k);
  AttachmentRecord record;
  record.local = attachment.local;
  for (int i = 0; i < 3; ++i) record.axes[i] = attachment.axes[static_cast<std::size_t>(i)];
  record.particle = to.particle(attachment.particle);
  record.body = to.body(attachment.body);
  record.row = to.row;
  std::copy_n(to.slot, 3, record.slot);
  to.records.attachments.push_back(record);
  return true;
}

void AttachmentRowSet::add_stiffness(int k, const Configuration& where, const Vec3& r,
                                     std::span<Mat3> K) const {
  const Attachment& attachment = at(k);
  attachment_stiffness(attachment, where.body(attachment.body), r, [&](int, const Mat3& K_body) {
    K[static_cast<std::size_t>(angular_node(attachment.body))] += K_body;
  });
}

Attachment attach_in_place(const World& world, int particle, int body) {
  const ConstBodyRef b = world.body(body);
  Attachment attachment;
  attachment.particle = particle;
  attachment.body = body;
  attachment.local = transpose_times(rotation_matrix(b.orientation),
                                     world.particle(particle).position - b.position);
  return attachment;
}

}  // namespace nsn
