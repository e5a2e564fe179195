// What a robot's file may read: below its root, nothing else.
#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include "nsn/core/base/error.h"
#include "nsn/core/io/atomic_file.h"
#include "nsn/models/robots/read_robot.h"
#include "tests/support/temporary_folder.h"

namespace nsn {
namespace {

namespace fs = std::filesystem;

constexpr const char* kTetrahedron =
    "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n";
constexpr const char* kBody =
    "<mujoco><worldbody><body name='b'><joint/><geom type='sphere' size='.1'/></body></worldbody>"
    "</mujoco>";

std::string urdf(const std::string& mesh) {
  return "<robot name='r'><link name='base'/>\n<link name='a'><collision><geometry>\n<mesh "
         "filename='" +
         mesh +
         "'/></geometry></collision></link><joint name='j' type='revolute'><parent link='base'/>"
         "<child link='a'/><limit lower='-1' upper='1' effort='1' velocity='1'/></joint></robot>";
}

std::string mjcf(const std::string& file) {
  return "<mujoco><asset>\n<mesh name='m' file='" + file +
         "'/></asset><worldbody><body name='a'><joint/><geom type='mesh' mesh='m'/></body>"
         "</worldbody></mujoco>";
}

/// The reason why it is refused; empty: it is read.
std::string refusal(const fs::path& file, const RobotReadOptions& options = {}) {
  try {
    static_cast<void>(read_robot(file, options));
  } catch (const InputError& error) {
    return error.what();
  }
  return {};
}

/// root/pkg/robots/robot.xml, with a mesh beside it, in the package, and outside.
class ModelRoot : public testing::Test {
 protected:
  ModelRoot() {
    for (const char* name : {"pkg/robots/in.obj", "pkg/meshes/in.obj", "secret.obj"}) {
      write_file(folder_ / name, kTetrahedron);
    }
  }

  std::string refusal_of(const std::string& text, const RobotReadOptions& options = {}) const {
    const fs::path file = folder_ / "pkg/robots/robot.xml";
    write_file(file, text);
    return refusal(file, options);
  }

  TemporaryFolder folder_;
};

TEST_F(ModelRoot, IsTheFolderOfTheFile) {
  EXPECT_EQ(refusal_of(urdf("in.obj")), "");
  EXPECT_EQ(refusal_of(mjcf("in.obj")), "");
  for (const std::string& path : {std::string("../meshes/in.obj"), std::string("../../secret.obj"),
                                  (folder_ / "secret.obj").string()}) {
    for (const std::string& text : {urdf(path), mjcf(path)}) {
      const std::string reason = refusal_of(text);
      EXPECT_NE(reason.find("robot.xml:"), std::string::npos) << reason;
      EXPECT_NE(reason.find("lies outside"), std::string::npos) << path << ": " << reason;
      EXPECT_NE(reason.find("--root DIR"), std::string::npos) << reason;
    }
  }
  EXPECT_NE(refusal_of(urdf("file://" + (folder_ / "secret.obj").string())).find("lies outside"),
            std::string::npos);
}

TEST_F(ModelRoot, IsThePackageThatTheFileLiesIn) {
  write_file(folder_ / "pkg/package.xml", "<package/>");
  EXPECT_EQ(refusal_of(urdf("../meshes/in.obj")), "");
  EXPECT_EQ(refusal_of(mjcf("../meshes/in.obj")), "");
  EXPECT_NE(refusal_of(urdf("../../secret.obj")), "");
  EXPECT_NE(refusal_of(mjcf("../../secret.obj")), "");
}

TEST_F(ModelRoot, HoldsForPackagesToo) {
  EXPECT_EQ(refusal_of(urdf("package://pkg/meshes/in.obj")), "");
  EXPECT_NE(refusal_of(urdf("package://pkg/../secret.obj")).find("lies outside"),
            std::string::npos);
  const RobotReadOptions told{.packages = {{"x", folder_ / "pkg/meshes"}}};
  EXPECT_EQ(refusal_of(urdf("package://x/in.obj"), told), "");
  EXPECT_NE(refusal_of(urdf("package://x/../../secret.obj"), told).find("lies outside"),
            std::string::npos);
}

TEST_F(ModelRoot, IsWhatTheCallerSays) {
  EXPECT_EQ(refusal_of(urdf("../../secret.obj"), {.root = folder_.path()}), "");
  EXPECT_EQ(refusal_of(mjcf("../../secret.obj"), {.root = folder_.path()}), "");
  EXPECT_NE(refusal_of(urdf("in.obj"), {.root = folder_ / "pkg/meshes"}), "");
}

TEST_F(ModelRoot, FollowsLinks) {
  fs::create_symlink(folder_ / "secret.obj", folder_ / "pkg/robots/link.obj");
  EXPECT_NE(refusal_of(urdf("link.obj")).find("lies outside"), std::string::npos);
  fs::create_symlink("in.obj", folder_ / "pkg/robots/own.obj");
  EXPECT_EQ(refusal_of(urdf("own.obj")), "");
}

TEST_F(ModelRoot, HoldsForIncludes) {
  write_file(folder_ / "body.xml", kBody);
  write_file(folder_ / "pkg/robots/body.xml", kBody);
  EXPECT_EQ(refusal_of("<mujoco><include file='body.xml'/></mujoco>"), "");
  for (const std::string& path : {std::string("../../body.xml"), (folder_ / "body.xml").string()}) {
    const std::string reason = refusal_of("<mujoco>\n<include file='" + path + "'/></mujoco>");
    EXPECT_NE(reason.find("robot.xml:2: "), std::string::npos) << reason;
    EXPECT_NE(reason.find("lies outside"), std::string::npos) << reason;
  }
}

/// Hinges a, b, c in a chain; each may follow another.
std::string chain(const std::string& a, const std::string& b, const std::string& c) {
  const auto joint = [](const std::string& name, const std::string& parent,
                        const std::string& leader) {
    return "<link name='l" + name +
           "'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1'/>"
           "</inertial></link>\n<joint name='" +
           name + "' type='continuous'><parent link='" + parent + "'/><child link='l" + name +
           "'/>" + (leader.empty() ? std::string() : "<mimic joint='" + leader + "'/>") +
           "</joint>";
  };
  return "<robot name='r'><link name='base'/>" + joint("a", "base", a) + joint("b", "la", b) +
         joint("c", "lb", c) + "</robot>";
}

TEST_F(ModelRoot, NoJointMimicsItself) {
  EXPECT_EQ(refusal_of(chain("", "a", "b")), "");
  EXPECT_EQ(refusal_of(chain("b", "c", "")), "");
  EXPECT_NE(refusal_of(chain("a", "", "")).find("joint 'a' mimics itself"), std::string::npos);
  EXPECT_NE(refusal_of(chain("b", "a", "")).find("mimics itself"), std::string::npos);
  EXPECT_NE(refusal_of(chain("b", "c", "a")).find("mimics itself"), std::string::npos);
  EXPECT_NE(refusal_of(chain("b", "c", "b")).find("joint 'b' mimics itself"), std::string::npos);
}

}  // namespace
}  // namespace nsn
