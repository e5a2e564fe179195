#include "tests/fuzz/reader_targets.h"

#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>

#include <fmt/ranges.h>

#include "nsn/backends/standard_backends.h"
#include "nsn/core/base/error.h"
#include "nsn/core/io/friction_file.h"
#include "nsn/core/io/matrix_market.h"
#include "nsn/models/mesh_io/mesh_io.h"
#include "nsn/models/robots/build_robot.h"
#include "nsn/models/robots/own_robots.h"
#include "nsn/models/robots/read_robot.h"
#include "nsn/models/scenes/scene.h"
#include "nsn/models/step/simulation.h"
#include "tests/fuzz/friction_mutations.h"
#include "tests/fuzz/friction_targets.h"
#include "tests/support/mesh_files.h"
#include "tests/support/temporary_folder.h"
#if defined(NSN_WITH_HDF5)
#include "nsn/core/io/atomic_file.h"
#include "nsn/core/io/hdf5_file.h"
#include "nsn/core/io/text_file.h"
#endif

namespace nsn::fuzz {

namespace {

void require(bool condition, const char* promise) {
  if (condition) return;
  std::fprintf(stderr, "an accepted input breaks a promise: %s\n", promise);
  std::abort();
}

bool is_finite(const Vec3& v) {
  return std::isfinite(v[0]) && std::isfinite(v[1]) && std::isfinite(v[2]);
}

// ---- MatrixMarket ----

bool feed_matrix_market(std::string_view input) {
  try {
    const Csr A = parse_matrix_market(input, "input").A;
    require(A.row_begin(A.rows) == A.nonzeros(), "rows are complete");
    for (Index k = 0; k < A.nonzeros(); ++k) {
      require(A.column(k) >= 0 && A.column(k) < A.columns, "a column is in range");
      require(std::isfinite(A.value(k)), "entries are finite");
    }
    return true;
  } catch (const InputError&) {
    return false;
  }
}

std::vector<std::string> matrix_market_seeds() {
  const std::string banner = "%%MatrixMarket matrix ";
  return {
      banner + "coordinate real general\n% a comment\n3 3 4\n1 1 2\n2 2 -3.5e1\n3 3 1\n1 3 0.25\n",
      banner + "coordinate real symmetric\n3 3 3\n1 1 2\n2 1 1\n3 3 1\n",
      banner + "coordinate integer skew-symmetric\n3 3 1\n2 1 4\n",
      banner + "coordinate pattern general\n2 3 2\n1 1\n2 3\n",
      banner + "array real general\n3 1\n1\n2\n3\n",
      banner + "array real symmetric\n2 2\n1\n2\n3\n"};
}

// ---- robots ----

/// A mesh of the model could be any file of the working folder: the fuzzer's is empty.
bool feed_robot(std::string_view input) {
  try {
    const auto robot = std::make_shared<const RobotDescription>(parse_robot(input, "robot.xml"));
    World world;
    static_cast<void>(build_robot(world, robot, {}));
    for (const ConstBodyRef body : world.bodies()) {
      require(is_finite(body.position) && std::isfinite(body.mass), "bodies are finite");
    }
    return true;
  } catch (const InputError&) {
    return false;
  } catch (const std::invalid_argument&) {  // readable, and nothing that can be built
    return false;
  }
}

std::vector<std::string> robot_seeds() {
  std::vector<std::string> seeds = {
      "<robot name='r'><link name='a'/><link name='b'><inertial><origin xyz='0 0 1' rpy='0 .1 "
      "0'/><mass value='2'/>"
      "<inertia ixx='1' iyy='1' izz='1'/></inertial><collision><geometry><box size='1 1 "
      "1'/></geometry></collision>"
      "</link><joint name='j' type='revolute'><parent link='a'/><child link='b'/><axis xyz='0 1 "
      "0'/>"
      "<limit lower='-1' upper='1' effort='3' velocity='1'/><dynamics "
      "damping='1'/></joint></robot>",
      "<mujoco><compiler angle='radian'/><default><geom density='500'/></default><worldbody><body "
      "name='a'>"
      "<freejoint/><geom type='capsule' fromto='0 0 0 0 0 1' size='.1'/><body name='b' pos='0 0 1'>"
      "<joint name='h' axis='0 1 0' range='-1 1'/><geom type='box' size='.1 .2 .3' euler='.1 0 "
      "0'/></body></body>"
      "</worldbody><actuator><position joint='h' kp='3'/></actuator><contact><exclude body1='a' "
      "body2='b'/>"
      "</contact></mujoco>"};
  for (const OwnRobot& robot : own_robots()) seeds.emplace_back(robot.text);
  return seeds;
}

// ---- meshes: the first byte chooses the format ----

using ParseTets = TetMeshFile (*)(std::string_view, std::string_view, const MeshReadOptions&);
using ParseSurface = SurfaceMeshFile (*)(std::string_view, std::string_view);

constexpr std::array<ParseTets, 4> kTets{parse_gmsh, parse_vtk_legacy, parse_vtu, parse_tet_text};
constexpr std::array<ParseSurface, 2> kSurfaces{parse_obj, parse_stl};
constexpr std::size_t kMeshFormats = kTets.size() + kSurfaces.size() + 1;

void check(const TetMesh& mesh) {
  for (const Vec3& node : mesh.node) require(is_finite(node), "nodes are finite");
  for (const auto& tet : mesh.tet) {
    for (const Index n : tet) {
      require(n >= 0 && static_cast<std::size_t>(n) < mesh.node.size(), "a node is in range");
    }
  }
}

void check(const TriangleSurface& surface) {
  for (const Vec3& vertex : surface.vertex) require(is_finite(vertex), "vertices are finite");
  for (const auto& triangle : surface.triangle) {
    for (const auto n : triangle) {
      require(n >= 0 && static_cast<std::size_t>(n) < surface.vertex.size(),
              "a vertex is in range");
    }
  }
}

bool feed_mesh(std::string_view input) {
  if (input.empty()) return false;
  const auto format = static_cast<unsigned char>(input.front()) % kMeshFormats;
  const std::string_view text = input.substr(1);
  try {
    if (format < kTets.size()) {
      check(kTets[format](text, "input", {.remove_unused_nodes = true, .orient_tets = true}).mesh);
    } else if (format < kTets.size() + kSurfaces.size()) {
      check(kSurfaces[format - kTets.size()](text, "input").surface);
    } else {  // the two files of TetGen, a zero byte between them
      const std::size_t cut = std::min(text.find('\0'), text.size());
      const std::string_view rest = text.substr(std::min(cut + 1, text.size()));
      check(parse_tetgen(text.substr(0, cut), "node", rest, "ele").mesh);
    }
    return true;
  } catch (const InputError&) {
    return false;
  }
}

std::string as_format(int format, const std::string& text) {
  return static_cast<char>(format) + text;
}

std::vector<std::string> mesh_seeds() {
  using namespace test;
  return {as_format(0, gmsh_22_text()),
          as_format(0, gmsh_22_binary()),
          as_format(0, gmsh_41_text()),
          as_format(0, gmsh_41_binary()),
          as_format(1, vtk_text()),
          as_format(1, vtk_binary()),
          as_format(1, vtk_51_binary()),
          as_format(2, vtu_file(VtuData::kText)),
          as_format(2, vtu_file(VtuData::kBase64)),
          as_format(2, vtu_file(VtuData::kAppendedRaw)),
          as_format(3, tet_marked()),
          as_format(3, tet_counted()),
          as_format(4, obj_cube()),
          as_format(5, stl_text()),
          as_format(5, stl_binary()),
          as_format(6, tetgen_node() + '\0' + tetgen_ele())};
}

// ---- saved states ----

Simulation small_simulation() {
  return {make_scene("box-on-incline", {}), {}, standard_backends()};
}

bool feed_state(std::string_view input) {
  static Simulation simulation = small_simulation();
  static const std::string begin = simulation.state();
  try {
    simulation.set_state(input);
  } catch (const std::invalid_argument&) {
    require(simulation.state() == begin, "a refused state changes nothing");
    return false;
  }
  require(simulation.state() == input, "a state that was taken is the one that is given back");
  simulation.set_state(begin);
  return true;
}

std::vector<std::string> state_seeds() {
  Simulation simulation = small_simulation();
  std::vector<std::string> seeds{simulation.state()};
  for (int k = 0; k < 3; ++k) simulation.step();
  seeds.push_back(simulation.state());
  return seeds;
}

// ---- FCLIB: datasets as a container gives them, and whole containers ----

/// Takes numbers from the front of bytes; zeros where none are left.
class Bytes {
 public:
  explicit Bytes(std::string_view rest) : rest_(rest) {}

