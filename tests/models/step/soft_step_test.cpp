// Deformable bodies in the Newton driver: geometric stiffness, elimination, energy, contact.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "bench/study/frozen_step.h"
#include "nsn/backends/standard_backends.h"
#include "nsn/models/deformable/mesh_generators.h"
#include "nsn/models/deformable/springs.h"
#include "nsn/models/rows/attachment_rows.h"
#include "nsn/models/rows/compliance_rows.h"
#include "nsn/models/scenes/scene.h"
#include "nsn/models/step/simulation.h"

namespace nsn {
namespace {

using Assignments = Options::Assignments;

Simulation simulate(World world, const NewtonOptions& newton, double h = 1.0 / 120.0) {
  SimulationOptions options;
  options.h = h;
  options.newton = newton;
  return Simulation(std::move(world), options, standard_backends());
}

Simulation simulate(const std::string& scene, const Assignments& parameters,
                    const NewtonOptions& newton = newton_preset("accurate"),
                    double h = 1.0 / 120.0) {
  return simulate(make_scene(scene, parameters), newton, h);
}

Particle particle(double mass, const Vec3& position, BodyKind kind = BodyKind::kDynamic) {
  Particle p;
  p.kind = kind;
  p.mass = mass;
  p.position = position;
  return p;
}

double largest_difference(const World& a, const World& b) {
  double largest = 0.0;
  for (int p = 0; p < a.num_particles(); ++p) {
    largest = std::max(largest, norm(a.particle(p).position - b.particle(p).position));
  }
  for (int k = 0; k < a.num_bodies(); ++k) {
    largest = std::max(largest, norm(a.body(k).position - b.body(k).position));
  }
  return largest;
}

TEST(MaterialExtension, VolumeAtThreefoldUniaxialStretch) {
  // Ends that may shrink sideways: after the motion stops, the state is uniform and uniaxial.
  const std::vector<std::pair<std::string, double>> expected = {
      {"corotational", 0.03}, {"neo-hookean", 1.067}, {"neo-hookean-log", 1.061}};
  for (const auto& [material, ratio] : expected) {
    Simulation simulation = simulate("material-extension", {{"material", material}});
    for (int k = 0; k < 360; ++k) EXPECT_TRUE(simulation.step().converged()) << material << k;
    // Three digits are printed of the closed forms; what is left of the motion is smaller.
    EXPECT_NEAR(volume_ratio(simulation.world(), simulation.world().deformable(0)), ratio, 1.5e-3)
        << material;
  }
}

// Those of this build, symmetric ones first; contact-lu is always there.
std::vector<std::string> direct_solvers() {
  std::vector<std::string> chain;
  for (const char* name : {"cholmod", "eigen-ldlt", "contact-lu"}) {
    if (standard_backends().info(name).available()) chain.emplace_back(name);
  }
  return chain;
}

// Newton errors (m/s) of one step at stretch 2.5 of a clamped bar. Warm: velocities and impulses of
// the step before, which was solved in the same way.
std::vector<double> errors_at_large_strain(NewtonOptions newton) {
  const Assignments bar{{"material", "neo-hookean"}, {"grip", "clamped"}, {"stretch", "3"}};
  Simulation before = simulate("material-extension", bar);
  for (int k = 0; k < 90; ++k) EXPECT_TRUE(before.step().converged());  // to 2.5
  newton.linear = direct_solvers();
  newton.max_iterations = 30;
  newton.tolerance = 1e-12;
  SimulationOptions options;
  options.newton = newton;
  World world = make_scene("material-extension", bar);
  world.particles() = before.world().particles();
  world.bodies() = before.world().bodies();
  world.time = before.world().time;
  Simulation simulation(std::move(world), options, standard_backends());
  simulation.step();  // without impulses of a step before
  simulation.step();
  std::vector<double> errors;
  for (const NewtonIteration& entry : simulation.history(0)) errors.push_back(entry.error.total);
  return errors;
}

/// The paper's method with symmetric friction and this stiffness; a sparse one needs the stiffness
/// form.
NewtonOptions paper_with(GeometricStiffness stiffness) {
  NewtonOptions newton = study::converging_paper(FrictionKind::kAlartCurnierSymmetric);
  newton.paper().stiffness = stiffness;
  if (stiffness == GeometricStiffness::kFull) newton.paper().formulation = Formulation::kStiffness;
  return newton;
}

int iterations_to(const std::vector<double>& errors, double goal) {
  const auto found =
      std::find_if(errors.begin(), errors.end(), [&](double e) { return e <= goal; });
  return static_cast<int>(found - errors.begin()) + 1;
}

TEST(MaterialExtension, WithoutGeometricStiffnessNewtonDoesNotConverge) {
  const std::vector<double> errors = errors_at_large_strain(paper_with(GeometricStiffness::kNone));
  const double least = *std::min_element(errors.begin(), errors.end());
  EXPECT_GT(least, 1e-3);
  EXPECT_GT(errors.back(), 1.0) << ::testing::PrintToString(errors);
}

TEST(MaterialExtension, DiagonalGeometricStiffnessStaysBounded) {
  const std::vector<double> errors =
      errors_at_large_strain(paper_with(GeometricStiffness::kDiagonal));
  EXPECT_LT(*std::max_element(errors.begin(), errors.end()), 1e3)
      << ::testing::PrintToString(errors);
}

TEST(MaterialExtension, ExactGeometricStiffnessConverges) {
  const std::vector<double> reduced = errors_at_large_strain(newton_preset("accurate"));
  const std::vector<double> primal = errors_at_large_strain(paper_with(GeometricStiffness::kFull));
  for (const std::vector<double>& errors : {reduced, primal}) {
    EXPECT_LE(iterations_to(errors, 1e-6), 12) << ::testing::PrintToString(errors);
    EXPECT_LE(iterations_to(errors, 1e-8), 20) << ::testing::PrintToString(errors);
  }
}

TEST(MaterialExtension, NodeBlocksOfTheExactStiffnessConvergeLinearly) {
  // Without the coupling of nodes smooth motions look stiffer than they are: a factor of 0.72 an
  // iteration here, 18 of them (warm) to 1e-6 m/s.
  const std::vector<double> errors = errors_at_large_strain(paper_with(GeometricStiffness::kExact));
  EXPECT_LE(iterations_to(errors, 1e-6), 18) << ::testing::PrintToString(errors);
  EXPECT_LT(errors.back(), 2e-8);
}

TEST(Elimination, GivesTheStateOfTheFullRows) {
  for (const char* material : {"neo-hookean", "corotational"}) {
    NewtonOptions never = newton_preset("accurate");
    never.accurate().elimination = Elimination::kNever;
    never.accurate().stiffness = GeometricStiffness::kExact;
    NewtonOptions always = newton_preset("accurate");
    always.accurate().elimination = Elimination::kAlways;
    const Assignments ball{{"tets", "80"}, {"height", "0.002"}, {"material", material}};
    Simulation rows = simulate("soft-ball-drop", ball, never);
    Simulation reduced = simulate("soft-ball-drop", ball, always);
    for (int k = 0; k < 12; ++k) {
      EXPECT_TRUE(rows.step().converged()) << k << " " << rows.report().error.total;
      EXPECT_TRUE(reduced.step().converged()) << k;
    }
    EXPECT_GT(rows.report().contacts, 0);
    // Both solve the same equations to a relative 1e-9 of speeds below 1 m/s, twelve times.
    EXPECT_LT(largest_difference(rows.world(), reduced.world()), 1e-9) << material;
  }
}

TEST(StiffnessForm, GivesTheStateOfTheComplianceForm) {
  NewtonOptions compliance = paper_with(GeometricStiffness::kExact);
  compliance.linear = direct_solvers();
  compliance.max_iterations = 3000;
  compliance.paper().regularization = 0.0;
  NewtonOptions stiffness = compliance;
  stiffness.paper().formulation = Formulation::kStiffness;
  const Assignments bar{{"cells", "8"}, {"cells-high", "1"}, {"load", "0.5"}};
  Simulation a = simulate("cantilever", bar, compliance);
  Simulation b = simulate("cantilever", bar, stiffness);
  Simulation c = simulate("cantilever", bar);
  for (int k = 0; k < 20; ++k) {
    a.step();
    b.step();
    c.step();
  }
  EXPECT_LT(largest_difference(a.world(), c.world()), 1e-8);
  EXPECT_LT(largest_difference(b.world(), c.world()), 1e-8);
}

TEST(VibratingBar, EnergyNeverGrows) {
  for (const char* material : {"neo-hookean", "corotational"}) {
    World world;
    world.gravity = {};
    DeformableOptions body;
    body.model = material_from_name(material);
    body.material = {1e5, 0.4, 1000.0};
    const int d = world.add_deformable(bar_mesh({0.2, 0.05, 0.05}, {8, 2, 2}), body);
    const Deformable& bar = world.deformable(d);
    for (int n = 0; n < bar.num_nodes(); ++n) {
      const ParticleRef p = world.particle(bar.particle(n));
      p.velocity = {2.0 * std::sin(20.0 * p.position[1]), 0.0, std::cos(15.0 * p.position[0])};
    }
    Simulation simulation = simulate(std::move(world), newton_preset("accurate"));
    double last = energy(simulation.world());
    for (int k = 0; k < 120; ++k) {
      const StepReport& report = simulation.step();
      EXPECT_TRUE(report.converged());
      EXPECT_LE(report.energy, last * (1.0 + 1e-9)) << material << " step " << k;
      last = report.energy;
    }
  }
}

TEST(SoftBallDrop, ComesToRestOnTheFloorWithItsWeight) {
  Simulation simulation = simulate("soft-ball-drop", {{"height", "0.001"}});
  for (int k = 0; k < 120; ++k) EXPECT_TRUE(simulation.step().converged()) << k;
  Vec3 impulse{};  // the mean over a second: it still breathes
  for (int s = 0; s < 120; ++s) {
    simulation.step();
    impulse += (1.0 / 120.0) * simulation.options().h * simulation.contact_force_on_deformable(0);
  }
  const double weight =
      9.81 * mass(simulation.world(), simulation.world().deformable(0)) * simulation.options().h;
  EXPECT_NEAR(impulse[2], weight, 0.01 * weight);
  EXPECT_LT(simulation.report().penetration, 1e-9);
}

TEST(SoftBalls, OneRestsOnTheOther) {
  Simulation simulation =
      simulate("soft-ball-drop", {{"balls", "2"}, {"tets", "180"}, {"height", "0.001"}});
  for (int k = 0; k < 60; ++k) simulation.step();
  int between = 0;
  for (const ContactInfo& c : simulation.contacts()) {
    between += c.deformable_a >= 0 && c.deformable_b >= 0 ? 1 : 0;
  }
  EXPECT_GT(between, 0);
  const Vec3 low = centre_of_mass(simulation.world(), simulation.world().deformable(0));
  const Vec3 high = centre_of_mass(simulation.world(), simulation.world().deformable(1));
  EXPECT_GT(norm(high - low), 0.07);  // two radii of 0.05, less what both are flattened
}

TEST(Attachment, CarriesTheParticleWithTheBody) {
  World world;
  Body body;
  body.mass = 1.0;
  body.inertia = identity<3>();
  body.position = {0.1, 0.0, 0.0};
  body.angular_velocity = {0.0, 0.0, 3.0};
  const int b = world.add_body(body);
  const int p = world.add_particle(particle(0.2, {0.4, 0.0, 0.0}));
  auto rows = std::make_unique<AttachmentRowSet>();
  rows->add(attach_in_place(world, p, b), world);
  world.add_rows(std::move(rows));
  Simulation simulation = simulate(std::move(world), newton_preset("accurate"));
  for (int k = 0; k < 100; ++k) EXPECT_TRUE(simulation.step().converged());
  const World& after = simulation.world();
  EXPECT_LT(norm(after.particle(p).position - after.body(b).to_world({0.3, 0.0, 0.0})), 1e-9);
}

TEST(Springs, HangAtTheirClosedForm) {
  World world;
  world.add_particle(particle(1.0, {0.0, 0.0, 1.0}, BodyKind::kStatic));
  world.add_particle(particle(0.5, {0.0, 0.0, 0.0}));
  auto law = std::make_unique<Springs>(
      2,
      std::vector<Spring>{{.a = 0, .b = 1, .rest_length = 1.0, .stiffness = 50.0, .damping = 5.0}});
  world.add_rows(std::make_unique<ComplianceRowSet>(std::move(law), std::vector<int>{0, 1}, 0));
  Simulation simulation = simulate(std::move(world), newton_preset("accurate"));
  for (int k = 0; k < 600; ++k) EXPECT_TRUE(simulation.step().converged());
  EXPECT_NEAR(simulation.world().particle(1).position[2], -0.5 * 9.81 / 50.0, 1e-6);
}

// With or without block-jacobi, whatever this build and machine have.
std::vector<std::string> all_solvers() {
  std::vector<std::string> specs{"pcg:precond=block-jacobi", "pcr:precond=block-jacobi"};
  const SolverRegistry registry = standard_backends();
  for (const SolverInfo& info : registry.solvers()) {
    if (info.available()) specs.push_back(info.name);
  }
  return specs;
}

TEST(Backends, AgreeOnASoftBodyAfterFiftySteps) {
  const Assignments ball{{"tets", "80"}, {"height", "0.01"}};
  Simulation reference = simulate("soft-ball-drop", ball);
  for (int k = 0; k < 50; ++k) EXPECT_TRUE(reference.step().converged());
  ASSERT_GE(all_solvers().size(), 7u);
  for (const std::string& name : all_solvers()) {
    NewtonOptions newton = newton_preset("accurate");
    newton.linear = {name, "contact-lu"};
    Simulation simulation = simulate("soft-ball-drop", ball, newton);
    for (int k = 0; k < 50; ++k) EXPECT_TRUE(simulation.step().converged()) << name << k;
    // Each step is solved to 1e-9 of at most 0.5 m/s; the impact amplifies what is left.
    EXPECT_LT(largest_difference(reference.world(), simulation.world()), 1e-7) << name;
  }
}

TEST(World, RefusesBadDeformables) {
  World world;
  TetMesh mesh = bar_mesh({1, 1, 1}, {1, 1, 1});
  DeformableOptions body;
  body.material.poissons_ratio = 0.5;
  EXPECT_THROW(world.add_deformable(mesh, body), std::invalid_argument);
  body = {};
  body.surface.mu = -1.0;
  EXPECT_THROW(world.add_deformable(mesh, body), std::invalid_argument);
  body = {};
  body.damping = -1.0;
  EXPECT_THROW(world.add_deformable(mesh, body), std::invalid_argument);
  body = {};
  std::swap(mesh.tet[0][0], mesh.tet[0][1]);
  EXPECT_THROW(world.add_deformable(mesh, body), std::invalid_argument);
  EXPECT_EQ(world.num_particles(), 0);
  EXPECT_THROW(world.add_particle(particle(0.0, {})), std::invalid_argument);
  EXPECT_THROW(world.add_particle(particle(1.0, {0.0, NAN, 0.0})), std::invalid_argument);
  AttachmentRowSet rows;
  EXPECT_THROW(rows.add({.particle = 3, .body = 0}, world), std::invalid_argument);
}

}  // namespace
}  // namespace nsn
