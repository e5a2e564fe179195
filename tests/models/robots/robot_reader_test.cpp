// URDF and MJCF: what is read, what is refused, and with which line.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <numbers>
#include <string>

#include <gtest/gtest.h>

#include "nsn/core/base/error.h"
#include "nsn/models/robots/kinematics.h"
#include "nsn/models/robots/read_robot.h"
#include "tests/support/temporary_folder.h"

namespace nsn {
namespace {

constexpr double kPi = std::numbers::pi;

RobotDescription parse(const std::string& text) {
  return parse_robot(text, "robot.xml");
}

/// The one line of the error.
std::string error_of(const std::string& text) {
  try {
    parse(text);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

bool begins(const std::string& text, const std::string& start) {
  return text.rfind(start, 0) == 0;
}

bool lists(const RobotDescription& robot, const std::string& name) {
  for (const UnsupportedFeature& f : robot.unsupported) {
    if (f.name == name) return true;
  }
  return false;
}

const char* const kArm = R"(<robot name="arm">
  <link name="base"/>
  <link name="upper">
    <inertial><origin xyz="0 0 0.2"/><mass value="2"/>
      <inertia ixx="0.02" ixy="0" ixz="0" iyy="0.02" iyz="0" izz="0.01"/></inertial>
    <collision><geometry><box size="0.1 0.1 0.4"/></geometry></collision>
  </link>
  <link name="lower"><collision><geometry><cylinder radius="0.05" length="0.3"/></geometry></collision></link>
  <link name="tool"><inertial><mass value="0.1"/><inertia ixx="1e-4" iyy="1e-4" izz="1e-4"/></inertial></link>
  <joint name="shoulder" type="revolute">
    <parent link="base"/><child link="upper"/><origin xyz="0 0 1" rpy="0 0 1.5707963267948966"/>
    <axis xyz="0 2 0"/><limit lower="-1" upper="2" effort="30" velocity="3"/>
    <dynamics damping="0.5" friction="0.1"/>
  </joint>
  <joint name="elbow" type="continuous">
    <parent link="upper"/><child link="lower"/><origin xyz="0 0 0.4"/><axis xyz="0 1 0"/>
  </joint>
  <joint name="slide" type="prismatic">
    <parent link="lower"/><child link="tool"/><origin xyz="0 0 0.3"/><axis xyz="0 0 1"/>
    <limit lower="0" upper="0.1" effort="5" velocity="1"/>
    <mimic joint="shoulder" multiplier="0.05" offset="0.01"/>
  </joint>
</robot>)";

TEST(Urdf, ReadsLinksJointsAndDynamics) {
  const RobotDescription robot = parse(kArm);

  EXPECT_EQ(robot.format, "URDF");
  ASSERT_EQ(robot.num_links(), 4);
  EXPECT_EQ(robot.num_dofs(), 3);
  const RobotJoint& shoulder = robot.link(1).joints[0];
  EXPECT_EQ(shoulder.name, "shoulder");
  EXPECT_EQ(shoulder.kind, RobotJointKind::kHinge);
  EXPECT_EQ(shoulder.axis[1], 1.0);  // normalised
  EXPECT_EQ(shoulder.limit.lower, -1.0);
  EXPECT_EQ(shoulder.effort, 30.0);
  EXPECT_EQ(shoulder.spring.damping, 0.5);
  EXPECT_EQ(shoulder.friction, 0.1);
  EXPECT_TRUE(std::isinf(robot.link(2).joints[0].limit.upper));  // continuous
  ASSERT_TRUE(robot.link(3).joints[0].mimic.has_value());
  EXPECT_EQ(robot.link(3).joints[0].mimic->multiplier, 0.05);
  EXPECT_TRUE(lists(robot, "limit velocity (kept, not enforced)"));
}

TEST(Urdf, MakesInertiaFromGeometryWhereTheFileGivesNone) {
  const RobotInertial lower = robot_inertial(parse(kArm).link(2));

  const double mass = 1000.0 * kPi * 0.05 * 0.05 * 0.3;
  EXPECT_NEAR(lower.mass, mass, 1e-14 * mass);
  EXPECT_NEAR(lower.inertia(2, 2), 0.5 * mass * 0.05 * 0.05, 1e-15);
  EXPECT_NEAR(lower.inertia(0, 0), mass * (3 * 0.05 * 0.05 + 0.3 * 0.3) / 12.0, 1e-15);
}

TEST(Urdf, PlacesTheLinksOfAKnownPose) {
  const RobotDescription robot = parse(kArm);

  const auto frames = forward_kinematics(robot, std::vector<double>{0.5 * kPi, -0.5 * kPi, 0.05});

  // The base is turned by 90 degrees about z: the y axis of the shoulder is -x, and the arm falls
  // to y > 0; the elbow turns it up again.
  EXPECT_LT(norm(frames[2].position - Vec3{0, 0.4, 1.0}), 1e-15);
  EXPECT_LT(norm(frames[3].position - Vec3{0, 0.4, 1.35}), 1e-15);
}

TEST(Urdf, FloatingAndPlanarJoints) {
  const RobotDescription robot = parse(R"(<robot name="r"><link name="world"/>
    <link name="cart"><collision><geometry><sphere radius="0.1"/></geometry></collision></link>
    <link name="ball"><collision><geometry><sphere radius="0.1"/></geometry></collision></link>
    <joint name="p" type="planar"><parent link="world"/><child link="cart"/><axis xyz="0 0 1"/></joint>
    <joint name="f" type="floating"><parent link="world"/><child link="ball"/></joint></robot>)");

  EXPECT_EQ(robot.num_links(), 3);
  EXPECT_EQ(robot.num_dofs(), 3 + 6);
  EXPECT_EQ(robot.num_coordinates(), 3 + 7);
}

TEST(Urdf, FindsPackagesAboveTheFileOrWhereTold) {
  const TemporaryFolder folder;
  std::filesystem::create_directories(folder / "box_description/urdf");
  std::filesystem::create_directories(folder / "box_description/meshes");
  std::filesystem::create_directories(folder / "elsewhere/meshes");
  const std::string obj =
      "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n";
  std::ofstream(folder / "box_description/meshes/a.obj") << obj;
  std::ofstream(folder / "elsewhere/meshes/b.obj") << obj;
  const auto text = [](const std::string& mesh) {
    return "<robot name='r'><link name='a'><collision><geometry><mesh filename='" + mesh +
           "' scale='0.1 0.1 0.1'/></geometry></collision></link></robot>";
  };
  const auto file = folder / "box_description/urdf/a.urdf";

  const RobotDescription above = parse_robot(text("package://box_description/meshes/a.obj"), file);
  const RobotDescription told =
      parse_robot(text("package://other/meshes/b.obj"), file,
                  {.packages = {{"other", folder / "elsewhere"}}, .visual_meshes = false});

  ASSERT_EQ(above.link(0).geometry.size(), 1u);
  EXPECT_EQ(above.link(0).geometry[0].mesh->surface.num_triangles(), 4);
  ASSERT_EQ(told.link(0).geometry.size(), 1u);
  EXPECT_NEAR(geometry_solid(told.link(0).geometry[0]).volume, 1e-3 / 6.0, 1e-18);
}

TEST(Urdf, MissingVisualMeshIsAWarningMissingCollisionMeshAnError) {
  const auto text = [](const std::string& tag) {
    return "<robot name='r'>\n<link name='a'>\n<" + tag +
           "><geometry>\n<mesh filename='nowhere.stl'/></geometry></" + tag + "></link></robot>";
  };

  const RobotDescription robot = parse(text("visual"));

  ASSERT_EQ(robot.warnings.size(), 1u);
  EXPECT_NE(robot.warnings[0].find("robot.xml:4: visual mesh 'nowhere.stl'"), std::string::npos);
  EXPECT_TRUE(begins(error_of(text("collision")), "robot.xml:4: collision mesh 'nowhere.stl'"));
}

TEST(Urdf, RefusesWithFileAndLine) {
  const std::string link = "<link name='a'/>\n";
  const std::string heavy =
      "<link name='b'><collision><geometry><sphere radius='1'/></geometry></collision></link>\n";
  const auto joint = [](const std::string& type, const std::string& parent,
                        const std::string& child, const std::string& more = "") {
    return "<joint name='j" + child + "' type='" + type + "'><parent link='" + parent +
           "'/><child link='" + child + "'/>" + more + "</joint>\n";
  };
  const auto robot = [](const std::string& text) {
    return "<robot name='r'>\n" + text + "</robot>";
  };

  EXPECT_TRUE(begins(error_of("<robot><link name='a'></robot>"), "robot.xml:1: not well-formed"));
  EXPECT_TRUE(begins(error_of(""), "robot.xml:"));
  EXPECT_TRUE(begins(error_of("<model/>"), "robot.xml:1: <model> is neither"));
  EXPECT_TRUE(begins(error_of(robot("")), "robot.xml:1: the robot has no links"));
  EXPECT_TRUE(begins(error_of(robot(link + link)), "robot.xml:3: a second link called 'a'"));
  EXPECT_TRUE(begins(error_of(robot(link + heavy)), "robot.xml:3: links 'a' and 'b' both"));
  EXPECT_TRUE(begins(error_of(robot(link + joint("fixed", "a", "x"))),
                     "robot.xml:3: there is no link 'x'"));
  EXPECT_TRUE(begins(error_of(robot(link + heavy + joint("revolute", "a", "b"))),
                     "robot.xml:4: joint 'jb' needs a <limit>"));
  EXPECT_TRUE(begins(error_of(robot(link + heavy + joint("screw", "a", "b"))),
                     "robot.xml:4: joint 'jb' is of the unknown type 'screw'"));
  EXPECT_TRUE(
      begins(error_of(robot(link + heavy + joint("continuous", "a", "b", "<axis xyz='0 0 0'/>"))),
             "robot.xml:4: joint 'jb' has a zero axis"));
  EXPECT_TRUE(
      begins(error_of(robot(link + heavy + joint("continuous", "a", "b", "<axis xyz='0 0'/>"))),
             "robot.xml:4: xyz has 2 numbers"));
  EXPECT_TRUE(
      begins(error_of(robot(link + heavy + joint("continuous", "a", "b", "<axis xyz='0 0 nan'/>"))),
             "robot.xml:4: xyz: 'nan' is not a finite number"));
  EXPECT_TRUE(begins(
      error_of(robot(link + heavy +
                     joint("revolute", "a", "b", "<limit lower='2' upper='1' effort='1'/>"))),
      "robot.xml:4: joint 'jb': limits [2, 1] are crossed"));
  EXPECT_TRUE(
      begins(error_of(robot(link + heavy + joint("continuous", "a", "b", "<mimic joint='k'/>"))),
             "robot.xml:4: joint 'jb' mimics 'k'"));
}

TEST(Urdf, RefusesCyclesAndSecondParents) {
  const auto link = [](const std::string& name) { return "<link name='" + name + "'/>\n"; };
  const auto joint = [](const std::string& parent, const std::string& child) {
    return "<joint name='" + parent + child + "' type='fixed'><parent link='" + parent +
           "'/><child link='" + child + "'/></joint>\n";
  };
  const std::string links = "<robot name='r'>\n" + link("a") + link("b") + link("c");

  EXPECT_TRUE(
      begins(error_of(links + joint("a", "b") + joint("b", "c") + joint("c", "a") + "</robot>"),
             "robot.xml:1: the links form a cycle"));
  EXPECT_TRUE(begins(error_of(links + joint("b", "c") + joint("c", "b") + "</robot>"),
                     "robot.xml:5: link 'b' is part of a cycle") ||
              begins(error_of(links + joint("b", "c") + joint("c", "b") + "</robot>"),
                     "robot.xml:6: link 'b' is part of a cycle"));
  EXPECT_TRUE(begins(error_of(links + joint("a", "c") + joint("b", "c") + "</robot>"),
                     "robot.xml:6: link 'c' has a second parent"));
}

TEST(Urdf, RefusesMovingLinksWithoutMass) {
  const auto text = [](const std::string& inside) {
    return "<robot name='r'>\n<link name='a'/>\n<link name='b'>\n" + inside +
           "</link>\n<joint name='j' type='continuous'><parent link='a'/><child "
           "link='b'/></joint></robot>";
  };
  const auto inertial = [&](const std::string& mass, const std::string& ixx) {
    return text("<inertial><mass value='" + mass + "'/><inertia ixx='" + ixx +
                "' iyy='1' izz='1'/></inertial>");
  };

  EXPECT_TRUE(begins(error_of(text("")), "robot.xml:3: link 'b' moves, but has no mass"));
  EXPECT_TRUE(
      begins(error_of(inertial("0", "1")), "robot.xml:4: link 'b' moves, but its mass is 0"));
  EXPECT_TRUE(begins(error_of(inertial("-1", "1")), "robot.xml:4: link 'b' has the mass -1"));
  EXPECT_TRUE(begins(error_of(inertial("1", "-1")), "robot.xml:3: link 'b': the inertia"));
  EXPECT_EQ(error_of(inertial("1", "1")), "no error");
}

const char* const kFinger = R"(<mujoco model="finger">
  <compiler angle="degree" eulerseq="zyx"/>
  <default>
    <geom density="500"/>
    <default class="phalanx">
      <geom type="capsule" size=".01" friction="0.7"/>
      <joint axis="0 1 0" damping=".1" range="-10 90" armature=".001"/>
      <default class="tip"><joint range="0 45"/></default>
    </default>
  </default>
  <worldbody>
    <geom name="floor" type="plane" size="1 1 .1"/>
    <body name="base" pos="0 0 1" euler="90 0 0" childclass="phalanx">
      <freejoint name="root"/>
      <geom type="box" size=".05 .04 .03" density="1000"/>
      <body name="first" pos="0 0 .05">
        <joint name="j1"/>
        <joint name="j2" axis="0 0 1" class="tip"/>
        <geom fromto="0 0 0 0 0 .1"/>
        <geom type="sphere" size=".02" mass="0" contype="2" conaffinity="4"/>
        <body name="last" pos="0 0 .1">
          <joint name="j3" class="tip" ref="10" springref="20" stiffness="3"/>
          <geom fromto="0 0 0 0 0 .1" class="tip"/>
        </body>
      </body>
    </body>
  </worldbody>
  <contact><exclude body1="base" body2="last"/></contact>
  <equality><joint joint1="j3" joint2="j1" polycoef="0 .5 0 0 0"/></equality>
  <actuator>
    <motor name="m" joint="j1" gear="20" ctrlrange="-1 1"/>
    <position name="p" joint="j3" kp="5" kv=".2" forcerange="-2 3"/>
    <general name="g" joint="j2" gainprm="7" biastype="affine" biasprm="0 0 -7"/>
  </actuator>
  <sensor><gyro site="x"/></sensor>
</mujoco>)";

TEST(Mjcf, ReadsClassesAnglesAndActuators) {
  const RobotDescription robot = parse(kFinger);

  ASSERT_EQ(robot.num_links(), 3);
  EXPECT_EQ(robot.num_dofs(), 6 + 3);
  const RobotLink& first = robot.link(1);
  EXPECT_NEAR(first.joints[0].limit.upper, 0.5 * kPi, 1e-15);
  EXPECT_NEAR(first.joints[1].limit.upper, 0.25 * kPi, 1e-15);  // its own class
  EXPECT_EQ(first.joints[0].armature, 0.001);                   // inherited
  const RobotJoint& j3 = robot.link(2).joints[0];
  EXPECT_NEAR(j3.reference, kPi / 18.0, 1e-15);
  EXPECT_NEAR(j3.spring.rest, kPi / 9.0, 1e-15);
  ASSERT_TRUE(j3.mimic.has_value());
  EXPECT_EQ(j3.mimic->joint, "j1");
  EXPECT_NEAR(j3.mimic->offset, j3.reference, 1e-15);
  EXPECT_EQ(first.geometry[0].surface.mu, 0.7);
  EXPECT_EQ(first.geometry[1].contype, 2u);
  EXPECT_EQ(first.geometry[1].conaffinity, 4u);
  ASSERT_EQ(robot.actuators.size(), 3u);
  EXPECT_EQ(robot.actuators[0].gear, 20.0);
  EXPECT_EQ(robot.actuators[1].kind, ActuatorKind::kPosition);
  EXPECT_EQ(robot.actuators[1].effort.upper, 3.0);
  EXPECT_EQ(robot.actuators[2].kind, ActuatorKind::kVelocity);
  ASSERT_EQ(robot.excluded.size(), 1u);
  EXPECT_EQ(robot.excluded[0], std::pair(0, 2));
  EXPECT_EQ(robot.world_geometry.size(), 1u);
  EXPECT_TRUE(lists(robot, "sensor"));
}

TEST(Mjcf, TurnsAboutAnAxisAreInTheUnitOfTheCompiler) {
  const auto turned = [](const std::string& compiler, const std::string& angle) {
    return parse("<mujoco><compiler angle='" + compiler +
                 "'/><worldbody><body name='b' axisangle='0 0 1 " + angle +
                 "'><joint/><geom type='sphere' size='.1'/></body></worldbody></mujoco>")
        .link(0)
        .frame.rotation;
  };
  const double half = std::sqrt(0.5);
  EXPECT_NEAR(turned("degree", "90").w, half, 1e-15);
  EXPECT_NEAR(turned("degree", "90").z, half, 1e-15);
  EXPECT_NEAR(turned("radian", "1.5707963267948966").z, half, 1e-15);
}

TEST(Mjcf, EulerAnglesFollowTheSequence) {
  const RobotDescription robot = parse(kFinger);  // zyx: the first angle is about z

  const Quaternion q = robot.link(0).frame.rotation;

  EXPECT_NEAR(q.w, std::sqrt(0.5), 1e-15);
  EXPECT_NEAR(q.z, std::sqrt(0.5), 1e-15);
}

TEST(Mjcf, MassFromDensityOfTheClass) {
  const RobotInertial last = robot_inertial(parse(kFinger).link(2));

  const double mass = 500.0 * kPi * 1e-4 * (0.1 + 4.0 / 3.0 * 0.01);
  EXPECT_NEAR(last.mass, mass, 1e-15);
  EXPECT_NEAR(last.frame.position[2], 0.05, 1e-16);
}

TEST(Mjcf, IncludesOtherFilesOnce) {
  const TemporaryFolder folder;
  std::ofstream(folder / "body.xml")
      << "<mujoco><worldbody><body name='b'><joint/><geom type='sphere' size='.1'/></body>"
         "</worldbody></mujoco>";
  std::ofstream(folder / "main.xml")
      << "<mujoco><include file='body.xml'/><worldbody><body name='a'><freejoint/>"
         "<geom type='sphere' size='.1'/></body></worldbody></mujoco>";
  std::ofstream(folder / "twice.xml")
      << "<mujoco>\n<include file='body.xml'/>\n<include file='body.xml'/></mujoco>";

  EXPECT_EQ(read_robot(folder / "main.xml").num_links(), 2);
  try {
    read_robot(folder / "twice.xml");
    FAIL() << "no error";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("twice.xml:3:"), std::string::npos) << error.what();
  }
}

TEST(Mjcf, RefusesWithFileAndLine) {
  const auto model = [](const std::string& text) {
    return "<mujoco>\n<worldbody>\n" + text + "</worldbody></mujoco>";
  };
  const auto body = [&](const std::string& text) {
    return model("<body name='b'>\n" + text + "</body>\n");
  };
  const std::string ball = "<geom type='sphere' size='.1'/>";

  EXPECT_TRUE(begins(error_of("<mujoco>\n<worldbody>\n<body></mujoco>"), "robot.xml:3: not well"));
  EXPECT_TRUE(begins(error_of("<mujoco/>"), "robot.xml:1: the model has no bodies"));
  EXPECT_TRUE(begins(error_of(body("<joint/>")), "robot.xml:3: link 'b' moves, but has no mass"));
  EXPECT_TRUE(begins(error_of(body(ball + "<joint type='screw'/>")), "robot.xml:4: joint 'b/1'"));
  EXPECT_TRUE(begins(error_of(body("<geom type='bal' size='1'/>")),
                     "robot.xml:4: geom of the unknown type 'bal'"));
  EXPECT_TRUE(
      begins(error_of(body("<geom type='sphere' size='0'/><joint/>")), "robot.xml:4: size 0"));
  EXPECT_TRUE(
      begins(error_of(body("<geom type='box' size='1'/>")), "robot.xml:4: size of a box has 1"));
  EXPECT_TRUE(
      begins(error_of(body("<geom type='mesh' mesh='m'/>")), "robot.xml:4: there is no mesh 'm'"));
  EXPECT_TRUE(
      begins(error_of(body("<geom class='c'/>")), "robot.xml:4: there is no default class 'c'"));
  EXPECT_TRUE(
      begins(error_of(body("<geom quat='0 0 0 0' size='1'/>")), "robot.xml:4: quat is zero"));
  EXPECT_TRUE(begins(error_of(model("<joint/>")), "robot.xml:3: the world cannot have a joint"));
  EXPECT_TRUE(
      begins(error_of(model("<body name='b'/>\n<body name='b'/>")), "robot.xml:4: a second link"));
  EXPECT_TRUE(begins(error_of("<mujoco>\n<include file='no.xml'/></mujoco>"),
                     "robot.xml:2: included file"));
  EXPECT_TRUE(
      begins(error_of("<mujoco>\n<asset>\n<mesh name='m' file='no.stl'/></asset><worldbody><body>"
                      "<joint/><geom type='mesh' mesh='m'/></body></worldbody></mujoco>"),
             "robot.xml:3: mesh file no.stl is missing"));
  EXPECT_TRUE(
      begins(error_of("<mujoco><worldbody><body name='b'>" + ball +
                      "</body></worldbody>\n<actuator><motor joint='x'/></actuator></mujoco>"),
             "robot.xml:2: actuator '': there is no joint 'x'"));
}

TEST(Mjcf, TendonsMusclesAndFlexThatActAreReadOrRefused) {
  const auto model = [](const std::string& tendon, const std::string& more = "") {
    return "<mujoco><worldbody><body name='b'><joint name='j'/><geom "
           "size='.1'/></body></worldbody>\n"
           "<tendon>\n" +
           tendon + "</tendon>\n" + more + "</mujoco>";
  };
  const std::string sum = "<fixed name='t'><joint joint='j' coef='2'/></fixed>";
  EXPECT_TRUE(parse(model(sum)).tendons.empty());  // nothing depends on it
  EXPECT_TRUE(parse(model("<spatial name='s'><geom geom='g'/></spatial>")).tendons.empty());
  EXPECT_EQ(parse(model("<fixed stiffness='1'><joint joint='j' coef='2'/></fixed>")).tendons.size(),
            1u);
  const std::string around = "<geom geom='g'/></spatial>";
  EXPECT_TRUE(begins(error_of(model("<spatial name='s' stiffness='1'>" + around)),
                     "robot.xml:3: tendon 's' acts on what it passes, and winds around a geom"));
  EXPECT_TRUE(begins(
      error_of(model("<spatial name='s'>" + around, "<actuator>\n<motor tendon='s'/></actuator>")),
      "robot.xml:5: tendon 's' is driven or held, and winds around a geom"));
  EXPECT_TRUE(begins(error_of(model("<spatial name='s'><site site='x'/></spatial>")),
                     "robot.xml:3: there is no site 'x'"));
  EXPECT_TRUE(begins(error_of(model("<spatial name='s'/>")),
                     "robot.xml:3: tendon 's' passes less than two sites"));
  EXPECT_TRUE(begins(error_of(model("<fixed name='t'>\n<joint joint='x' coef='1'/></fixed>")),
                     "robot.xml:4: there is no joint 'x'"));
  EXPECT_TRUE(
      begins(error_of(model("<fixed name='t'/>")), "robot.xml:3: tendon 't' has no joints"));
  EXPECT_TRUE(begins(error_of(model(sum, "<equality><tendon tendon1='u'/></equality>")),
                     "robot.xml:4: there is no tendon 'u'"));
  EXPECT_TRUE(begins(error_of(model(sum, "<actuator><muscle joint='j'/></actuator>")),
                     "robot.xml:4: a muscle acts"));
  EXPECT_TRUE(begins(error_of(model("", "<deformable>\n<flex name='f'/></deformable>")),
                     "robot.xml:5: <flex> deforms"));
  EXPECT_TRUE(begins(error_of("<mujoco><worldbody><body name='b'>\n<flexcomp name='f'/></body>"
                              "</worldbody></mujoco>"),
                     "robot.xml:2: <flexcomp> makes bodies"));
}

TEST(Mjcf, MeshesWithoutVolumeAreNamed) {
  const auto model = [](const std::string& face, const std::string& inertial) {
    return "<mujoco><asset><mesh name='m' vertex='0 0 0 1 0 0 0 1 0 1 1 0'" + face +
           "/></asset>\n<worldbody><body name='b'><freejoint/>" + inertial +
           "\n<geom type='mesh' mesh='m'/></body></worldbody></mujoco>";
  };
  EXPECT_TRUE(begins(error_of(model(" face='0 1 2 1 3 2'", "")),
                     "robot.xml:3: geometry of link 'b': the mesh encloses no volume"));
  EXPECT_TRUE(begins(error_of(model("", "<inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/>")),
                     "robot.xml:1: mesh 'm': hull: 4 points lie in one plane"));
}

TEST(Mjcf, MarginsOfGeomsAddUpToTheirThickness) {
  const auto body = [](const std::string& margin) {
    return "<mujoco><worldbody><body name='b'><freejoint/>\n<geom size='.1' margin='" + margin +
           "' gap='.1'/></body></worldbody></mujoco>";
  };
  const RobotDescription robot = parse(body(".02"));
  EXPECT_EQ(robot.link(0).geometry[0].surface.thickness, 0.02);
  EXPECT_TRUE(robot.unsupported.empty());
  EXPECT_TRUE(begins(error_of(body("-1")), "robot.xml:2: margin -1 of a geom is negative"));
}

TEST(Mjcf, JointsThatShareNoPointGetALinkBetween) {
  const RobotDescription robot = parse(R"(<mujoco><worldbody><body name="b">
      <joint name="one" axis="0 0 1"/><joint name="two" axis="1 0 0" pos="0 0 .1"/>
      <geom type="sphere" size=".1"/></body></worldbody></mujoco>)");

  ASSERT_EQ(robot.num_links(), 2);
  EXPECT_TRUE(robot.link(0).between_joints);
  EXPECT_EQ(robot.link(1).parent, 0);
  EXPECT_EQ(robot.warnings.size(), 1u);
  // Nothing is lost: the two together weigh what the file says.
  const double mass = 1000.0 * 4.0 / 3.0 * kPi * 1e-3;
  EXPECT_NEAR(robot_inertial(robot.link(0)).mass + robot_inertial(robot.link(1)).mass, mass, 1e-14);
}

TEST(Urdf, AnAxisThatMeansNothingMayBeZero) {
  const auto robot = [](const std::string& type) {
    return "<robot name='r'><link name='a'/><link name='b'><inertial><mass value='1'/><inertia "
           "ixx='1' "
           "iyy='1' izz='1'/></inertial></link>\n<joint name='j' type='" +
           type + "'><parent link='a'/><child link='b'/><axis xyz='0 0 0'/></joint></robot>";
  };
  EXPECT_EQ(parse(robot("fixed")).num_dofs(), 0);
  EXPECT_EQ(parse(robot("floating")).num_dofs(), 6);
  EXPECT_EQ(parse(robot("spherical")).num_dofs(), 3);
  EXPECT_TRUE(begins(error_of(robot("continuous")), "robot.xml:2: joint 'j' has a zero axis"));
}

TEST(Mjcf, TotalMassIsSet) {
  const RobotDescription robot = parse(
      "<mujoco><compiler settotalmass='3'/><worldbody><body name='a'><freejoint/>"
      "<geom type='sphere' size='.1'/><body name='b'><joint/><geom type='sphere' size='.2'/>"
      "</body></body></worldbody></mujoco>");
  EXPECT_NEAR(robot_inertial(robot.link(0)).mass, 3.0 / 9.0, 1e-15);
  EXPECT_NEAR(robot_inertial(robot.link(1)).mass, 3.0 * 8.0 / 9.0, 1e-14);
  EXPECT_NEAR(robot_inertial(robot.link(1)).inertia(0, 0), 0.4 * 8.0 / 3.0 * 0.04, 1e-15);
}

TEST(Mjcf, FrictionOfAGeomAndItsDimension) {
  const RobotDescription robot = parse(
      "<mujoco><worldbody><body name='a'><freejoint/><geom size='.1' condim='1'/>"
      "<geom size='.1' friction='.3' condim='4' priority='2'/>"
      "<geom size='.1' friction='.3 .02 .01' condim='6'/></body></worldbody></mujoco>");
  const auto& all = robot.link(0).geometry;
  EXPECT_TRUE(all[0].surface.slick);
  EXPECT_EQ(all[1].surface.priority, 2);
  EXPECT_EQ(all[1].surface.spinning, 0.005);
  EXPECT_EQ(all[1].surface.rolling, 0.0);
  EXPECT_EQ(all[2].surface.spinning, 0.02);
  EXPECT_EQ(all[2].surface.rolling, 0.01);
  EXPECT_TRUE(
      begins(error_of("<mujoco><worldbody><body name='a'>\n<geom size='.1' condim='2'/></body>"
                      "</worldbody></mujoco>"),
             "robot.xml:2: condim 2 is not"));
}

TEST(Urdf, FixedLinksOfMassZeroWeighNothingThoseWithoutInertialWhatTheirShapesDo) {
  // As MuJoCo 3.17 has it.
  const RobotDescription robot = parse(R"(<robot name="r"><link name="base"/>
    <link name="arm"><inertial><mass value="2"/><inertia ixx="1" iyy="1" izz="1"/></inertial></link>
    <link name="none"><inertial><mass value="0"/><inertia ixx="0" iyy="0" izz="0"/></inertial>
      <collision><geometry><box size="1 1 1"/></geometry></collision></link>
    <link name="box"><collision><geometry><box size=".1 .1 .1"/></geometry></collision></link>
    <joint name="a" type="continuous"><parent link="base"/><child link="arm"/></joint>
    <joint name="s" type="fixed"><parent link="arm"/><child link="none"/></joint>
    <joint name="b" type="fixed"><parent link="arm"/><child link="box"/></joint></robot>)");
  EXPECT_EQ(robot_inertial(robot.link(robot.find_link("none"))).mass, 0.0);
  EXPECT_NEAR(robot_inertial(robot.link(robot.find_link("box"))).mass, 1.0, 1e-12);
}

TEST(Mjcf, FlagsTurnOffWhatTheyName) {
  const auto model = [](const std::string& flags) {
    return parse(
        "<mujoco><option><flag " + flags +
        "/></option><worldbody><geom type='plane' size='1 1 1'/><body><joint name='j' "
        "range='-10 10' frictionloss='2' stiffness='3' damping='4'/><geom size='.1'/></body>"
        "<body name='b'><joint name='k'/><geom size='.1'/></body></worldbody><equality><joint "
        "joint1='j' joint2='k'/><connect body1='b' anchor='0 0 0'/></equality><actuator>"
        "<motor joint='j'/></actuator></mujoco>");
  };
  const RobotDescription on = model("energy='enable'");
  EXPECT_TRUE(on.link(0).geometry[0].collides && on.world_geometry[0].collides);
  EXPECT_TRUE(on.link(0).joints[0].mimic && on.holds.size() == 1 && on.actuators.size() == 1);
  EXPECT_EQ(norm(model("gravity='disable'").gravity), 0.0);
  EXPECT_FALSE(model("contact='disable'").world_geometry[0].collides);
  EXPECT_TRUE(model("actuation='disable'").actuators.empty());
  const RobotDescription free = model("constraint='disable' passive='disable'");
  const RobotJoint& joint = free.link(0).joints[0];
  EXPECT_FALSE(free.link(0).geometry[0].collides || joint.mimic || !free.holds.empty());
  EXPECT_EQ(joint.limit.upper, std::numeric_limits<double>::infinity());
  EXPECT_EQ(joint.friction + joint.spring.stiffness + joint.spring.damping, 0.0);
  EXPECT_NEAR(robot_inertial(free.link(0)).mass, 4000.0 / 3.0 * kPi * 1e-3, 1e-12);  // as before
}

TEST(Mjcf, CompilerBoundsMassAndInertia) {
  const RobotDescription robot = parse(
      "<mujoco><compiler boundmass='.5' boundinertia='.02'/><worldbody><body><freejoint/><inertial "
      "pos='0 0 1' mass='.1' fullinertia='.03 .03 .01 .02 0 0'/></body></worldbody></mujoco>");
  // xx = yy = 0.03, xy = 0.02: moments 0.05, 0.01 and 0.01, of which two are raised.
  const RobotInertial inertial = robot_inertial(robot.link(0));
  EXPECT_EQ(inertial.mass, 0.5);
  EXPECT_EQ(inertial.frame.position[2], 1.0);
  EXPECT_NEAR(inertial.inertia(0, 0), 0.5 * (0.05 + 0.02), 1e-15);
  EXPECT_NEAR(inertial.inertia(0, 1), 0.5 * (0.05 - 0.02), 1e-15);
  EXPECT_NEAR(inertial.inertia(2, 2), 0.02, 1e-15);
}

TEST(Mjcf, BallsBesideSlidesGetALinkBetween) {
  const RobotDescription robot = parse(
      "<mujoco><worldbody><body name='b'><joint name='s' type='slide' axis='1 0 0'/><joint "
      "name='t' "
      "type='ball'/><geom size='.1' mass='2'/></body></worldbody></mujoco>");
  ASSERT_EQ(robot.num_links(), 2);
  EXPECT_EQ(robot.num_dofs(), 4);
  EXPECT_EQ(robot.link(0).joints[0].name, "s");
  EXPECT_EQ(robot.link(1).joints[0].kind, RobotJointKind::kBall);
  EXPECT_NEAR(robot_inertial(robot.link(0)).mass + robot_inertial(robot.link(1)).mass, 2.0, 1e-12);
}

TEST(Mjcf, ActuatorsThatActAtRestAreReadOrRefused) {
  const auto model = [](const std::string& actuator) {
    return "<mujoco><worldbody><site name='s'/><body><joint name='j'/><geom size='.1'/></body>"
           "</worldbody><actuator>\n" +
           actuator + "</actuator></mujoco>";
  };
  const RobotDescription servo =
      parse(model("<general joint='j' gainprm='13' biastype='affine' biasprm='2 -20 -1'/>"));
  // 13 u + 2 - 20 q - v = 20 (0.65 u + 0.1 - q) - v
  EXPECT_EQ(servo.actuators[0].kind, ActuatorKind::kPosition);
  EXPECT_NEAR(servo.actuators[0].scale, 0.65, 1e-15);
  EXPECT_NEAR(servo.actuators[0].offset, 0.1, 1e-15);
  EXPECT_TRUE(lists(parse(model("<motor site='s'/>")), "actuator motor without joint"));
  EXPECT_TRUE(lists(parse(model("<general joint='j' gaintype='affine'/>")),
                    "general actuator whose gain depends on the pose"));
  EXPECT_EQ(parse(model("<position jointinparent='j' kp='2'/>")).actuators.at(0).joint, "j");
  EXPECT_TRUE(begins(error_of(model("<position site='s' kp='1'/>")),
                     "robot.xml:2: actuator <position without joint> acts at rest"));
  EXPECT_TRUE(begins(error_of(model("<intvelocity joint='j' kp='1'/>")),
                     "robot.xml:2: actuator <intvelocity> acts at rest"));
  EXPECT_TRUE(begins(error_of(model("<general joint='j' biastype='affine' biasprm='0 1'/>")),
                     "robot.xml:2: actuator '' acts at rest, and is neither"));
}

/// Height of the surface above (x, y): the highest of its triangles there.
double height_at(const TriangleSurface& surface, double x, double y) {
  double height = -1e9;
  for (const auto& t : surface.triangle) {
    const Vec3& a = surface.vertex[static_cast<std::size_t>(t[0])];
    const Vec3 b = surface.vertex[static_cast<std::size_t>(t[1])] - a;
    const Vec3 c = surface.vertex[static_cast<std::size_t>(t[2])] - a;
    const double area = b[0] * c[1] - b[1] * c[0];
    if (area <= 0.0) continue;  // it faces down or sideways
    const double u = ((x - a[0]) * c[1] - (y - a[1]) * c[0]) / area;
    const double v = (b[0] * (y - a[1]) - b[1] * (x - a[0])) / area;
    if (u >= 0.0 && v >= 0.0 && u + v <= 1.0) height = std::max(height, a[2] + u * b[2] + v * c[2]);
  }
  return height;
}

TEST(Mjcf, HeightFieldsAreClosedSurfaces) {
  const auto model = [](const std::string& attributes, const std::string& inside = "") {
    return "<mujoco><asset>\n<hfield name='t' nrow='2' ncol='3' size='2 1 .5 .3' " + attributes +
           "/></asset>\n<worldbody><geom type='hfield' hfield='t' pos='0 0 1'/><body>" + inside +
           "<freejoint/><geom size='.1'/></body></worldbody></mujoco>";
  };
  const RobotDescription robot = parse(model("elevation='8 2 8  1 2 3'"));
  EXPECT_TRUE(robot.unsupported.empty());
  const RobotGeometry& field = robot.world_geometry.at(0);
  EXPECT_TRUE(field.collides);
  EXPECT_EQ(field.frame.position[2], 1.0);
  // Where mj_ray of MuJoCo 3.17 hits the same field from above.
  EXPECT_NEAR(height_at(field.mesh->surface, -1.99, -0.99), 0.00035714287310817383, 1e-8);
  EXPECT_NEAR(height_at(field.mesh->surface, -1.99, 0.99), 0.4953571428731083, 1e-8);
  EXPECT_NEAR(height_at(field.mesh->surface, -1.0, 0.1), 0.060714287310839055, 1e-8);
  EXPECT_NEAR(height_at(field.mesh->surface, -0.9, 0.0), 0.039285716041922214, 1e-8);
  const RobotDescription flat = parse(model(""));  // 4 m x 2 m x 0.3 m
  EXPECT_NEAR(mesh_solid(flat.world_geometry[0].mesh->surface, MeshInertia::kExact).volume, 2.4,
              1e-12);
  EXPECT_TRUE(begins(error_of(model("file='h.png'")), "robot.xml:2: height field 't' is an image"));
  EXPECT_TRUE(begins(error_of(model("elevation='1 2'")), "robot.xml:2: elevation has 2 numbers"));
  EXPECT_TRUE(begins(error_of(model("", "<geom type='hfield' hfield='t'/>")),
                     "robot.xml:3: a height field on a body that moves"));
}

TEST(Mjcf, ReplicatesTurnAndShift) {
  const RobotDescription robot = parse(
      "<mujoco><worldbody><replicate count='3' offset='1 0 0' euler='0 0 90' sep='-'>"
      "<body name='a' pos='0 0 1'><freejoint/><geom "
      "size='.1'/></body></replicate></worldbody></mujoco>");
  ASSERT_EQ(robot.num_links(), 3);
  const Vec3 expected[] = {{0, 0, 1}, {1, 0, 1}, {1, 1, 1}};  // each against the one before
  for (int k = 0; k < 3; ++k) {
    EXPECT_EQ(robot.link(k).name, "a-" + std::to_string(k));
    EXPECT_LT(norm(robot.link(k).frame.position - expected[k]), 1e-15) << k;
  }
  EXPECT_TRUE(begins(error_of("<mujoco><worldbody>\n<replicate count='0'/></worldbody></mujoco>"),
                     "robot.xml:2: count 0"));
}

TEST(Mjcf, SpringsAndDampersAreTunedToTheirInertia) {
  const RobotDescription robot = parse(R"(<mujoco><worldbody><body>
    <joint name="a" axis="1 2 3" pos=".1 0 0" springdamper=".1 .7" armature=".2"/>
    <geom type="box" size=".1 .2 .3" pos="0 .1 0"/><body pos="0 0 .5" euler="10 20 30">
    <joint name="b" type="slide" springdamper="1 2"/><geom size=".1"/></body></body></worldbody></mujoco>)");
  // jnt_stiffness and dof_damping of MuJoCo 3.17
  const JointSpring& a = robot.link(0).joints[0].spring;
  const JointSpring& b = robot.link(1).joints[0].spring;
  EXPECT_TRUE(robot.unsupported.empty());
  EXPECT_NEAR(a.stiffness, 537.902409598078, 1e-8);
  EXPECT_NEAR(a.damping, 52.714436140611646, 1e-9);
  EXPECT_NEAR(b.stiffness, 0.9981907326183582, 1e-10);
  EXPECT_NEAR(b.damping, 7.985525860946866, 1e-9);
}

TEST(Mjcf, StraightCablesAreChainsOfRods) {
  const auto cable = [](const std::string& attributes, const std::string& more = "") {
    return "<mujoco><worldbody>\n<composite type='cable' count='26 1 1' offset='-.38 -.26 .06' " +
           attributes + "><joint kind='main' damping='.01' armature='.001'/><geom type='capsule' " +
           "size='.005 .007' mass='.001'/>" + more + "</composite></worldbody></mujoco>";
  };
  // Figures of MuJoCo 3.17.
  const RobotDescription robot = parse(cable("curve='0 0 s' initial='free'"));
  ASSERT_EQ(robot.num_links(), 25);
  EXPECT_EQ(robot.num_dofs(), 6 + 24 * 3);
  EXPECT_EQ(robot.link(24).name, "B_last");
  EXPECT_EQ(robot.link(1).joints[0].armature, 0.001);
  EXPECT_NEAR(robot.link(0).frame.rotation.x, 0.70710678, 1e-8);
  EXPECT_NEAR(robot.link(0).frame.rotation.z, 0.70710678, 1e-8);
  const RobotInertial rod = robot_inertial(robot.link(1));
  EXPECT_NEAR(rod.mass, 0.001, 1e-15);
  EXPECT_NEAR(rod.frame.position[0], 0.02, 1e-12);
  EXPECT_NEAR(rod.inertia(0, 0), 1.21428571e-08, 1e-15);
  EXPECT_NEAR(rod.inertia(2, 2), 1.88928564e-07, 1e-14);
  const auto frames = forward_kinematics(robot, reference_coordinates(robot));
  EXPECT_LT(norm(frames[24].point(robot.sites.back().frame.position) - Vec3{-0.38, -0.26, 1.06}),
            1e-12);
  EXPECT_EQ(parse(cable("curve='s s 0' initial='none'")).num_dofs(), 24 * 3);
  EXPECT_TRUE(
      begins(error_of(cable("curve='s cos(s) 0'")), "robot.xml:2: curve 's cos(s) 0' is not"));
  EXPECT_TRUE(
      begins(error_of(cable("curve='s 0 0'", "\n<plugin plugin='mujoco.elasticity.cable'/>")),
             "robot.xml:3: <plugin> of a cable is not supported"));
}

TEST(Mjcf, MeshesOfVertices) {
  const auto body = [](const std::string& mesh) {
    return "<mujoco><asset>\n<mesh name='m' " + mesh +
           "/></asset><worldbody><body name='b'><freejoint/><geom type='mesh' mesh='m'/></body>"
           "</worldbody></mujoco>";
  };
  const std::string corners = "vertex='0 0 0 1 0 0 0 1 0 0 0 1'";
  const RobotDescription hull = parse(body(corners));
  EXPECT_NEAR(robot_inertial(hull.link(0)).mass, 1000.0 / 6.0, 1e-9);
  const RobotDescription faces =
      parse(body(corners + " scale='2 1 1' face='0 2 1 0 1 3 1 2 3 0 3 2'"));
  EXPECT_NEAR(robot_inertial(faces.link(0)).mass, 1000.0 / 3.0, 1e-9);
  EXPECT_TRUE(begins(error_of(body("")), "robot.xml:2: mesh 'm' has neither"));
  EXPECT_TRUE(begins(error_of(body("vertex='0 0 0 1'")), "robot.xml:2: mesh 'm': 4 numbers"));
  EXPECT_TRUE(
      begins(error_of(body(corners + " face='0 1 4'")), "robot.xml:2: mesh 'm' has no vertex 4"));
}

TEST(Mjcf, AttachesBodiesOfOtherModels) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder / "parts");
  std::ofstream(folder / "parts/arm.xml")
      << "<mujoco model='arm'><compiler angle='radian'/><worldbody><body name='upper' pos='0 0 1'>"
         "<joint name='j' range='-1 2'/><geom size='.1'/><body name='lower'><joint name='k'/>"
         "<geom size='.1'/></body></body><body name='other'><geom size='.1'/></body></worldbody>"
         "<actuator><motor name='m' joint='k'/></actuator></mujoco>";
  std::ofstream(folder / "main.xml")
      << "<mujoco><asset><model file='parts/arm.xml'/></asset><worldbody><frame pos='1 0 0'>"
         "<attach model='arm' body='upper' prefix='left_'/></frame></worldbody></mujoco>";
  std::ofstream(folder / "cycle.xml")
      << "<mujoco><asset>\n<model name='c' file='cycle.xml'/></asset></mujoco>";

  const RobotDescription robot = read_robot(folder / "main.xml");
  ASSERT_EQ(robot.num_links(), 2);
  EXPECT_EQ(robot.link(0).name, "left_upper");
  EXPECT_EQ(robot.link(1).parent, 0);
  EXPECT_LT(norm(robot.link(0).frame.position - Vec3{1, 0, 1}), 1e-15);
  EXPECT_EQ(robot.link(0).joints[0].limit.upper, 2.0);  // radian, by its own compiler
  ASSERT_EQ(robot.actuators.size(), 1u);
  EXPECT_EQ(robot.actuators[0].joint, "left_k");
  try {
    read_robot(folder / "cycle.xml");
    FAIL() << "no error";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("cycle.xml:2:"), std::string::npos) << error.what();
  }
}

