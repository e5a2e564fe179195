/// Impacts: contacts that close fast rebound.
///
/// A contact that closes within the step, C + h u_N <= 0 with u_N the normal velocity at its start,
/// and faster than the threshold, u_N < -threshold, is for this step a velocity row
///
///     0 <= v_N = n . v + e u_N   orthogonal to   r_N >= 0          (Newton's law of impact)
///
/// in place of the gap row v_N = C / h. All contacts of an island are solved at once: an impact
/// reaches through contacts that touch already within the same step (three touching balls:
/// -1/3, 2/3, 2/3), and from one to the next where gaps lie between them, if a gap is wider than
/// what is travelled in a step.
#pragma once

#include "nsn/models/rows/contact_rows.h"
#include "nsn/models/world/world.h"

namespace nsn {

/// Marks the contacts of a step that rebound. h: the step, s.
void apply_restitution(const World& world, double h, ContactRowSet& contacts);

}  // namespace nsn
