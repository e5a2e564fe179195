#include "nsn/models/rows/drag_rows.h"

#include <cmath>

namespace nsn {

NodeList DragRowSet::nodes(int k) const {
  NodeList list;
  if (!turns(k)) list.push(linear_node(drag(k).body));
  list.push(angular_node(drag(k).body));
  return list;
}

RowLaw DragRowSet::law(int, double) const {
  RowLaw law;
  law.kind = RowLaw::Kind::kBox;
  return law;
}

Vec3 DragRowSet::compliance(int k, double h) const {
  const double c = h / (turns(k) ? drag(k).inertia : drag(k).mass);
  return {c, c, c};
}

std::uint64_t DragRowSet::id(int k) const {
  return std::uint64_t{7} << 60U | static_cast<std::uint64_t>(drag(k).body) << 24U |
         static_cast<std::uint64_t>(k);
}

void DragRowSet::evaluate(int k, const Configuration& at, RowBlock& out) const {
  const Drag& d = drag(k);
  const BodyState& body = at.body(d.body);
  const Mat3 axes = transpose(body.R * d.axes);  // rows: the axes in the world
  const Vec3 arm = body.R * d.point;
  const Vec3 u = axes * (turns(k) ? body.w : body.v + cross(body.w, arm));
  const Vec3& linear = turns(k) ? d.turn_linear : d.linear;
  const Vec3& quadratic = turns(k) ? d.turn_quadratic : d.quadratic;
  const double unit = 1.0 / std::sqrt(turns(k) ? d.inertia : d.mass);
  Vec3 slope;
  for (int i = 0; i < 3; ++i) {
    const double size = std::abs(u[i]);
    const double y = size * std::sqrt(linear[i] + 2.0 / 3.0 * quadratic[i] * size);
    out.value[i] = unit * std::copysign(y, u[i]);
    // At rest y' is sqrt(d), without d it is 0.
    slope[i] =
        unit * (y > 0.0 ? (linear[i] + quadratic[i] * size) * size / y : std::sqrt(linear[i]));
  }
  const Mat3 J = diagonal(slope) * axes;
  out.J = {};
  out.J[0] = J;
  if (!turns(k)) out.J[1] = J * transpose(skew(arm));  // w x arm = -arm x w
}

}  // namespace nsn
