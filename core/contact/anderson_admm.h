/// ADMM on the friction problem, accelerated by Anderson's method: one factorisation, cheap
/// iterations.
///
///     s = mu |y_T| e_N
///     x = (W + rho I)^-1 (rho z - y - q - s)
///     z = Pi(x + y / rho),   y <- y + rho (x - z)
///
/// The pair (z, y / rho) is a fixed point of this map; Anderson's method combines the last few
/// iterates so that their residual is least. It makes no promise on hard problems: it saves
/// factorisations on easy ones if a factorisation is expensive. Scaled variables
/// (core/contact/proximal_newton.h).
#pragma once

#include <functional>
#include <memory>

#include "nsn/core/contact/proximal_newton.h"

namespace nsn {

struct AndersonAdmmOptions {
  int max_iterations = 12;
  int memory = 5;  ///< combined iterates, 1 ... 20
  double rho = 1e-2;
  double relaxation = 1.0;  ///< omega in (0, 2): x is replaced by omega x + (1 - omega) z
  /// Looks for contacts that share a low rank (low_rank_shift.h) at the start of each run, which
  /// allocates: for bare problems, not for time steps.
  bool reduce = false;
};

struct AndersonAdmmReport {
  bool solved = false;
  bool factorized = false;
  int iterations = 0;
  ProximalError error;  ///< of the z handed on
};

class AndersonAdmm {
 public:
  /// `newton` must outlive it; run() allocates if its problem is larger than any before.
  explicit AndersonAdmm(ProximalNewton& newton, const AndersonAdmmOptions& options = {});
  ~AndersonAdmm();
  AndersonAdmm(const AndersonAdmm&) = delete;
  AndersonAdmm& operator=(const AndersonAdmm&) = delete;

  /// Starts at the centre of `newton`, whose system and scaled problem it works on; its best z
  /// becomes the centre. Iterates are offered to `newton`, which keeps the best of all stages.
  [[nodiscard]] AndersonAdmmReport run(const std::function<bool()>& stop = {});

 private:
  struct Workspace;
  std::unique_ptr<Workspace> work_;
};

/// The same for one run.
[[nodiscard]] AndersonAdmmReport anderson_admm(ProximalNewton& newton,
                                               const AndersonAdmmOptions& options = {},
                                               const std::function<bool()>& stop = {});

}  // namespace nsn
