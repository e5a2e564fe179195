/// PCR on a device behind the solver and the batch: holds one matrix, its P and the vectors, and
/// runs whole solves in one of three ways.
///
///   kBlock   one thread block per island in one launch       small systems, many islands
///   kGrid    the whole device on one system in one launch    large systems (cooperative launch)
///   kGraph   `poll` iterations recorded as a CUDA graph; the host reads the state between graphs
///            a few kernels per iteration; the one that can let cuSPARSE form the product
///
/// In kBlock and kGrid nothing is copied between the upload of b and x and the download of x. In
/// kGraph 200 bytes come down every `poll` iterations.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "nsn/backends/cuda/device_matrix.h"
#include "nsn/core/linear/linear_solver.h"

namespace nsn::cuda {

enum class Loop { kBlock, kGrid, kGraph };

struct PcrEngineOptions {
  MatrixForm form = MatrixForm::kBlocks;
  Loop loop = Loop::kBlock;
  Scaling scaling = Scaling::kJacobi;
  bool float_storage = false;
  int poll = 16;  ///< iterations per graph, >= 1
};

class PcrEngine {
 public:
  /// Takes op's pattern. `islands` is used by kBlock alone.
  PcrEngine(Device& device, const LinearOperator& op, const PcrEngineOptions& options,
            const Islands& islands);

  /// Takes op's values.
  void factorize(const LinearOperator& op);

  /// What one island (kBlock) or the system is asked for, apart from its target.
  struct Request {
    double rtol = 0.0;  ///< for the least-squares test
    int max_iterations = 0;
    bool history = false;  ///< one island only
  };
  /// target: per island for kBlock, one number otherwise. b and x hold scalar_rows() numbers; x is
  /// the guess on entry. Returns an outcome per target.
  std::vector<PcrOutcome> solve(const double* b, double* x, const std::vector<double>& target,
                                const Request& request);

  /// After a solve with history: |r|^2 and |r|_P^2 per iteration, `iterations` + 1 pairs.
  std::vector<double> history(int iterations) const;

  int targets() const { return options_.loop == Loop::kBlock ? islands_ : 1; }
  /// Memory traffic of one iteration, of rebuilding the residual, and all that is allocated.
  double bytes_per_iteration() const;
  double bytes_per_residual() const;
  double bytes_held() const;

  /// The shape of ordinary kernels over all block rows, `lanes` threads each.
  static Shape row_shape(const Device& device, int block_rows, int lanes);
  /// Lanes per block row for rows of so many entries.
  static int lanes_for(const Device& device, double entries_per_row);

 private:
  template <class Form, class TrueForm>
  std::vector<PcrOutcome> solve_form(const Form& S, const TrueForm& S_true,
                                     const std::vector<double>& target, const PcrLimits& limits);
  template <class Form, class TrueForm>
  PcrOutcome solve_by_graph(const Form& S, const TrueForm& S_true, const PcrLimits& limits);
  template <class Form>
  void record_iteration(const Form& S);
  template <class Form>
  void recompute(const Form& S_true);
  void prepare_history(bool wanted, int max_iterations);
  bool library_product() const;
  IslandLists island_lists() const;

  Device& device_;
  PcrEngineOptions options_;
  DeviceMatrix matrix_;
  int islands_ = 1;
  int lanes_ = 1;
  Shape rows_shape_;
  Buffer<int> island_rows_, island_row_begin_, island_nodes_, island_node_begin_;
  Buffer<double> b_, x_, r_, z_, w_, p_, q_, best_, P_;
  Buffer<double> target_, partial_, history_;
  Buffer<PcrOutcome> outcome_;
  Buffer<PcrControl> control_;
  PcrVectors vectors_;
  std::unique_ptr<CsrProduct> product_;
  std::unique_ptr<Device::Recording> graph_;
};

}  // namespace nsn::cuda
