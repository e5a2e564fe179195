#include "nsn/backends/cuda/cuda_direct.h"

#include <algorithm>
#include <cmath>

#include "nsn/backends/cuda/device_matrix.h"
#include "nsn/backends/cuda/device_session.h"
#include "nsn/backends/cuda/direct_factor.h"
#include "nsn/backends/cuda/pcr_engine.h"
#include "nsn/core/base/error.h"
#include "nsn/core/base/vector_kernels.h"

namespace nsn::cuda {
namespace {

constexpr double kMostDenseNumbers = 32.0 * 1024.0 * 1024.0;  // 256 MB of double

Capabilities capabilities_of_cuda_direct() {
  Capabilities can;
  can.needs_entries = true;
  can.direct = true;
  can.device = "cuda";
  return can;
}

class CudaDirect final : public LinearSolver {
 public:
  CudaDirect(const Options& options, DeviceFactory open)
      : method_(options.text("method")),
        float_storage_(options.text("storage") == "float"),
        dense_limit_(static_cast<int>(options.integer("dense_limit"))),
        refine_(static_cast<int>(options.integer("refine"))),
        session_(std::move(open)) {}

  std::string_view name() const override { return "cuda-direct"; }
  const Capabilities& capabilities() const override { return capabilities_; }

 private:
  void do_analyze(const LinearOperator& op) override;
  Preparation do_factorize(const LinearOperator& op) override;
  void do_solve(const LinearOperator& op, ConstVector b, Vector x, const LinearControl& control,
                const Monitor& monitor, LinearReport& report) override;
  double bytes_held() const override;

  // All that lives on the device, so that it can be dropped at once.
  struct OnDevice {
    OnDevice(Device& device, const LinearOperator& op)
        : matrix(device, op, MatrixForm::kCsr, false),
          n(3 * static_cast<std::size_t>(matrix.block_rows())),
          b(device, n),
          x(device, n),
          r(device, n),
          lanes(PcrEngine::lanes_for(device, matrix.entries_per_row())),
          shape(PcrEngine::row_shape(device, matrix.block_rows(), lanes)),
          partial(device, static_cast<std::size_t>(shape.blocks)) {
      b.zero();
    }
    DeviceMatrix matrix;
    std::size_t n;
    Buffer<double> b, x, r;
    int lanes;
    Shape shape;
    Buffer<double> partial;
    std::unique_ptr<DirectFactor> factor;
  };

  void build(const LinearOperator& op);
  bool use_dense(const Csr& A, const Islands& islands) const;
  double residual();
  int refine(double target, double& residual_norm);
  Preparation failed(const DeviceError& error);

