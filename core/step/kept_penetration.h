/// Penetration that exists at the start of a step is kept, not pushed out, but for what the
/// friction of the step can pay for: a bounded method must not gain energy from it.
#pragma once

#include <vector>

#include "nsn/core/matrix/block_csr.h"
#include "nsn/core/step/policy.h"
#include "nsn/core/step/system.h"

namespace nsn {

class KeptPenetration {
 public:
  /// Finds it, C / h of contacts that overlap, for the row blocks `kept`.
  void find(const System& system, const std::vector<Index>& kept);
  bool none() const;
  /// Lowers what is kept by as much as friction pays for: the work of pushing it out at no more
  /// than recovery_speed may not exceed recovery_share of -sum r_T v_T, v = W r + q, both of the
  /// last step's impulses r (3 per row block).
  void pay_for_recovery(const System& system, const BlockCsr& W, ConstVector q, ConstVector r,
                        const RealtimePolicy& policy);
  /// q -= what is kept: the rows ask for no more than what is not.
  void keep(Vector q) const;
  /// value += sign * what is kept, 3 per row block.
  void add_to(double sign, Vector value) const;

 private:
  const std::vector<Index>* kept_ = nullptr;
  std::vector<double> deep_;   // m/s, <= 0, one per kept block
  std::vector<double> r_, v_;  // 3 per kept block
};

}  // namespace nsn
