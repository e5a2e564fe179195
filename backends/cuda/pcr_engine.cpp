#include "nsn/backends/cuda/pcr_engine.h"

#include <algorithm>
#include <cmath>

namespace nsn::cuda {
namespace {

constexpr int kBlocksPerMultiprocessor = 8;
constexpr int kMaxHistory = 1 << 20;  // iterations a monitor can be told of

constexpr double kLeastSquares = 1e-8;  // loosest |S z| / (|S| |r|) taken for least squares
constexpr double kFloatDigits = 1e-3;   // half of float's digits
constexpr double kFloatCycle = 1e-3;    // reduction per cycle of a float iteration
constexpr int kFloatRestarts = 60;

PcrLimits make_limits(const PcrEngine::Request& request, bool float_storage, bool unit_P) {
  PcrLimits limits;
  limits.least_squares = std::min(request.rtol, kLeastSquares);
  limits.max_iterations = request.max_iterations;
  limits.unit_P = unit_P ? 1 : 0;
  if (float_storage) {
    limits.half_digits = kFloatDigits;
    limits.cycle_reduction = kFloatCycle;
    limits.max_restarts = kFloatRestarts;
  }
  return limits;
}

}  // namespace

int PcrEngine::lanes_for(const Device& device, double entries_per_row) {
  const int most = std::min(device.properties().warp_size, device.properties().threads);
  int lanes = 1;
  while (lanes < most && 3.0 * lanes < entries_per_row) lanes *= 2;
  return lanes;
}

Shape PcrEngine::row_shape(const Device& device, int block_rows, int lanes) {
  const DeviceProperties& p = device.properties();
  const long wanted =
      (static_cast<long>(block_rows) * lanes + p.threads - 1) / std::max(1, p.threads);
  const long most = static_cast<long>(kBlocksPerMultiprocessor) * p.multiprocessors;
  Shape shape;
  shape.threads = p.threads;
  shape.blocks = static_cast<int>(std::clamp(wanted, 1L, most));
  shape.shared_doubles = 4 * p.threads / std::min(p.threads, p.warp_size);
  return shape;
}

PcrEngine::PcrEngine(Device& device, const LinearOperator& op, const PcrEngineOptions& options,
                     const Islands& islands)
    : device_(device),
      options_(options),
      matrix_(device, op, options.form, options.float_storage),
      islands_(islands.count()),
      lanes_(lanes_for(device, matrix_.entries_per_row())),
      rows_shape_(row_shape(device, matrix_.block_rows(), lanes_)) {
  const std::size_t n = 3 * static_cast<std::size_t>(matrix_.block_rows());
  for (Buffer<double>* v : {&b_, &x_, &r_, &z_, &w_, &p_, &q_, &best_}) {
    *v = Buffer<double>(device, n);
  }
  for (Buffer<double>* v : {&b_, &x_, &w_}) v->zero();  // the padding stays zero
  const int numbers = DeviceMatrix::numbers(options.scaling);
  P_ = Buffer<double>(device, n / 3 * static_cast<std::size_t>(numbers));
  vectors_ = {b_.array(), x_.array(), r_.array(),    z_.array(), w_.array(),
              p_.array(), q_.array(), best_.array(), P_.array(), numbers};
  outcome_ = Buffer<PcrOutcome>(device, static_cast<std::size_t>(targets()));
  switch (options.loop) {
    case Loop::kBlock:
      island_rows_ = to_device(device, islands.rows);
      island_row_begin_ = to_device(device, islands.row_begin);
      if (options.form == MatrixForm::kFactored) {
        island_nodes_ = to_device(device, islands.nodes);
        island_node_begin_ = to_device(device, islands.node_begin);
      }
      target_ = Buffer<double>(device, static_cast<std::size_t>(islands_));
      break;
    case Loop::kGrid:
      break;
    case Loop::kGraph:
      control_ = Buffer<PcrControl>(device, 1);
      partial_ = Buffer<double>(device, 4 * static_cast<std::size_t>(rows_shape_.blocks));
      if (library_product()) product_ = device.libraries().csr_product(matrix_.csr_pointers());
      break;
  }
}

// cuSPARSE has no product of a float matrix with double vectors.
bool PcrEngine::library_product() const {
  return options_.form == MatrixForm::kCsr && !options_.float_storage;
}

void PcrEngine::factorize(const LinearOperator& op) {
  matrix_.upload_values(op);
  matrix_.compute_scaling(options_.scaling, P_, rows_shape_);
}

double PcrEngine::bytes_per_iteration() const {
  const double n = 3.0 * matrix_.block_rows();
  // product: z, P, w; update: r, w, p, q, x, P read and r, z, p, q, x written. Products by a
  // library leave the sums to a pass of their own that reads z, w and P.
  const double P = P_.bytes();
  const double sums = library_product() && options_.loop == Loop::kGraph ? 16.0 * n : 0.0;
  return matrix_.bytes_per_product() + (16.0 + 80.0) * n + 2.0 * P + sums;
}

double PcrEngine::bytes_per_residual() const {
  return matrix_.bytes_per_product() * (options_.float_storage ? 2.0 : 1.0) +
         32.0 * 3.0 * matrix_.block_rows() + P_.bytes();
}

double PcrEngine::bytes_held() const {
  double bytes = matrix_.bytes_held() + 8.0 * b_.bytes() + P_.bytes() + target_.bytes() +
                 partial_.bytes() + history_.bytes() + outcome_.bytes() + control_.bytes();
  for (const Buffer<int>* list :
       {&island_rows_, &island_row_begin_, &island_nodes_, &island_node_begin_}) {
    bytes += list->bytes();
  }
  return bytes;
}

void PcrEngine::prepare_history(bool wanted, int max_iterations) {
  const auto size =
      wanted ? 2 * (static_cast<std::size_t>(std::min(max_iterations, kMaxHistory)) + 1) : 0;
  if (history_.size() == size) return;
  history_ = Buffer<double>(device_, size);
  graph_.reset();  // it holds the old address
}

std::vector<double> PcrEngine::history(int iterations) const {
  const std::size_t count =
      std::min(history_.size(), 2 * (static_cast<std::size_t>(iterations) + 1));
  std::vector<double> values(count);
  history_.download(values.data(), count);
  return values;
}

IslandLists PcrEngine::island_lists() const {
  return {islands_, island_rows_.constant(), island_row_begin_.constant(), island_nodes_.constant(),
          island_node_begin_.constant()};
}

std::vector<PcrOutcome> PcrEngine::solve(const double* b, double* x,
                                         const std::vector<double>& target,
                                         const Request& request) {
  const auto n = static_cast<std::size_t>(matrix_.scalar_rows());
  prepare_history(request.history, request.max_iterations);
  b_.upload(b, n);
  x_.upload(x, n);
  const PcrLimits limits =
      make_limits(request, options_.float_storage, options_.scaling == Scaling::kNone);
  const auto by_form = [&](auto form) {
    return options_.float_storage ? solve_form(form(float{}), form(double{}), target, limits)
                                  : solve_form(form(double{}), form(double{}), target, limits);
  };
  std::vector<PcrOutcome> outcomes;
  switch (options_.form) {
    case MatrixForm::kBlocks:
      outcomes = by_form([&](auto t) { return matrix_.block_form<decltype(t)>(); });
      break;
    case MatrixForm::kCsr:
      outcomes = by_form([&](auto t) { return matrix_.csr_form<decltype(t)>(); });
      break;
    case MatrixForm::kFactored:
      outcomes = by_form([&](auto t) { return matrix_.factored_form<decltype(t)>(); });
      break;
  }
  x_.download(x, n);
  return outcomes;
}

template <class Form, class TrueForm>
std::vector<PcrOutcome> PcrEngine::solve_form(const Form& S, const TrueForm& S_true,
                                              const std::vector<double>& target,
                                              const PcrLimits& limits) {
  std::vector<PcrOutcome> outcomes(target.size());
  PcrLimits own = limits;
  own.target = target.front();
  if (options_.loop == Loop::kGraph) {
    outcomes.front() = solve_by_graph(S, S_true, own);
    return outcomes;
  }
  Shape shape = rows_shape_;
  if (options_.loop == Loop::kBlock) {
    target_.upload(target.data());
    shape.blocks =
        std::min(islands_, kBlocksPerMultiprocessor * device_.properties().multiprocessors);
    device_.launch(
        PcrIslands<Form, TrueForm>{S, S_true, vectors_, island_lists(), target_.constant(), limits,
                                   history_.array(), outcome_.array(), lanes_},
        shape);
  } else {
    shape.cooperative = true;
    PcrGrid<Form, TrueForm> kernel{S,     S_true,           vectors_,         matrix_.block_rows(),
                                   own,   partial_.array(), history_.array(), outcome_.array(),
                                   lanes_};
    shape.blocks = std::min(shape.blocks, device_.cooperative_blocks(kernel, shape));
    const std::size_t partials = 4 * static_cast<std::size_t>(shape.blocks);
    if (partial_.size() != partials) partial_ = Buffer<double>(device_, partials);
    kernel.partial = partial_.array();
    device_.launch(kernel, shape);
  }
  outcome_.download(outcomes.data(), outcomes.size());
  return outcomes;
}

// One iteration as kernels of their own.
template <class Form>
void PcrEngine::record_iteration(const Form& S) {
  Shape one = rows_shape_;
  one.blocks = 1;
  const int rows = matrix_.block_rows();
  if (library_product()) {
    device_.call_library([this] { product_->multiply(z_.data(), w_.data()); });
    device_.launch(Dots{vectors_, rows, control_.array(), partial_.array()}, rows_shape_);
  } else {
    if constexpr (Form::kFactored) {
      device_.launch(NodePass<Form>{S, vectors_, control_.array(), false, lanes_}, rows_shape_);
    }
    device_.launch(Product<Form>{S, vectors_, rows, control_.array(), partial_.array(), lanes_},
                   rows_shape_);
  }
  device_.launch(Decide{control_.array(), partial_.array(), history_.array()}, one);
  device_.launch(Update{vectors_, rows, control_.array(), partial_.array()}, rows_shape_);
}

template <class Form>
void PcrEngine::recompute(const Form& S_true) {
  if constexpr (Form::kFactored) {
    device_.launch(NodePass<Form>{S_true, vectors_, control_.array(), true, lanes_}, rows_shape_);
  }
  device_.launch(Recompute<Form>{S_true, vectors_, matrix_.block_rows(), control_.array(),
                                 partial_.array(), lanes_},
                 rows_shape_);
  device_.launch(Resume{control_.array()}, {});
}

template <class Form, class TrueForm>
PcrOutcome PcrEngine::solve_by_graph(const Form& S, const TrueForm& S_true,
                                     const PcrLimits& limits) {
  PcrControl control;
  control.limits = limits;
  control_.upload(&control);
  partial_.zero();
  recompute(S_true);
  if (!graph_) {
    graph_ = device_.record([&] {
      for (int k = 0; k < options_.poll; ++k) record_iteration(S);
    });
  }
  for (;;) {
    device_.replay(*graph_);
    control_.download(&control, 1);
    if (control.state.action == PcrAction::kStop) break;
    if (control.state.action == PcrAction::kRecompute) recompute(S_true);
  }
  return {static_cast<int>(control.state.end), control.state.iteration, control.state.rr};
}

}  // namespace nsn::cuda
