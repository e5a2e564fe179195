/// Contact points of two convex cores along a known direction.
///
/// A face of one (the reference) and the face of the other that looks against it: the second is
/// clipped by the outline of the first. What remains are vertices of either body and crossings of
/// their edges, and is named by them, whichever body was the reference. At most kMaxManifold points
/// are kept: the deepest, then always the one furthest from those chosen.
#pragma once

#include "nsn/models/collision/manifold.h"
#include "nsn/models/collision/separating_axis.h"

namespace nsn {

inline constexpr int kMaxManifold = 8;
/// Sine below which edges count as parallel, and lie along a surface.
inline constexpr double kSideBySide = 0.02;

/// Appends the points of a face axis with gaps (between the rounded surfaces) up to the margin.
/// Corners within 1e-6 of the reference's size outside its outline count as inside, so that exactly
/// aligned bodies keep the same features from step to step.
void add_face_contacts(const PlacedPolytope& A, const PlacedPolytope& B, const Axis& axis,
                       double margin, Manifold& out);

/// Appends the crossing of an axis's two edges.
void add_edge_contact(const PlacedPolytope& A, const PlacedPolytope& B, const Axis& axis,
                      double margin, Manifold& out);

/// Appends the two nearest points of cores that are apart, or, where they lie on nearly parallel
/// edges (kSideBySide), the two ends of the stretch over which the edges run side by side.
void add_nearest_contacts(const PlacedPolytope& A, const PlacedPolytope& B, const GjkResult& near,
                          double margin, Manifold& out);

}  // namespace nsn
