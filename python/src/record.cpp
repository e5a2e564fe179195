// Recorded runs: pages, films and traces of simulations.
#include "record.h"

#include <limits>

#include "nsn/core/io/atomic_file.h"
#include "nsn/models/record/glb.h"
#include "nsn/models/record/run_file.h"
#include "nsn/models/record/run_page.h"

namespace nsn::python {

RunHandle::RunHandle(SharedWorld world, const Simulation& simulation, RecordOptions options,
                     bool trace)
    : world_(std::move(world)), recorder_(simulation, std::move(options)) {
  if (trace) trace_.emplace(recorder_.run().title);
}

void RunHandle::add(const Simulation& simulation) {
  if (!recording_) return;
  recorder_.add(simulation);
  if (trace_) trace_->add(simulation.report());
}

const RecordedRun& RunHandle::run() const {
  static_cast<void>(world_->get());
  return recorder_.run();
}

void RunHandle::stop() {
  static_cast<void>(world_->get());
  recording_ = false;
}

std::string RunHandle::page(const std::shared_ptr<RunHandle>& beside) const {
  std::vector<std::string> runs{run_bytes(run())};
  if (beside) runs.push_back(run_bytes(beside->run()));
  return run_page(runs);
}

std::string RunHandle::trace() const {
  static_cast<void>(world_->get());
  NSN_THROW_UNLESS(trace_, "this run has no trace: record(trace=True) keeps one");
  return trace_->text();
}

namespace {

std::vector<double> poses(const RecordedRun& run) {
  constexpr std::size_t kPose = 7;
  std::vector<double> all(run.frames.size() * run.bodies.size() * kPose,
                          std::numeric_limits<double>::quiet_NaN());
  for (std::size_t f = 0; f < run.frames.size(); ++f) {
    const std::vector<float>& pose = run.frames[f].pose;
    std::copy(pose.begin(), pose.end(),
              all.begin() + static_cast<std::ptrdiff_t>(f * run.bodies.size() * kPose));
  }
  return all;
}

nb::list measures(const RecordedRun& run) {
  nb::list rows;
  for (const RunFrame& frame : run.frames) {
    const RunMeasures& m = frame.measures;
    rows.append(nb::make_tuple(frame.time, m.relative_error, m.energy, m.newton_iterations,
                               m.contacts, m.milliseconds));
  }
  return rows;
}

nb::bytes bytes_of(const std::string& text) {
  return nb::bytes(text.data(), text.size());
}

}  // namespace

void bind_record(nb::module_& m) {
  nb::class_<RunHandle>(m, "Run")
      .def_prop_ro("frames", [](const RunHandle& r) { return r.run().frames.size(); })
      .def_prop_ro("bodies", [](const RunHandle& r) { return r.run().bodies.size(); })
      .def_prop_ro("title", [](const RunHandle& r) { return r.run().title; })
      .def_prop_ro("recording", &RunHandle::recording)
      .def("stop", &RunHandle::stop)
      .def("measures", [](const RunHandle& r) { return measures(r.run()); })
      .def("poses",
           [](const RunHandle& r) {
             const RecordedRun& run = r.run();
             return as_numpy(poses(run), {run.frames.size(), run.bodies.size(), 7});
           })
      .def("page", &RunHandle::page, "beside"_a.none())
      .def("run_file", [](const RunHandle& r) { return bytes_of(run_bytes(r.run())); })
      .def("glb", [](const RunHandle& r) { return bytes_of(glb_bytes(r.run())); })
      .def("trace", &RunHandle::trace);
  m.def(
      "write_file",
      [](const std::string& path, const nb::bytes& data) {
        write_file(path, {data.c_str(), data.size()});
      },
      "path"_a, "data"_a);
}

}  // namespace nsn::python
