/// The compiled part of the Python module `nsn`: what its sources share.
///
/// _core speaks arrays that are exactly what C++ takes; names, defaults, conversions and sentences for
/// users are in python/nsn.
#pragma once

#include <atomic>
#include <memory>
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/function.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "nsn/backends/standard_backends.h"
#include "nsn/core/base/error.h"
#include "nsn/core/linear/linear_operator.h"
#include "nsn/core/linear/linear_solver.h"
#include "nsn/core/matrix/csr_view.h"
#include "nsn/core/problems/friction_solver.h"
#include "nsn/nsn.h"

namespace nsn::python {

namespace nb = nanobind;
using namespace nb::literals;

// ---- arrays
using Doubles = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Ints = nb::ndarray<const std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Doubles2 = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Ints2 = nb::ndarray<const std::int32_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Array3 = std::array<double, 3>;
using Array4 = std::array<double, 4>;

template <class T, class A>
std::span<const T> span_of(const A& array) {
  return {array.data(), array.size()};
}
/// A view: the array must live as long.
inline Vector vector_of(const Doubles& a) {
  return Vector(const_cast<double*>(a.data()), a.size());
}
inline Vec3 vec3(const Array3& a) {
  return {a[0], a[1], a[2]};
}
inline Quaternion quaternion(const Array4& q) {
  return {q[0], q[1], q[2], q[3]};
}
inline Array3 array(const Vec3& v) {
  return {v[0], v[1], v[2]};
}
inline Array4 array(const Quaternion& q) {
  return {q.w, q.x, q.y, q.z};
}
/// A numpy array that keeps the view's memory.
nb::object as_numpy(const Vector& v);
nb::object as_numpy(const IndexVector& v);
/// A numpy array of its own.
nb::object as_numpy(std::vector<double> values, std::vector<std::size_t> shape = {});
/// data lives as long as `owner`.
nb::object live(double* data, std::vector<std::size_t> shape, std::shared_ptr<void> owner);

/// Throws IndexError "body 7: there are 3".
void check_index(const char* what, int index, int count);

// ---- Python's lock
// As nanobind's, but a daemon thread that comes back to a Python that has ended stops there: Python (before 3.14)
// ends such threads by unwinding, which no destructor survives.
class Unlocked {
 public:
  Unlocked() : state_(PyEval_SaveThread()) {}
  ~Unlocked();
  Unlocked(const Unlocked&) = delete;
  Unlocked& operator=(const Unlocked&) = delete;

 private:
  PyThreadState* state_;
};
class Locked {
 public:
  Locked();
  ~Locked() { PyGILState_Release(state_); }
  Locked(const Locked&) = delete;
  Locked& operator=(const Locked&) = delete;

 private:
  PyGILState_STATE state_;
};

// ---- Ctrl-C
/// Within its life Ctrl-C ends what runs here: poll() is asked by every thread, often, without Python.
class Interruptible {
 public:
  Interruptible();
  ~Interruptible();
  Interruptible(const Interruptible&) = delete;
  Interruptible& operator=(const Interruptible&) = delete;

  /// Ctrl-C was pressed.
  static bool pressed();
  /// Throws Interrupted then.
  static void poll();
  /// Between two pieces of work, without the GIL: lets Python's handlers run, of all signals; throws what
  /// they raise.
  void let_handlers_run();

 private:
  bool installed_ = false;
};
/// Thrown by poll(); becomes what Python's handler of the signal raises.
struct Interrupted {};

// ---- Python objects that C++ keeps
/// Emptied when Python ends, so that nothing of it is called or freed afterwards.
std::shared_ptr<nb::object> keep(nb::object object);

// ---- worlds
/// A world until a simulation takes it, then that simulation's.
class WorldHandle {
 public:
  WorldHandle() : own_(std::make_unique<World>()) {}
  explicit WorldHandle(World world) : own_(std::make_unique<World>(std::move(world))) {}

  /// Throws RuntimeError while another thread steps it.
  World& get();
  bool taken() const { return simulation_ != nullptr; }
  /// As of a simulation of it (models/step/simulation.h).
  std::string state();
  void set_state(std::string_view bytes);
  /// Moves the world into a simulation, which must be kept.
  std::shared_ptr<Simulation> give(const SimulationOptions& options,
                                   const SolverRegistry& registry);

  /// The stepping thread's, from the start to the end of a call.
  class Stepping {
   public:
    explicit Stepping(WorldHandle& of);
    ~Stepping() { of_.stepping_.store({}); }
    Stepping(const Stepping&) = delete;
    Stepping& operator=(const Stepping&) = delete;

   private:
    WorldHandle& of_;
  };
  bool stepped() const { return stepping_.load() != std::thread::id{}; }

 private:
  template <class Do>
  void with_simulation(const Do& action);

  std::unique_ptr<World> own_;
  std::shared_ptr<Simulation> simulation_;
  std::atomic<std::thread::id> stepping_{};
};
using SharedWorld = std::shared_ptr<WorldHandle>;

/// A robot and the world it is in.
struct RobotHandle {
  SharedWorld world;
  Robot robot;
};

/// What a Simulation is made with.
SimulationOptions simulation_options(const std::string& preset, double dt,
                                     const Options::Assignments& newton);

// ---- one source each
void bind_linear(nb::module_& m);
void bind_friction(nb::module_& m);
void bind_world(nb::module_& m);
void bind_robots(nb::module_& m);
void bind_record(nb::module_& m);
void bind_simulation(nb::module_& m);
void bind_batch(nb::module_& m);

}  // namespace nsn::python
