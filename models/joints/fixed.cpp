#include "nsn/models/joints/fixed.h"

#include "nsn/models/joints/hold.h"

namespace nsn {

Joint fixed_joint(int body_a, int body_b) {
  Joint joint = make_joint("fixed", body_a, body_b);
  hold_point(joint);
  hold_turn(joint);
  return joint;
}

}  // namespace nsn