  Capabilities capabilities_ = capabilities_of_cuda_direct();
  std::string method_;
  bool float_storage_;
  int dense_limit_;
  int refine_;
  ScalarEntries entries_;
  DeviceSession session_;  // outlives what is on the device
  std::unique_ptr<OnDevice> on_device_;
  std::string failure_;
};

bool CudaDirect::use_dense(const Csr& A, const Islands& islands) const {
  if (method_ != "auto") return method_ == "dense";
  return 3 * islands.largest() <= dense_limit_ &&
         dense_numbers(islands, A.rows) <= kMostDenseNumbers;
}

void CudaDirect::build(const LinearOperator& op) {
  on_device_.reset();
  Device& device = session_.device();
  auto built = std::make_unique<OnDevice>(device, op);
  entries_.analyze(op);
  const Csr& A = entries_.matrix();
  const Islands islands = find_islands(A);
  NSN_THROW_UNLESS(method_ != "dense" || dense_numbers(islands, A.rows) <= kMostDenseNumbers,
                   "cuda-direct: method=dense for {} rows needs more than {} MB", A.rows,
                   kMostDenseNumbers * 8.0 / 1e6);
  if (use_dense(A, islands)) {
    built->factor = float_storage_ ? make_dense_factor<float>(device, A, islands)
                                   : make_dense_factor<double>(device, A, islands);
  } else {
    built->factor = float_storage_ ? make_sparse_factor<float>(device, A)
                                   : make_sparse_factor<double>(device, A);
  }
  on_device_ = std::move(built);
}

LinearSolver::Preparation CudaDirect::failed(const DeviceError& error) {
  on_device_.reset();
  if (error.kind() == DeviceError::Kind::kDeviceLost) session_.close();
  return {false, LinearStatus::kBackendError, error.what()};
}

void CudaDirect::do_analyze(const LinearOperator& op) {
  failure_.clear();
  try {
    build(op);
  } catch (const DeviceError& error) {
    failure_ = failed(error).detail;
  }
}

LinearSolver::Preparation CudaDirect::do_factorize(const LinearOperator& op) {
  if (!failure_.empty()) {
    Preparation result{false, LinearStatus::kBackendError, failure_};
    failure_.clear();  // the next values try again
    return result;
  }
  try {
    if (!on_device_) build(op);
    const Csr& A = entries_.update(op);
    if (!all_finite(A.value)) {
      return {false, LinearStatus::kNonFinite, "the matrix holds NaN or infinity"};
    }
    on_device_->matrix.upload_values(op);
    const int bad = on_device_->factor->factorize(on_device_->matrix.values());
    if (bad == 0) return {};
    return {false, LinearStatus::kSingularPivot,
            fmt::format("the pivot of row {} is not positive", bad - 1)};
  } catch (const DeviceError& error) {
    return failed(error);
  }
}

// r = b - A x, returns |r|
double CudaDirect::residual() {
  OnDevice& d = *on_device_;
  session_.device().launch(CsrResidual{d.matrix.csr_form<double>(), d.b.array(), d.x.array(),
                                       d.r.array(), d.partial.array(), d.lanes},
                           d.shape);
  std::vector<double> partial(d.partial.size());
  d.partial.download(partial.data(), partial.size());
  double sum = 0.0;
  for (const double p : partial) sum += p;
  return std::sqrt(sum);
}

// x += A^-1 r while that helps; a step that makes it worse is taken back. Returns the solves. A
// float factor takes one step in any case: the norm of r does not see the small rows of a badly
// scaled A.
int CudaDirect::refine(double target, double& residual_norm) {
  OnDevice& d = *on_device_;
  int solves = 0;
  const int least = float_storage_ ? 1 : 0;
  while ((residual_norm > target || solves < least) && solves < refine_) {
    d.factor->solve_and_add(d.r.constant(), d.x.array());
    ++solves;
    const double next = residual();
    if (!(next < residual_norm)) {
      d.factor->undo(d.x.array());
      break;
    }
    const bool halved = next < 0.5 * residual_norm;
    residual_norm = next;
    if (!halved) break;
  }
  return solves;
}

void CudaDirect::do_solve(const LinearOperator& op, ConstVector b, Vector x,
                          const LinearControl& control, const Monitor& /*monitor*/,
                          LinearReport& report) {
  const auto n = static_cast<std::size_t>(op.rows());
  try {
    if (!on_device_) {  // lost in an earlier solve
      const Preparation again = do_factorize(op);
      if (!again.ok) {
        report.status = again.status;
        report.detail = again.detail;
        return;
      }
    }
    OnDevice& d = *on_device_;
    d.b.upload(b.data(), n);
    d.x.zero();
    d.factor->solve_and_add(d.b.constant(), d.x.array());
    double residual_norm = residual();
    const double target = std::max(control.rtol * report.rhs_norm, control.atol);
    const int refinements = refine(target, residual_norm);
    d.x.download(x.data(), n);
    report.recurrence_residual = residual_norm;
    report.bytes_moved =
        (1.0 + refinements) * (2.0 * d.factor->bytes_per_solve() + d.matrix.bytes_per_product() +
                               40.0 * static_cast<double>(n));
    report.detail = d.factor->description();
    if (refinements > 0) report.detail += fmt::format(", {} step(s) of refinement", refinements);
  } catch (const DeviceError& error) {
    const Preparation lost = failed(error);
    report.status = lost.status;
    report.detail = lost.detail;
  }
  session_.report_traffic(report);
}

double CudaDirect::bytes_held() const {
  if (!on_device_) return entries_.bytes_held();
  return entries_.bytes_held() + on_device_->matrix.bytes_held() + 3.0 * on_device_->b.bytes() +
         on_device_->factor->bytes_held();
}

}  // namespace

SolverInfo cuda_direct(DeviceFactory open) {
  SolverInfo info;
  info.name = "cuda-direct";
  info.summary = "Cholesky on a CUDA device: dense and batched, or sparse";
  info.licence = "Apache-2.0; CUDA libraries under NVIDIA's licence";
  info.capabilities = capabilities_of_cuda_direct();
  info.options = {
      OptionSpec::choice("method", "auto", {"auto", "dense", "sparse"},
                         "auto: dense where every island is small"),
      OptionSpec::integer("dense_limit", 1024, 1, 1e5,
                          "rows up to which auto takes an island dense"),
      OptionSpec::choice("storage", "double", {"double", "float"}, "numbers of the factor"),
      OptionSpec::integer("refine", 10, 0, 100,
                          "most steps of refinement, taken while the tolerance is missed")};
  info.make = [open](const Options& options,
                     const SolverRegistry&) -> std::unique_ptr<LinearSolver> {
    return std::make_unique<CudaDirect>(options, open);
  };
  return info;
}

}  // namespace nsn::cuda
