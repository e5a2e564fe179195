#include <csignal>
#include <cstdlib>
#include <unistd.h>

#include "core.h"
#include "nsn/core/base/parallel.h"

namespace nsn::python {
namespace {

std::atomic<bool> ctrl_c{false};
struct sigaction python_handler {};

/// Notes the signal and lets Python note it as well.
void note(int signal) {
  ctrl_c.store(true, std::memory_order_relaxed);
  python_handler.sa_handler(signal);
}

std::thread::id& main_thread() {
  static std::thread::id id;
  return id;
}

std::vector<std::weak_ptr<nb::object>>& kept() {
  static std::vector<std::weak_ptr<nb::object>> all;
  return all;
}

void drop_python() {
  for (const auto& one : kept()) {
    if (const auto object = one.lock()) *object = nb::none();
  }
  kept().clear();
}

nb::object owned(double* data, std::vector<std::size_t> shape, nb::capsule owner) {
  return nb::cast(nb::ndarray<nb::numpy, double>(data, shape.size(), shape.data(), owner));
}

}  // namespace

nb::object as_numpy(const Vector& v) {
  auto* const held = new Vector(v);
  const nb::capsule owner(held, [](void* p) noexcept { delete static_cast<Vector*>(p); });
  return owned(held->data(), {held->extent(0)}, owner);
}

nb::object as_numpy(const IndexVector& v) {
  auto* const held = new IndexVector(v);
  const nb::capsule owner(held, [](void* p) noexcept { delete static_cast<IndexVector*>(p); });
  const std::size_t shape[] = {held->extent(0)};
  return nb::cast(nb::ndarray<nb::numpy, Index>(held->data(), 1, shape, owner));
}

nb::object as_numpy(std::vector<double> values, std::vector<std::size_t> shape) {
  if (shape.empty()) shape = {values.size()};
  auto* const held = new std::vector<double>(std::move(values));
  const nb::capsule owner(held,
                          [](void* p) noexcept { delete static_cast<std::vector<double>*>(p); });
  return owned(held->data(), std::move(shape), owner);
}

nb::object live(double* data, std::vector<std::size_t> shape, std::shared_ptr<void> owner) {
  auto* const held = new std::shared_ptr<void>(std::move(owner));
  const nb::capsule capsule(
      held, [](void* p) noexcept { delete static_cast<std::shared_ptr<void>*>(p); });
  return owned(data, std::move(shape), capsule);
}

void check_index(const char* what, int index, int count) {
  if (index >= 0 && index < count) return;
  throw nb::index_error(fmt::format("{} {}: there are {}", what, index, count).c_str());
}

std::shared_ptr<nb::object> keep(nb::object object) {
  std::shared_ptr<nb::object> one(new nb::object(std::move(object)), [](nb::object* o) {
    const Locked locked;
    delete o;
  });
  kept().push_back(one);
  return one;
}

namespace {

[[noreturn]] void stay() {
  for (;;) pause();
}

}  // namespace

Unlocked::~Unlocked() {
  try {
    PyEval_RestoreThread(state_);
  } catch (...) {
    stay();
  }
}

Locked::Locked() {
  try {
    state_ = PyGILState_Ensure();
  } catch (...) {
    stay();
  }
}

// Python's own handler only sets a flag that its main thread looks at between bytecodes. Ours is in its place
// while C++ works in the main thread, so that every thread can see the signal without asking Python.
Interruptible::Interruptible() {
  if (std::this_thread::get_id() != main_thread()) return;
  struct sigaction now {};
  sigaction(SIGINT, nullptr, &now);
  const bool plain = (now.sa_flags & SA_SIGINFO) == 0;
  if (!plain || now.sa_handler == SIG_IGN || now.sa_handler == SIG_DFL || now.sa_handler == note)
    return;
  ctrl_c.store(false, std::memory_order_relaxed);
  python_handler = now;
  now.sa_handler = note;
  installed_ = sigaction(SIGINT, &now, nullptr) == 0;
}

Interruptible::~Interruptible() {
  if (!installed_) return;
  sigaction(SIGINT, &python_handler, nullptr);
  ctrl_c.store(false, std::memory_order_relaxed);  // Python has noted it as well
}

bool Interruptible::pressed() {
  return ctrl_c.load(std::memory_order_relaxed);
}

void Interruptible::poll() {
  if (pressed()) throw Interrupted{};
}

void Interruptible::let_handlers_run() {
  if (std::this_thread::get_id() != main_thread()) return;
  const Locked locked;
  if (PyErr_CheckSignals() != 0) throw nb::python_error();
  ctrl_c.store(false, std::memory_order_relaxed);
}

namespace {

void translate(const std::exception_ptr& thrown, void* /*payload*/) {
  try {
    std::rethrow_exception(thrown);
  } catch (const Interrupted&) {
    // The handler that a user set may raise something else, or nothing.
    if (PyErr_CheckSignals() == 0 && !PyErr_Occurred()) PyErr_SetNone(PyExc_KeyboardInterrupt);
    ctrl_c.store(false, std::memory_order_relaxed);
  }
}

}  // namespace

void bind_module(nb::module_& m) {
  m.doc() = "Compiled part of nsn. Programs use the module nsn.";
  main_thread() = std::this_thread::get_id();
  // A process of our children waits for threads that it does not have: see after_fork_in_child.
  ensure_runtime();
  // A daemon thread that never comes back keeps what it works on: no fault of the caller's. Tests ask for the report.
  nb::set_leak_warnings(std::getenv("NSN_LEAK_WARNINGS") != nullptr);
  nb::register_exception_translator(translate);
  nb::exception<InputError>(m, "InputError", PyExc_OSError);
  m.attr("VERSION") = NSN_VERSION;
  m.def("drop_python", &drop_python);
  m.def("after_fork_in_child", &detail::release_dispatching_thread);
  m.def("num_threads", &concurrency,
        "Threads that a large computation uses if it is started from this thread.");
  bind_linear(m);
  bind_friction(m);
  bind_world(m);
  bind_robots(m);
  bind_record(m);
  bind_simulation(m);
  bind_batch(m);
}

}  // namespace nsn::python

NB_MODULE(_core, m) {
  nsn::python::bind_module(m);
}
