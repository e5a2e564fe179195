// What a recorder keeps of a run, and the files that are made of it.
#include "nsn/models/record/run_recorder.h"

#include <cmath>
#include <cstring>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "nsn/core/base/error.h"
#include "nsn/core/io/atomic_file.h"
#include "nsn/models/collision/box.h"
#include "nsn/models/collision/plane.h"
#include "nsn/models/collision/sphere.h"
#include "nsn/models/deformable/mesh_generators.h"
#include "nsn/models/deformable/tetrahedra.h"
#include "nsn/models/joints/joints.h"
#include "nsn/models/record/base64.h"
#include "nsn/models/record/glb.h"
#include "nsn/models/record/gzip.h"
#include "nsn/models/record/run_file.h"
#include "nsn/models/record/run_page.h"
#include "nsn/models/record/step_trace.h"
#include "nsn/models/scenes/scene.h"
#include "tests/support/temporary_folder.h"

namespace nsn {
namespace {

using Json = nlohmann::json;

/// A box of 2 kg that slides on a floor, and a ball in the air.
World sliding() {
  World world;
  world.add_shape(world.add_body({.name = "floor", .kind = BodyKind::kStatic}),
                  std::make_shared<Plane>(), {.mu = 0.5});
  const int box =
      world.add_body({.name = "box", .mass = 2.0, .position = {0, 0, 0.5}, .velocity = {1, 0, 0}});
  world.add_shape(box, std::make_shared<Box>(Vec3{1, 1, 1}), {.mu = 0.5});
  const int ball = world.add_body({.position = {3, 0, 9}, .angular_velocity = {0, 9, 0}});
  world.add_shape(ball, std::make_shared<Sphere>(0.1));
  return world;
}

/// A file of a run taken apart, as the page does it.
struct Decoded {
  Json head;
  std::string bytes;
  std::size_t base = 0;

