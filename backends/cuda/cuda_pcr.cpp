#include "nsn/backends/cuda/cuda_pcr.h"

#include <algorithm>
#include <cmath>

#include "nsn/backends/cuda/device_session.h"
#include "nsn/backends/cuda/pcr_engine.h"
#include "nsn/backends/cuda/pcr_status.h"
#include "nsn/backends/iteration_limit.h"
#include "nsn/core/base/error.h"
#include "nsn/core/linear/schur_operator.h"

namespace nsn::cuda {
namespace {

// Up to this many bytes of matrix per island one thread block is as fast as a grid that must meet
// at a barrier twice per iteration: some microseconds at the rate at which one multiprocessor reads
// its cache. An estimate, not a measurement.
constexpr double kBlockLimit = 256.0 * 1024.0;

Capabilities capabilities_of_cuda_pcr() {
  Capabilities can;
  can.needs_entries = true;
  can.takes_factors = true;
  can.handles_singular = true;
  can.device = "cuda";
  return can;
}

struct Choice {
  std::string matrix;
  std::string loop;
  Scaling scaling = Scaling::kJacobi;
  bool float_storage = false;
  bool islands = true;
  int poll = 16;
  int max_iterations = 0;
};

Choice read(const Options& options) {
  Choice choice;
  choice.matrix = options.text("matrix");
  choice.loop = options.text("loop");
  const std::string& precond = options.text("precond");
  choice.scaling = precond == "none"     ? Scaling::kNone
                   : precond == "jacobi" ? Scaling::kJacobi
                                         : Scaling::kBlockJacobi;
  choice.float_storage = options.text("storage") == "float";
  choice.islands = options.flag("islands");
  choice.poll = static_cast<int>(options.integer("poll"));
  choice.max_iterations = static_cast<int>(options.integer("max_iterations"));
  return choice;
}

MatrixForm choose_form(const Choice& choice, const LinearOperator& op) {
  if (choice.matrix == "blocks") return MatrixForm::kBlocks;
  if (choice.matrix == "csr") return MatrixForm::kCsr;
  if (choice.matrix == "factored") return MatrixForm::kFactored;
  if (op.factors() != nullptr) return MatrixForm::kFactored;
  return op.blocks() != nullptr ? MatrixForm::kBlocks : MatrixForm::kCsr;
}

Islands islands_of(const LinearOperator& op) {
  if (op.factors() != nullptr) {
    const BlockCsr& C = op.factors()->C();
    return find_islands(op.factors()->J(), C.blocks() > 0 ? &C : nullptr);
  }
  return op.blocks() != nullptr ? find_islands(*op.blocks()) : find_islands(*op.scalars());
}

Loop choose_loop(const Choice& choice, const LinearOperator& op, const Islands& islands) {
  if (choice.loop == "block") return Loop::kBlock;
  if (choice.loop == "grid") return Loop::kGrid;
  if (choice.loop == "graph") return Loop::kGraph;
  const double share = static_cast<double>(islands.largest()) /
                       std::max(1.0, static_cast<double>(islands.rows.size()));
  return op.bytes_per_apply() * share <= kBlockLimit ? Loop::kBlock : Loop::kGrid;
}

class CudaPcr final : public LinearSolver {
 public:
  CudaPcr(const Options& options, DeviceFactory open)
      : choice_(read(options)), session_(std::move(open)) {}

  std::string_view name() const override { return "cuda-pcr"; }
  const Capabilities& capabilities() const override { return capabilities_; }

 private:
  void do_analyze(const LinearOperator& op) override;
  Preparation do_factorize(const LinearOperator& op) override;
  void do_solve(const LinearOperator& op, ConstVector b, Vector x, const LinearControl& control,
                const Monitor& monitor, LinearReport& report) override;
  double bytes_held() const override { return engine_ ? engine_->bytes_held() : 0.0; }

  void build_engine(const LinearOperator& op, bool whole);
  std::vector<double> targets(double target) const;
  void summarise(const std::vector<PcrOutcome>& outcomes, const LinearControl& control,
                 LinearReport& report) const;
  void tell(const Monitor& monitor, int iterations) const;
  std::string lose_device(const DeviceError& error);

