/// Shapes that close by more than the size of one of them within a step.
///
/// Which of their features meet, and where, cannot be told from where the step starts; a point of a body
/// that tumbles through several turns is no guide. The smaller one is met as a ball around its middle
/// would be: in one point, along the normal of the nearest features, opposite to where its middle comes
/// to. Nothing of a ball turns away from the contact, so that the pair does not pass through each other.
#pragma once

#include "nsn/models/collision/manifold.h"

namespace nsn {

/// One of the two, at the start of the step.
struct MovingShape {
  Vec3 middle;        ///< m
  Vec3 velocity;      ///< of the middle, m/s
  double size = 0.0;  ///< longest side of the box around it, m; infinite: a plane
};

/// h: the step. Returns true if the points were replaced by one: they close by more than the smaller size.
bool meet_as_ball(const MovingShape& a, const MovingShape& b, double h, Manifold& points);

}  // namespace nsn