  explicit Decoded(const std::string& packed) : bytes(gunzip(packed)) {
    std::uint32_t size = 0;
    std::memcpy(&size, bytes.data() + 8, 4);
    head = Json::parse(bytes.substr(12, size));
    base = (12 + size + 7) / 8 * 8;
  }
  template <class T>
  std::vector<T> array(const std::string& name) const {
    const Json& a = head["arrays"][name];
    std::vector<T> values(a["size"].get<std::size_t>());
    std::memcpy(values.data(), bytes.data() + base + a["offset"].get<std::size_t>(),
                sizeof(T) * values.size());
    if (!a.contains("delta")) return values;
    const auto run = a["delta"].get<std::size_t>();
    for (std::size_t k = 0; k < values.size(); ++k) {
      if (k % run != 0) values[k] = static_cast<T>(values[k] + values[k - 1]);
    }
    return values;
  }
};

RecordedRun recorded(World world, int steps, RecordOptions options = {}) {
  Simulation simulation(std::move(world));
  RunRecorder recorder(simulation, std::move(options));
  for (int k = 0; k < steps; ++k) {
    simulation.step();
    recorder.add(simulation);
  }
  return recorder.run();
}

TEST(RunRecorder, KeepsPosesForcesAndMeasures) {
  Simulation simulation(sliding());
  RunRecorder recorder(simulation, {.title = "sliding", .every = 2});
  for (int k = 0; k < 20; ++k) {
    simulation.step();
    recorder.add(simulation);
  }
  const RecordedRun& run = recorder.run();
  ASSERT_EQ(run.frames.size(), 11U);
  ASSERT_EQ(run.bodies.size(), 3U);
  EXPECT_EQ(run.bodies[1].name, "box");
  EXPECT_DOUBLE_EQ(run.bodies[1].mass, 2.0);
  const RunFrame& last = run.frames.back();
  EXPECT_NEAR(last.time, 20.0 / 120.0, 1e-12);
  const ConstBodyRef box = simulation.world().bodies()[1];
  for (int k = 0; k < 3; ++k) {
    EXPECT_FLOAT_EQ(last.pose[7 + static_cast<std::size_t>(k)],
                    static_cast<float>(box.position[k]));
  }
  EXPECT_FLOAT_EQ(last.pose[10], static_cast<float>(box.orientation.w));
  Vec3 sum{};
  for (const RunContact& c : last.contacts) {
    EXPECT_EQ(c.state, ContactState::kSlip);
    const double sign = c.a == 1 ? 1.0 : -1.0;
    for (int k = 0; k < 3; ++k) sum[k] += sign * c.force[static_cast<std::size_t>(k)];
  }
  EXPECT_NEAR(sum[2], 2.0 * 9.81, 1e-4);
  EXPECT_NEAR(std::hypot(sum[0], sum[1]), 0.5 * 2.0 * 9.81, 1e-2);
  EXPECT_EQ(last.measures.contacts, simulation.report().contacts);
  EXPECT_DOUBLE_EQ(last.measures.energy, simulation.report().energy);
}

TEST(RunRecorder, NeedsNoMoreMemoryForALongRun) {
  const RecordedRun run =
      recorded(sliding(), 200, {.every = 1, .max_frames = 16, .max_contacts = 20});
  ASSERT_LE(run.frames.size(), 16U);
  ASSERT_GE(run.frames.size(), 8U);
  std::size_t contacts = 0;
  for (std::size_t f = 0; f < run.frames.size(); ++f) {
    contacts += run.frames[f].contacts.size();
    if (f > 1) {
      EXPECT_NEAR(run.frames[f].time - run.frames[f - 1].time,
                  run.frames[f - 1].time - run.frames[f - 2].time, 1e-9);
    }
  }
  EXPECT_LE(contacts, 20U);
  EXPECT_GT(contacts, 0U);
  EXPECT_NEAR(run.frames.front().time, 0.0, 0.0);
  EXPECT_THROW(recorded(sliding(), 1, {.max_frames = 1}), std::invalid_argument);
  EXPECT_THROW(recorded(sliding(), 1, {.every = -1}), std::invalid_argument);
}

TEST(RunRecorder, KeepsManyContactsThirtyTimesPerSecond) {
  for (const int every : {1, 2}) {
    const RecordedRun run = recorded(sliding(), 120, {.every = every, .thin_contacts_from = 20});
    double last = 0.0;
    int with_contacts = 0;
    for (const RunFrame& frame : run.frames) {
      if (frame.contacts.empty()) continue;
      if (last > 0.0) {
        EXPECT_NEAR(frame.time - last, 1.0 / 30.0, 1e-9);
      }
      last = frame.time;
      ++with_contacts;
    }
    EXPECT_EQ(with_contacts, 30);
  }
  EXPECT_THROW(recorded(sliding(), 1, {.thin_contacts_from = -1}), std::invalid_argument);
}

TEST(RunRecorder, WhatComesAndGoesIsThereInItsOwnFrames) {
  Simulation simulation(sliding());
  RunRecorder recorder(simulation, {.every = 1});
  const auto step = [&] {
    simulation.step();
    recorder.add(simulation);
  };
  step();  // frames 0 and 1
  World& world = simulation.world();
  const int late = world.add_body({.name = "late", .position = {5, 5, 5}});
  world.add_shape(late, std::make_shared<Box>(Vec3{1, 2, 3}), {});
  step();  // 2
  world.remove_body(late);
  step();  // 3
  const RecordedRun& run = recorder.run();
  ASSERT_EQ(run.shapes.size(), 4U);
  EXPECT_EQ(run.shapes[3].there.first, 2);
  EXPECT_EQ(run.shapes[3].there.end, 3);
  EXPECT_EQ(run.shapes[1].there.end, -1);
  // Poses of the frames before it was there are those of the first that has it.
  const Decoded file(run_bytes(run));
  const std::vector<float> range = file.array<float>("range");
  EXPECT_FLOAT_EQ(range[18], 5.0F);
}

TEST(RunRecorder, StrainAndStressOfAStretchedBody) {
  World world;
  world.gravity = {};
  const int soft = world.add_deformable(ball_mesh(0.1, 80),
                                        {.material = {1e5, 0.3, 1000.0}, .position = {0, 0, 1}});
  const Deformable& body = world.deformable(soft);
  constexpr double kStretch = 1.02;
  for (Index n = 0; n < body.num_nodes(); ++n) {
    Vec3& x = world.particle(body.particle(n)).position;
    x[0] *= kStretch;
  }
  const RecordedRun run = recorded(std::move(world), 0);
  ASSERT_EQ(run.softs.size(), 1U);
  // Green's strain e = (s^2 - 1)/2 along x alone: its part without trace has the norm sqrt(2/3) e.
  const double e = 0.5 * (kStretch * kStretch - 1.0);
  for (const float one : run.frames[0].strain[0]) EXPECT_NEAR(one, 2.0 / 3.0 * e, 1e-6);
  // Small strains: 2 mu times the part without trace, mu = Y / (2 (1 + nu)); von Mises is sqrt(3/2) of it.
  const double mises = 2.0 * (1e5 / 2.6) * 0.02;
  for (const float one : run.frames[0].stress[0]) EXPECT_NEAR(one, mises, 0.05 * mises);
}

TEST(RunFile, HoldsTheRunToItsResolution) {
  const RecordedRun run = recorded(sliding(), 60);
  const Decoded file(run_bytes(run));
  EXPECT_EQ(file.head["frames"], run.frames.size());
  const auto range = file.array<float>("range");
  const auto position = file.array<std::uint16_t>("position");
  const auto rotation = file.array<std::int16_t>("rotation");
  const std::size_t F = run.frames.size();
  for (std::size_t b = 0; b < 3; ++b) {
    for (std::size_t f = 0; f < F; ++f) {
      double along = 0.0;
      for (std::size_t k = 0; k < 3; ++k) {
        const float step = range[6 * b + 3 + k];
        const float x = range[6 * b + k] + step * static_cast<float>(position[(3 * b + k) * F + f]);
        EXPECT_NEAR(x, run.frames[f].pose[7 * b + k], 0.51 * step + 1e-6);
      }
      for (std::size_t k = 0; k < 4; ++k) {
        along += rotation[(4 * b + k) * F + f] / 32767.0 * run.frames[f].pose[7 * b + 3 + k];
      }
      EXPECT_NEAR(std::abs(along), 1.0, 1e-4);
    }
    for (std::size_t f = 1; f < F;
         ++f) {  // no jump of signs: between frames it can be interpolated
      double along = 0.0;
      for (std::size_t k = 0; k < 4; ++k) {
        const std::size_t at = (4 * b + k) * F + f;
        along += rotation[at] / 32767.0 * rotation[at - 1] / 32767.0;
      }
      EXPECT_GT(along, 0.9);
    }
  }
  const auto start = file.array<std::uint32_t>("cstart");
  const auto scale = file.array<float>("cscale");
  const auto force = file.array<std::int16_t>("cforce");
  const std::size_t n = start.back();
  ASSERT_GT(n, 0U);
  const RunContact& c = run.frames[5].contacts.at(0);
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_NEAR(scale[5] * force[k * n + start[5]], c.force[k], scale[5]);
  }
}

TEST(RunFile, IsReadBackFromFilesAndPages) {
  const TemporaryFolder folder;
  const std::string bytes = run_bytes(recorded(sliding(), 10, {.title = "</script> & \"a\""}));
  write_file(folder / "a.run", bytes);
  EXPECT_EQ(read_run_bytes(folder / "a.run"), bytes);
  write_file(folder / "a.html", run_page({bytes, bytes}));
  EXPECT_EQ(read_run_bytes(folder / "a.html"), bytes);
  EXPECT_THROW(run_page({}), std::invalid_argument);
  EXPECT_THROW(run_page({bytes, bytes, bytes}), std::invalid_argument);
}

TEST(RunFile, RefusesWhatIsNoRun) {
  const TemporaryFolder folder;
  const std::string bytes = run_bytes(recorded(sliding(), 10));
  const auto refusal = [&](const std::string& content) -> std::string {
    write_file(folder / "x.run", content);
    try {
      read_run_bytes(folder / "x.run");
    } catch (const InputError& error) {
      return error.what();
    }
    return "not refused";
  };
  EXPECT_NE(refusal("").find("cannot be unpacked"), std::string::npos);
  EXPECT_NE(refusal("a picture").find("no recorded run"), std::string::npos);
  EXPECT_NE(refusal(bytes.substr(0, bytes.size() / 2)).find("damaged"), std::string::npos);
  std::string plain = gunzip(bytes);
  EXPECT_EQ(refusal(plain), "not refused");  // as nsn without zlib writes it
  EXPECT_NE(refusal(plain.substr(0, plain.size() - 8)).find("not whole"), std::string::npos);
  EXPECT_NE(refusal(plain.substr(0, 11)).find("no recorded run"), std::string::npos);
  plain[7] = 9;
  EXPECT_NE(refusal(gzip(plain)).find("version 9"), std::string::npos);
  EXPECT_NE(refusal("<!doctype html>\n<p>nothing").find("without a recorded run"),
            std::string::npos);
}

TEST(RunFile, Base64) {
  for (const std::string text : {"", "f", "fo", "foo", "foob", "fooba", "foobar"}) {
    EXPECT_EQ(from_base64(to_base64(text)), text);
  }
  EXPECT_EQ(to_base64("fooba"), "Zm9vYmE=");
  EXPECT_EQ(to_base64(std::string("\xff\xfe\x00", 3)), "//4A");
}

/// Every accessor of the file lies in its buffer and has the bounds that its data have.
void check_glb(const std::string& bytes, Json& json) {
  const auto number = [&](std::size_t at) {
    std::uint32_t value = 0;
    std::memcpy(&value, bytes.data() + at, 4);
    return value;
  };
  ASSERT_EQ(bytes.substr(0, 4), "glTF");
  ASSERT_EQ(number(4), 2U);
  ASSERT_EQ(number(8), bytes.size());
  const std::size_t text = number(12);
  ASSERT_EQ(bytes.substr(16, 4), "JSON");
  json = Json::parse(bytes.substr(20, text));
  const std::size_t base = 28 + text;
  ASSERT_EQ(number(20 + text), bytes.size() - base);
  ASSERT_EQ(json["buffers"][0]["byteLength"], bytes.size() - base);
  const std::map<std::string, std::size_t> width{{"SCALAR", 1}, {"VEC3", 3}, {"VEC4", 4}};
  const std::map<int, std::size_t> size{{5122, 2}, {5125, 4}, {5126, 4}};
  for (const Json& a : json["accessors"]) {
    const Json& view = json["bufferViews"][a["bufferView"].get<std::size_t>()];
    const std::size_t n = a["count"].get<std::size_t>() * width.at(a["type"].get<std::string>());
    EXPECT_EQ(view["byteLength"], n * size.at(a["componentType"].get<int>()));
    EXPECT_EQ(view["byteOffset"].get<std::size_t>() % 4, 0U);
    EXPECT_LE(view["byteOffset"].get<std::size_t>() + view["byteLength"].get<std::size_t>(),
              bytes.size() - base);
  }
  for (const Json& channel : json["animations"][0]["channels"]) {
    const Json& sampler = json["animations"][0]["samplers"][channel["sampler"].get<std::size_t>()];
    const Json& input = json["accessors"][sampler["input"].get<std::size_t>()];
    const Json& output = json["accessors"][sampler["output"].get<std::size_t>()];
    EXPECT_TRUE(input.contains("min") && input.contains("max"));
    EXPECT_EQ(output["count"].get<std::size_t>() % input["count"].get<std::size_t>(), 0U);
    EXPECT_LT(channel["target"]["node"].get<std::size_t>(), json["nodes"].size());
  }
}

TEST(Glb, RigidBodies) {
  const RecordedRun run = recorded(sliding(), 60);
  Json json;
  check_glb(glb_bytes(run), json);
  std::vector<std::string> names;
  for (const Json& node : json["nodes"]) names.push_back(node.value("name", ""));
  for (const char* const name : {"floor", "box", "body 2", "z up", "camera"}) {
    EXPECT_NE(std::find(names.begin(), names.end(), name), names.end()) << name;
  }
  // The box moves, the ball moves and turns, the floor does neither.
  EXPECT_EQ(json["animations"][0]["channels"].size(), 3U);
}

TEST(Glb, SoftBodiesAsMorphTargets) {
  World world;
  world.add_deformable(ball_mesh(0.1, 80), {.position = {0, 0, 1}});
  const RecordedRun run = recorded(std::move(world), 60);
  Json json;
  check_glb(glb_bytes(run), json);
  const Json& primitive = json["meshes"][0]["primitives"][0];
  EXPECT_EQ(primitive["targets"].size(), 5U);  // half a second, ten a second, the first is the mesh
  EXPECT_EQ(json["meshes"][0]["weights"].size(), 5U);
}

TEST(StepTrace, StagesLieWithinTheirStep) {
  Simulation simulation(sliding());
  StepTrace trace("a \"name\"");
  for (int k = 0; k < 5; ++k) {
    simulation.step();
    trace.add(simulation.report());
  }
  const Json json = Json::parse(trace.text());
  int steps = 0;
  double begin = 0.0;
  double end = 0.0;
  for (const Json& event : json["traceEvents"]) {
    if (event["ph"] != "X") continue;
    const double from = event["ts"];
    const double to = from + event["dur"].get<double>();
    if (event["name"].get<std::string>().starts_with("step")) {
      ++steps;
      EXPECT_GE(from, end - 0.002);
      begin = from;
      end = to;
      EXPECT_EQ(event["args"]["contacts"].is_number(), true);
    } else {
      EXPECT_GE(from, begin - 0.002);
      EXPECT_LE(to, end + 0.004);  // times are written to the nanosecond
    }
  }
  EXPECT_EQ(steps, 5);
}

}  // namespace
}  // namespace nsn