  template <class T>
  T take() {
    T value{};
    const std::size_t count = std::min(sizeof(T), rest_.size());
    std::memcpy(&value, rest_.data(), count);
    rest_.remove_prefix(count);
    return value;
  }

  template <class T, class Stored>
  std::vector<T> list() {
    std::vector<T> values(
        std::min<std::size_t>(take<std::uint8_t>(), rest_.size() / sizeof(Stored)));
    for (T& value : values) value = static_cast<T>(take<Stored>());
    return values;
  }

  FclibMatrix matrix() {
    FclibMatrix A;
    A.m = take<std::int32_t>();
    A.n = take<std::int32_t>();
    A.nz = take<std::int32_t>();
    A.p = list<std::int64_t, std::int32_t>();
    A.i = list<std::int64_t, std::int32_t>();
    A.x = list<double, double>();
    return A;
  }

 private:
  std::string_view rest_;
};

bool feed_fclib(std::string_view input) {
  Bytes bytes(input);
  FclibContent content;
  content.global = bytes.take<std::uint8_t>() % 2 == 1;
  content.spacedim = bytes.take<std::int8_t>();
  content.A = bytes.matrix();
  content.H = bytes.matrix();
  content.q = bytes.list<double, double>();
  content.w = bytes.list<double, double>();
  content.mu = bytes.list<double, double>();
  return feed_content(content);
}

template <class T>
void put(std::string& out, T value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof(T));
}

template <class Stored, class T>
void put_list(std::string& out, const std::vector<T>& values) {
  put(out, static_cast<std::uint8_t>(values.size()));
  for (const T& value : values) put(out, static_cast<Stored>(value));
}

void put_matrix(std::string& out, const FclibMatrix& A) {
  for (const std::int64_t size : {A.m, A.n, A.nz}) put(out, static_cast<std::int32_t>(size));
  put_list<std::int32_t>(out, A.p);
  put_list<std::int32_t>(out, A.i);
  put_list<double>(out, A.x);
}

std::vector<std::string> fclib_seeds() {
  std::vector<std::string> seeds;
  for (const FclibContent& content : content_corpus()) {
    std::string& out = seeds.emplace_back();
    put(out, static_cast<std::uint8_t>(content.global ? 1 : 0));
    put(out, static_cast<std::int8_t>(content.spacedim));
    put_matrix(out, content.A);
    put_matrix(out, content.H);
    put_list<double>(out, content.q);
    put_list<double>(out, content.w);
    put_list<double>(out, content.mu);
  }
  return seeds;
}

#if defined(NSN_WITH_HDF5)

/// The HDF5 library is not ours and may crash: it reads in a child, as nsn solve lets it.
bool feed_hdf5(std::string_view input) {
  static const TemporaryFolder folder;
  const std::string path = (folder / "input.hdf5").string();
  write_file(path, input);
  try {
    static_cast<void>(read_friction_file(path, FrictionFormat::kFclib, Isolation::kChildProcess));
    return true;
  } catch (const InputError&) {
    return false;
  }
}

std::vector<std::string> hdf5_seeds() {
  const TemporaryFolder folder;
  const std::string path = (folder / "seed.hdf5").string();
  std::vector<std::string> seeds;
  for (const FclibContent& content : content_corpus()) {
    static_cast<void>(feed_file(content, path));
    seeds.push_back(read_text_file(path));
  }
  return seeds;
}

#endif

}  // namespace

