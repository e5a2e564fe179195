/// Rows, Jacobian and geometric stiffness of a step for a device: one call a stage, none a row.
#pragma once

#include <string_view>

#include "nsn/core/device/mirror.h"
#include "nsn/core/step/paper/paper_bodies.h"
#include "nsn/core/step/system.h"

namespace nsn {

template <class D, class Real>
class DeviceEquations {
 public:
  virtual ~DeviceEquations() = default;
  /// "device", "host" or "host (mirrored)".
  virtual std::string_view runs_on() const = 0;
  /// A step starts: the equations are new.
  virtual void start(Queue<D>& queue, StepEquations& equations) = 0;
  /// As StepEquations::evaluate(); E where the compliance varies.
  virtual void evaluate(Queue<D>& queue, Span<D, const Real> u, Span<D, Real> value,
                        Span<D, Real> J, Span<D, Real> E) = 0;
  /// As StepEquations::stiffness(), at s.u, where the rows were evaluated last.
  virtual void stiffness(Queue<D>& queue, const paper::StepBodies<D, Real>& s) = 0;
};

/// Any equations: where the host does not read the device's memory u goes down, value, J and E go up
/// at every evaluation, counted.
template <class D, class Real>
class RowsFromHost final : public DeviceEquations<D, Real> {
 public:
  std::string_view runs_on() const override {
    return kIsHostArray<D, Real> ? "host" : "host (mirrored)";
  }
  void start(Queue<D>&, StepEquations& equations) override { equations_ = &equations; }
  void evaluate(Queue<D>& queue, Span<D, const Real> u, Span<D, Real> value, Span<D, Real> J,
                Span<D, Real> E) override {
    const System& system = equations_->system();
    BlockCsr rows{system.blocks(), system.nodes(), system.row_begin, system.column, J_.room(J)};
    Vector E_host = E_.room(E);
    if constexpr (!kIsHostArray<D, Real>) {
      std::copy_n(system.E.data(), system.E.extent(0), E_host.data());
    }
    equations_->evaluate(u_.read(queue, u), value_.room(value), rows, E_host);
    value_.write(queue, value);
    J_.write(queue, J);
    if (system.compliance_varies) E_.write(queue, E);
  }
  void stiffness(Queue<D>& queue, const paper::StepBodies<D, Real>& s) override {
    equations_->stiffness(u_.read(queue, s.u), r_.read(queue, s.r), H_.room(s.mass.H));
    H_.write(queue, s.mass.H);
  }

 private:
  StepEquations* equations_ = nullptr;
  HostCopy<D, Real> u_, r_, value_, J_, E_, H_;
};

}  // namespace nsn
