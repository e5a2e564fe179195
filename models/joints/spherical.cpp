#include "models/joints/spherical.h"

#include "models/joints/hold.h"

namespace nsn {

Joint spherical_joint(int body_a, int body_b) {
  Joint joint = make_joint("spherical", body_a, body_b);
  hold_point(joint);
  return joint;
}

}  // namespace nsn