const std::vector<Reader>& readers() {
  static const std::vector<Reader> all = [] {
    std::vector<Reader> list = {
        {"siconos-text", "problems of Siconos, as text", feed_text, text_corpus},
        {"contactbench", "problems of ContactBench, .npz", feed_archive, archive_corpus},
        {"fclib", "the datasets of FCLIB problems", feed_fclib, fclib_seeds},
        {"matrix-market", "matrices and vectors", feed_matrix_market, matrix_market_seeds},
        {"mesh", "Gmsh, VTK, VTU, TetGen, .tet, OBJ, STL", feed_mesh, mesh_seeds},
        {"state", "what nsn run --save-state writes", feed_state, state_seeds},
    };
#if defined(NSN_WITH_HDF5)
    list.push_back({"hdf5", "FCLIB containers, read in a child process", feed_hdf5, hdf5_seeds});
#endif
    if (reads_robots())
      list.push_back({"robot", "URDF and MJCF, read and built", feed_robot, robot_seeds});
    return list;
  }();
  return all;
}

const Reader& reader_named(std::string_view name) {
  std::vector<std::string> names;
  for (const Reader& reader : readers()) {
    if (reader.name == name) return reader;
    names.push_back(reader.name);
  }
  throw std::invalid_argument(
      fmt::format("no reader '{}'; there are {}", name, fmt::join(names, ", ")));
}

}  // namespace nsn::fuzz
