/// Gauss-Seidel before anything is built: where contacts hardly feel each other a few sweeps are all there is to do,
/// and they take less time than to scale, order and factorise.
///
/// The change of the impulses from sweep to sweep shows after two or three of them whether `most_sweeps` are enough. Where they
/// are not they stop, for less than one Newton step, and nothing of them is kept: the stages that follow
/// start as if there had been none.
#pragma once

#include <functional>
#include <span>

#include "nsn/core/base/types.h"
#include "nsn/core/contact/row_law.h"
#include "nsn/core/matrix/block_csr.h"

namespace nsn {

struct FirstSweeps {
  int sweeps = 0;
  bool solved = false;
};

/// Sweeps over u = W r + q from x = 0, three per contact. goal: |change| / |x| of a sweep from which on `solved`,
/// which measures the errors of x, is asked. cancel, if there is one, is asked before each sweep.
FirstSweeps sweep_first(const BlockCsr& W, ConstVector q, std::span<const RowLaw> laws,
                        int most_sweeps, double goal, Vector x, const std::function<bool()>& solved,
                        const std::function<bool()>& cancel);

}  // namespace nsn