TEST(Mjcf, AttachesWhatHoldsTheBodiesTogether) {
  const TemporaryFolder folder;
  const auto write = [&](const std::string& second) {
    std::ofstream(folder / "part.xml")
        << "<mujoco model='p'><worldbody><body name='a'><freejoint/><geom size='.1'/><site "
           "name='s'/>"
           "</body><body name='b'><joint name='j'/><geom size='.1'/><body name='c'><joint "
           "name='k'/>"
           "<geom size='.1'/><site name='t'/></body><site name='u' pos='0 0 1'/></body></worldbody>"
           "<tendon><spatial name='x' range='0 3'><site site='u'/><site "
           "site='t'/></spatial></tendon>"
           "<equality><connect body1='b' body2='" +
               second + "' anchor='0 0 2'/></equality></mujoco>";
    std::ofstream(folder / "main.xml")
        << "<mujoco><asset>\n<model file='part.xml'/></asset><worldbody><body name='own'><joint/>"
           "<geom size='.1'/>\n<attach model='p' body='b' "
           "prefix='l_'/></body></worldbody></mujoco>";
  };
  write("c");
  const RobotDescription robot = read_robot(folder / "main.xml");
  ASSERT_EQ(robot.tendons.size(), 1u);
  ASSERT_EQ(robot.holds.size(), 1u);
  const TendonSegment& segment = robot.tendons[0].length.segments.at(0);
  EXPECT_EQ(robot.tendons[0].name, "l_x");
  EXPECT_EQ(robot.link(segment.link_a).name, "l_b");
  EXPECT_EQ(robot.link(segment.link_b).name, "l_c");
  EXPECT_EQ(robot.link(robot.holds[0].link_b).name, "l_c");
  EXPECT_EQ(robot.sites.size(), 2u);
  write("world");
  try {
    read_robot(folder / "main.xml");
    FAIL() << "no error";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("main.xml:3: '' ends at the world"), std::string::npos)
        << error.what();
  }
}

