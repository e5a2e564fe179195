/// Many small systems at once: S_k x_k = b_k, one thread block of the device for each, each with
/// its own alpha, beta and end.
///
///   PcrBatch batch(open_device, {.precond = Scaling::kBlockJacobi});
///   batch.prepare(systems);                                   // k-th system: 3x3 blocks
///   std::vector<LinearReport> reports = batch.solve(b, x);    // x_k: guess on entry
///
/// Each report is that of its own system: |r_k| <= max(rtol |b_k|, atol).
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "nsn/backends/cuda/device_session.h"
#include "nsn/backends/cuda/pcr_engine.h"
#include "nsn/core/linear/linear_solver.h"

namespace nsn::cuda {

struct PcrBatchOptions {
  Scaling precond = Scaling::kJacobi;
  bool float_storage = false;
};

class PcrBatch {
 public:
  PcrBatch(DeviceFactory open, PcrBatchOptions options);

  /// Takes patterns and values of square systems. With patterns equal to those of the last call
  /// only the values go to the device.
  void prepare(std::span<const BlockCsr> systems);

  /// b[k] and x[k] have the rows of system k. A failure of the device is the status of every
  /// report.
  [[nodiscard]] std::vector<LinearReport> solve(std::span<const ConstVector> b,
                                                std::span<const Vector> x,
                                                const LinearControl& control = {});

 private:
  bool same_patterns(std::span<const BlockCsr> systems) const;
  void take_patterns(std::span<const BlockCsr> systems);
  void take_values(std::span<const BlockCsr> systems);
  LinearReport report_of(std::size_t k, const PcrOutcome& outcome,
                         const LinearControl& control) const;

  PcrBatchOptions options_;
  DeviceSession session_;
  std::unique_ptr<PcrEngine> engine_;
  BlockCsr all_;  // block diagonal: the systems one after the other
  std::unique_ptr<BlockOperator> op_;
  std::vector<int> row_begin_{0};  // block rows of the systems in all_
  std::vector<double> b_, x_;
  std::string failure_;
};

}  // namespace nsn::cuda
