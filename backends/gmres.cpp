#include "nsn/backends/gmres.h"

#include "nsn/backends/krylov_backend.h"
#include "nsn/core/linear/gmres.h"

namespace nsn {
namespace {

Capabilities capabilities_of_gmres() {
  Capabilities can;
  can.handles_singular = true;
  can.handles_indefinite = true;
  can.handles_unsymmetric = true;
  return can;
}

class GmresBackend final : public KrylovBackend {
 public:
  GmresBackend(const Options& options, const SolverRegistry& registry)
      : KrylovBackend(capabilities_of_gmres(), options, registry, false),
        directions_(static_cast<int>(options.integer("directions"))) {}

  std::string_view name() const override { return "gmres"; }

 private:
  void allocate(Index n, bool) override { gmres_.allocate(n, directions_); }
  void iterate(const LinearOperator& A, const Preconditioner& P, ConstVector b, Vector x,
               const LinearControl& control, const Monitor& monitor,
               LinearReport& report) override {
    // Lambdas of one pointer: a std::function holds them without allocating.
    const LinearMap multiply = [&A](ConstVector v, Vector y) { A.apply(v, y); };
    const LinearMap precondition = [&P](ConstVector v, Vector y) { P.apply(v, y); };
    gmres_.solve(multiply, precondition, GmresSide::kRight, b, x, control, monitor, report);
    report.bytes_moved = static_cast<double>(gmres_.products()) * A.bytes_per_apply() +
                         static_cast<double>(gmres_.preconditions()) * P.bytes_per_apply() +
                         gmres_.vector_bytes();
  }
  double workspace_bytes() const override { return gmres_.bytes_held(); }

  int directions_;
  Gmres gmres_;
};

}  // namespace

SolverInfo gmres_backend() {
  SolverInfo info;
  info.name = "gmres";
  info.summary = "GMRES: unsymmetric and indefinite systems";
  info.capabilities = capabilities_of_gmres();
  info.options = krylov_options(0.0);
  info.options.push_back(OptionSpec::integer(
      "directions", 200, 1, 1e6, "directions kept; the iteration restarts when they are used up"));
  info.make = make_solver<GmresBackend>;
  return info;
}

}  // namespace nsn
