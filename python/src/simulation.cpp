// Simulations: steps that can be interrupted, contacts, joints, state.
#include "simulation.h"

#include <cstring>

#include "nsn/core/base/clock.h"
#include "nsn/core/step/named_options.h"
#include "nsn/core/step/step_method.h"
#include "nsn/models/rows/joint_rows.h"

namespace nsn::python {

SimulationOptions simulation_options(const std::string& preset, double dt,
                                     const Options::Assignments& newton) {
  SimulationOptions options;
  options.h = dt;
  options.newton = newton_preset(preset);
  set_options(options.newton, newton);
  options.newton.cancel = [] {
    Interruptible::poll();
    return false;
  };
  return options;
}

void SimulationHandle::one_step() {
  Simulation& simulation = *simulation_;
  std::string saved;
  // An interrupted step would leave behind what a control has changed.
  if (controlled_ || simulation.world().control) saved = simulation.state();
  const auto start = Clock::now();
  try {
    simulation.step();
  } catch (...) {
    simulation.set_state(saved.empty() ? simulation.state() : saved);
    throw;
  }
  seconds_ = seconds_since(start);
  joints_of_step_ = simulation.world().num_joints();
  for (const auto& run : runs_) {
    if (const auto held = run.lock()) held->add(simulation);
  }
}

void SimulationHandle::step(int steps, const Callbacks& callbacks) {
  NSN_THROW_UNLESS(steps >= 0, "n: {} steps", steps);
  const WorldHandle::Stepping stepping(*world_);
  Simulation& simulation = *simulation_;
  const nb::handle before = callbacks.before;
  const nb::handle after = callbacks.after;
  const nb::handle observer = callbacks.observer;
  controlled_ = !before.is_none();
  if (controlled_) {
    simulation.before_step([before](Simulation&) {
      const Locked locked;
      before();
    });
  }
  if (!observer.is_none()) {
    simulation.observe([observer](int island, const NewtonSystemView& view) {
      const Locked locked;
      const BlockCsr& S = *view.S;
      observer(island, view.iteration, std::string(view.form), view.symmetric, S.rows,
               as_numpy(S.row_begin), as_numpy(S.column),
               as_numpy(std::vector<double>(S.value.data(), S.value.data() + S.value.extent(0))),
               as_numpy(std::vector<double>(view.b.data(), view.b.data() + view.b.extent(0))));
    });
  }
  struct Forget {
    Simulation& of;
    bool before, observer;
    ~Forget() {
      if (before) of.before_step({});
      if (observer) of.observe({});
    }
  } const forget{simulation, controlled_, !observer.is_none()};
  // A single step that will be over at once, as the last one was, needs no handler: Python's own is in time.
  constexpr double kAtOnce = 1e-3;  // s
  std::optional<Interruptible> scope;
  if (steps > 1 || seconds_ > kAtOnce) scope.emplace();
  const Unlocked unlocked;
  constexpr double kAskEvery = 0.02;  // s: the other signals
  auto asked = Clock::now();
  for (int k = 0; k < steps; ++k) {
    one_step();
    if (!after.is_none()) {
      const Locked locked;
      after();
    }
    Interruptible::poll();
    if (scope && seconds_since(asked) > kAskEvery) {
      scope->let_handlers_run();
      asked = Clock::now();
    }
  }
}

void SimulationHandle::set_state(std::string_view bytes) {
  const WorldHandle::Stepping stepping(*world_);
  simulation_->set_state(bytes);
  joints_of_step_ = 0;
  for (const auto& run : runs_) {  // a run has one time
    if (const auto held = run.lock()) held->stop();
  }
  runs_.clear();
}

std::shared_ptr<RunHandle> SimulationHandle::record(RecordOptions options, bool trace) {
  auto run = std::make_shared<RunHandle>(world_, get(), std::move(options), trace);
  std::erase_if(runs_, [](const auto& one) { return one.expired(); });
  runs_.push_back(run);
  return run;
}

namespace {

/// One row of Simulation.contacts.
struct ContactRecord {
  std::int32_t body_a, body_b, shape_a, shape_b, deformable_a, deformable_b;
  std::uint64_t id;
  double point[3], normal[3], force[3];
  double gap, mu;
  std::int32_t state, unused;
};

nb::object contacts(SimulationHandle& s) {
  const std::vector<ContactInfo>& all = s.get().contacts();
  auto* const records = new std::vector<ContactRecord>(all.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    const ContactInfo& c = all[i];
    ContactRecord& r = (*records)[i];
    r = {c.body_a,
         c.body_b,
         c.shape_a,
         c.shape_b,
         c.deformable_a,
         c.deformable_b,
         c.id,
         {},
         {},
         {},
         c.gap,
         c.mu,
         static_cast<std::int32_t>(c.state),
         0};
    store3(r.point, c.point);
    store3(r.normal, c.normal);
    store3(r.force, c.force);
  }
  const nb::capsule owner(
      records, [](void* p) noexcept { delete static_cast<std::vector<ContactRecord>*>(p); });
  const std::size_t shape[] = {all.size() * sizeof(ContactRecord)};
  return nb::cast(nb::ndarray<nb::numpy, std::uint8_t>(records->data(), 1, shape, owner));
}

void check_joint(SimulationHandle& s, int joint) {
  check_index("joint", joint, s.world()->get().num_joints());
}
int check_stepped(SimulationHandle& s, int joint) {
  NSN_THROW_UNLESS(joint < s.joints_of_step(),
                   "joint {}: no step has been made with it, or a state was restored since", joint);
  return joint;
}
int check_axis(SimulationHandle& s, int joint, int axis) {
  check_joint(s, joint);
  check_index("axis", axis, static_cast<int>(s.world()->get().joint(joint).axes.size()));
  return axis;
}

nb::list history(SimulationHandle& s, int island) {
  check_index("island", island, s.get().report().islands);
  nb::list rows;
  for (const NewtonIteration& k : s.get().history(island)) {
    rows.append(nb::make_tuple(k.error.total, k.error.relative, k.merit, k.step, k.step_length,
                               k.alpha, k.factorizations, k.linear_iterations, k.linear_residual));
  }
  return rows;
}

void bind_report(nb::module_& m) {
  nb::class_<StepReport>(m, "StepReport", "What one step did.")
      .def_prop_ro(
          "status", [](const StepReport& r) { return std::string(to_string(r.status)); },
          "'converged', or why not; the worst of the islands")
      .def_prop_ro("converged", &StepReport::converged, "every island met its tolerance")
      .def_prop_ro(
          "promise", [](const StepReport& r) { return std::string(to_string(r.promise)); },
          "what became of what the method promises: 'reached', 'missed' or 'failed'")
      .def_ro("promise_held", &StepReport::promise_held, "the worst island keeps it")
      .def_ro("contacts", &StepReport::contacts, "of rigid and of deformable bodies")
      .def_ro("soft_contacts", &StepReport::soft_contacts, "those that touch a deformable body")
      .def_ro("contacts_of_island", &StepReport::contacts_of_island, "most of one island")
      .def_ro("islands", &StepReport::islands, "groups of bodies that were solved apart")
      .def_ro("row_blocks", &StepReport::row_blocks, "blocks of three rows")
      .def_ro("newton_iterations", &StepReport::newton_iterations, "largest of the islands")
      .def_ro("factorizations", &StepReport::factorizations, "sum over the islands")
      .def_ro("linear_iterations", &StepReport::linear_iterations, "sum over the islands")
      .def_prop_ro(
          "error", [](const StepReport& r) { return r.error.total; }, "of the worst island, m/s")
      .def_prop_ro(
          "relative_error", [](const StepReport& r) { return r.error.relative; },
          "the error over the step's speed scale")
      .def_prop_ro(
          "normal_error", [](const StepReport& r) { return r.error.normal; }, "m")
      .def_prop_ro(
          "friction_error", [](const StepReport& r) { return r.error.friction; }, "m/s")
      .def_prop_ro(
          "box_error", [](const StepReport& r) { return r.error.box; }, "m/s")
      .def_prop_ro(
          "momentum_error", [](const StepReport& r) { return r.error.momentum; }, "m/s")
      .def_ro("penetration", &StepReport::penetration, "largest at the end of the step, m")
      .def_prop_ro(
          "joint_distance", [](const StepReport& r) { return r.drift.distance; },
          "largest gap of a joint, m")
      .def_prop_ro(
          "joint_angle", [](const StepReport& r) { return r.drift.angle; },
          "largest error of a joint's angle, rad")
      .def_ro("energy", &StepReport::energy, "kinetic and potential at the end, J")
      .def_ro("work_external", &StepReport::work_external,
              "by forces, kinematic bodies and drives, J")
      .def_ro("speed", &StepReport::speed, "largest of a body's centre, m/s")
      .def_ro("restarted", &StepReport::restarted, "accurate: the rescue was used")
      .def_ro("handed_over", &StepReport::handed_over, "realtime: the accurate method finished")
      .def_ro("detail", &StepReport::detail, "a device's failure in its own words")
      .def("__repr__",
           [](const StepReport& r) {
             return fmt::format(
                 "StepReport({}, {} contacts, {} Newton iterations, relative error {:.1e})",
                 to_string(r.status), r.contacts, r.newton_iterations, r.error.relative);
           })
      .def_ro("detect_seconds", &StepReport::detect_seconds, "of finding contacts, s")
      .def_ro("assemble_seconds", &StepReport::assemble_seconds, "of forming equations, s")
      .def_ro("solve_seconds", &StepReport::solve_seconds, "of solving them, s");
}

nb::list newton_options() {
  nb::list all;
  for (const NamedOption& o : named_options()) {
    all.append(nb::make_tuple(o.spec.key, std::string(to_string(o.spec.kind)), o.spec.choices,
                              o.spec.help, o.methods));
  }
  return all;
}

nb::bytes bytes_of(const std::string& text) {
  return nb::bytes(text.data(), text.size());
}

}  // namespace

void bind_simulation(nb::module_& m) {
  bind_report(m);
  m.attr("CONTACT_SIZE") = sizeof(ContactRecord);
  m.def("newton_options", &newton_options);
  m.def("preset_names", &preset_names);
  nb::class_<SimulationHandle>(m, "Simulation")
      .def(
          "__init__",
          [](SimulationHandle* self, const SharedWorld& world, const SolverRegistry& registry,
             const std::string& preset, double dt, const Options::Assignments& newton) {
            new (self) SimulationHandle(world, simulation_options(preset, dt, newton), registry);
          },
          "world"_a, "registry"_a, "preset"_a, "dt"_a, "newton"_a)
      .def(
          "step",
          [](SimulationHandle& s, int n, nb::object before, nb::object after, nb::object observer) {
            s.step(n, {std::move(before), std::move(after), std::move(observer)});
            return s.get().report();
          },
          "n"_a, "before"_a.none(), "after"_a.none(), "observer"_a.none())
      .def_prop_ro("report", [](SimulationHandle& s) { return s.get().report(); })
      .def_prop_ro("dt", [](SimulationHandle& s) { return s.get().options().h; })
      .def_prop_ro(
          "preset",
          [](SimulationHandle& s) { return std::string(method_name(s.get().options().newton)); })
      .def("contacts", &contacts)
      .def(
          "contact_force",
          [](SimulationHandle& s, int body) {
            check_index("body", body, s.world()->get().num_bodies());
            return array(s.get().contact_force(body));
          },
          "body"_a)
      .def(
          "contact_force_by",
          [](SimulationHandle& s, int body, int by) {
            check_index("body", body, s.world()->get().num_bodies());
            check_index("other", by, s.world()->get().num_bodies());
            return array(s.get().contact_force(body, by));
          },
          "body"_a, "by"_a)
      .def(
          "deformable_force",
          [](SimulationHandle& s, int d) {
            check_index("deformable", d, static_cast<int>(s.world()->get().deformables().size()));
            return array(s.get().contact_force_on_deformable(d));
          },
          "deformable"_a)
      .def(
          "deformable_force_by",
          [](SimulationHandle& s, int d, int by) {
            check_index("deformable", d, static_cast<int>(s.world()->get().deformables().size()));
            check_index("other", by, s.world()->get().num_bodies());
            return array(s.get().contact_force_on_deformable(d, by));
          },
          "deformable"_a, "by"_a)
      .def(
          "joint_position",
          [](SimulationHandle& s, int j, int axis) {
            World& world = s.world()->get();
            return world.joints().position(j, check_axis(s, j, axis), world.bodies());
          },
          "joint"_a, "axis"_a)
      .def(
          "joint_speed",
          [](SimulationHandle& s, int j, int axis) {
            World& world = s.world()->get();
            return world.joints().speed(j, check_axis(s, j, axis), world.bodies());
          },
          "joint"_a, "axis"_a)
      .def(
          "joint_effort",
          [](SimulationHandle& s, int j, int axis) {
            check_axis(s, j, axis);
            return s.get().drive_effort(check_stepped(s, j), axis);
          },
          "joint"_a, "axis"_a)
      .def(
          "joint_reaction",
          [](SimulationHandle& s, int j) {
            check_joint(s, j);
            const JointReaction r = s.get().joint_reaction(check_stepped(s, j));
            return nb::make_tuple(array(r.force), array(r.torque));
          },
          "joint"_a)
      .def("history", &history, "island"_a)
      .def(
          "record",
          [](SimulationHandle& s, std::string title,
             std::vector<std::pair<std::string, std::string>> facts, int every, int frames,
             int contacts, bool trace) {
            return s.record({std::move(title), std::move(facts), every, frames, contacts}, trace);
          },
          "title"_a, "facts"_a, "every"_a, "frames"_a, "contacts"_a, "trace"_a)
      .def("get_state", [](SimulationHandle& s) { return bytes_of(s.state()); })
      .def(
          "set_state",
          [](SimulationHandle& s, const nb::bytes& state) {
            s.set_state({state.c_str(), state.size()});
          },
          "state"_a)
      .def("forget_impulses", [](SimulationHandle& s) { s.get().forget_impulses(); });
}

}  // namespace nsn::python