  Capabilities capabilities_ = capabilities_of_cuda_pcr();
  Choice choice_;
  DeviceSession session_;              // outlives what is on the device
  std::unique_ptr<PcrEngine> engine_;  // null after a failure
  std::vector<double> share_;          // of the rows, per island
  bool whole_ = false;                 // one island, as a monitor needs it
  bool forced_whole_ = false;          // and only for its sake
  std::string failure_;
};

void CudaPcr::build_engine(const LinearOperator& op, bool whole) {
  engine_.reset();
  const int rows = (op.rows() + kBlock - 1) / kBlock;
  const int nodes = op.factors() != nullptr ? op.factors()->J().columns : 0;
  const Islands islands = choice_.islands && !whole ? islands_of(op) : one_island(rows, nodes);
  PcrEngineOptions options;
  options.form = choose_form(choice_, op);
  options.loop = choose_loop(choice_, op, islands);
  options.scaling = choice_.scaling;
  options.float_storage = choice_.float_storage;
  options.poll = choice_.poll;
  engine_ = std::make_unique<PcrEngine>(session_.device(), op, options, islands);
  share_.clear();
  for (int k = 0; k < engine_->targets(); ++k) {
    const auto i = static_cast<std::size_t>(k);
    const int own =
        options.loop == Loop::kBlock ? islands.row_begin[i + 1] - islands.row_begin[i] : rows;
    share_.push_back(static_cast<double>(own) / rows);
  }
  forced_whole_ = whole;
  whole_ = engine_->targets() == 1;
}

std::string CudaPcr::lose_device(const DeviceError& error) {
  engine_.reset();
  if (error.kind() == DeviceError::Kind::kDeviceLost) session_.close();
  return error.what();
}

void CudaPcr::do_analyze(const LinearOperator& op) {
  failure_.clear();
  try {
    build_engine(op, false);
  } catch (const DeviceError& error) {
    failure_ = lose_device(error);
  }
}

LinearSolver::Preparation CudaPcr::do_factorize(const LinearOperator& op) {
  if (!engine_ && failure_.empty()) do_analyze(op);  // lost during an earlier solve
  try {
    if (engine_) engine_->factorize(op);
  } catch (const DeviceError& error) {
    failure_ = lose_device(error);
  }
  if (engine_) return {};
  Preparation failed{false, LinearStatus::kBackendError, failure_};
  failure_.clear();  // the next values try again
  return failed;
}

std::vector<double> CudaPcr::targets(double target) const {
  std::vector<double> all;
  for (const double share : share_) all.push_back(target * std::sqrt(share));
  return all;
}

void CudaPcr::summarise(const std::vector<PcrOutcome>& outcomes, const LinearControl& control,
                        LinearReport& report) const {
  PcrEnd worst = PcrEnd::kConverged;
  double rr = 0.0;
  double iterations = 0.0;
  std::size_t unfinished = 0;
  for (std::size_t k = 0; k < outcomes.size(); ++k) {
    const auto end = static_cast<PcrEnd>(outcomes[k].end);
    worst = std::max(worst, end);
    report.iterations = std::max(report.iterations, outcomes[k].iterations);
    iterations += share_[k] * outcomes[k].iterations;
    rr += outcomes[k].rr;
    if (end > PcrEnd::kLeastSquares) ++unfinished;
  }
  report.recurrence_residual = std::sqrt(rr);
  set_status(worst, control, report);
  if (unfinished > 0 && outcomes.size() > 1) {
    report.detail += fmt::format(" ({} of {} islands)", unfinished, outcomes.size());
  }
  report.bytes_moved =
      iterations * engine_->bytes_per_iteration() + 2.0 * engine_->bytes_per_residual();
}

void CudaPcr::tell(const Monitor& monitor, int iterations) const {
  const std::vector<double> history = engine_->history(iterations);
  for (std::size_t i = 0; i + 1 < history.size(); i += 2) {
    monitor({static_cast<int>(i / 2), std::sqrt(history[i]), std::sqrt(history[i + 1]), 0.0});
  }
}

void CudaPcr::do_solve(const LinearOperator& op, ConstVector b, Vector x,
                       const LinearControl& control, const Monitor& monitor, LinearReport& report) {
  const LinearControl limited = with_limit(control, choice_.max_iterations);
  PcrEngine::Request request;
  request.rtol = control.rtol;
  request.max_iterations = limited.iteration_budget > 0
                               ? std::min(limited.iteration_budget, limited.max_iterations)
                               : limited.max_iterations;
  request.history = static_cast<bool>(monitor);
  try {
    // One curve needs one system; a device that was lost may be back.
    if (!engine_ || (monitor ? !whole_ : forced_whole_)) {
      build_engine(op, static_cast<bool>(monitor));
      engine_->factorize(op);
    }
    const double target = std::max(control.rtol * report.rhs_norm, control.atol);
    const auto outcomes = engine_->solve(b.data(), x.data(), targets(target), request);
    summarise(outcomes, limited, report);
    explain_limit(control, report);
    if (monitor) tell(monitor, report.iterations);
  } catch (const DeviceError& error) {
    report.status = LinearStatus::kBackendError;
    report.detail = lose_device(error);
  }
  session_.report_traffic(report);
}

}  // namespace

SolverInfo cuda_pcr(DeviceFactory open) {
  SolverInfo info;
  info.name = "cuda-pcr";
  info.summary = "preconditioned conjugate residuals on a CUDA device, one reduction per iteration";
  info.licence = "Apache-2.0; CUDA libraries under NVIDIA's licence";
  info.capabilities = capabilities_of_cuda_pcr();
  info.options = {
      OptionSpec::integer("max_iterations", 0, 0, 1e9,
                          "limit of this solver's own; 0: what each call asks for"),
      OptionSpec::choice("precond", "jacobi", {"none", "jacobi", "block-jacobi"},
                         "P: the inverse of the diagonal or of the 3x3 diagonal blocks"),
      OptionSpec::choice("matrix", "auto", {"auto", "blocks", "csr", "factored"},
                         "form of S on the device; auto: as the operator stores it"),
      OptionSpec::choice("loop", "auto", {"auto", "block", "grid", "graph"},
                         "one thread block per island, one cooperative launch, or a CUDA graph "
                         "(with matrix=csr through cuSPARSE); auto: block for small islands, else "
                         "grid"),
      OptionSpec::choice("storage", "double", {"double", "float"},
                         "values that the iteration reads; float keeps double ones for the true "
                         "residual"),
      OptionSpec::flag("islands", true, "solve unconnected parts separately (loop=block)"),
      OptionSpec::integer("poll", 16, 1, 1024, "iterations per graph and look at its state")};
  info.make = [open](const Options& options,
                     const SolverRegistry&) -> std::unique_ptr<LinearSolver> {
    return std::make_unique<CudaPcr>(options, open);
  };
  return info;
}

}  // namespace nsn::cuda