TEST(Mjcf, FilesOfAnIncludedFileMayLieBesideIt) {
  const TemporaryFolder folder;
  std::filesystem::create_directories(folder / "parts/meshes");
  std::ofstream(folder / "parts/meshes/m.obj")
      << "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n";
  std::ofstream(folder / "parts/assets.xml")
      << "<mujoco><asset><mesh name='m' file='meshes/m.obj'/></asset><include "
         "file='more.xml'/></mujoco>";
  std::ofstream(folder / "parts/more.xml") << "<mujoco><option gravity='0 0 -1'/></mujoco>";
  std::ofstream(folder / "main.xml")
      << "<mujoco><include file='parts/assets.xml'/><worldbody><body name='b'><freejoint/>"
         "<geom type='mesh' mesh='m'/></body></worldbody></mujoco>";

  const RobotDescription robot = read_robot(folder / "main.xml");
  EXPECT_NEAR(robot_inertial(robot.link(0)).mass, 1000.0 / 6.0, 1e-9);
  EXPECT_EQ(robot.gravity[2], -1.0);
}

/// Every prefix of a file, and the file with one character changed: a robot or an InputError.
TEST(RobotFiles, SurviveDamage) {
  for (const char* const text : {kArm, kFinger}) {
    const std::string whole = text;
    for (std::size_t cut = 0; cut < whole.size(); cut += 7) {
      EXPECT_NE(error_of(whole.substr(0, cut)), "no error") << cut;
    }
    for (std::size_t k = 0; k < whole.size(); k += 3) {
      for (const char c : {'0', '-', '<', 'x', '\0', '9'}) {
        std::string damaged = whole;
        damaged[k] = c;
        error_of(damaged);  // anything but InputError is a failure of the test
      }
    }
  }
}

}  // namespace
}  // namespace nsn
