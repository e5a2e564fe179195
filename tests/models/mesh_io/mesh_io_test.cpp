#include "nsn/models/mesh_io/mesh_io.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#if defined(NSN_TEST_ZLIB)
#include <zlib.h>
#endif

#include "nsn/core/base/error.h"
#include "tests/support/mesh_files.h"
#include "tests/support/public_data.h"
#include "tests/support/temporary_folder.h"

namespace nsn {
namespace {

using test::VtuData;

std::string deflated(const std::string& raw) {
#if defined(NSN_TEST_ZLIB)
  std::string packed(compressBound(raw.size()), '\0');
  auto length = static_cast<uLongf>(packed.size());
  compress(reinterpret_cast<Bytef*>(packed.data()), &length,
           reinterpret_cast<const Bytef*>(raw.data()), raw.size());
  packed.resize(length);
  return packed;
#else
  return raw;
#endif
}

using Parse = std::function<TetMeshFile(const std::string&)>;
struct Format {
  std::string name;
  std::string text;
  Parse parse;
  std::string found;
  Index skipped;
};

std::vector<Format> tet_formats() {
  const Parse gmsh = [](const std::string& text) { return parse_gmsh(text, "file"); };
  const Parse vtk = [](const std::string& text) { return parse_vtk_legacy(text, "file"); };
  const Parse vtu = [](const std::string& text) { return parse_vtu(text, "file"); };
  const Parse tet = [](const std::string& text) { return parse_tet_text(text, "file"); };
  const Parse node = [](const std::string& text) {
    return parse_tetgen(text, "file", test::tetgen_ele(), "ele");
  };
  const Parse ele = [](const std::string& text) {
    return parse_tetgen(test::tetgen_node(), "node", text, "file");
  };
  std::vector<Format> formats = {
      {"gmsh 2.2 text", test::gmsh_22_text(), gmsh, "gmsh 2.2 text", 2},
      {"gmsh 2.2 binary", test::gmsh_22_binary(), gmsh, "gmsh 2.2 binary", 1},
      {"gmsh 2.2 binary swapped", test::gmsh_22_binary(true), gmsh, "gmsh 2.2 binary", 1},
      {"gmsh 4.1 text", test::gmsh_41_text(), gmsh, "gmsh 4.1 text", 1},
      {"gmsh 4.1 binary", test::gmsh_41_binary(), gmsh, "gmsh 4.1 binary", 1},
      {"gmsh 4.1 binary swapped", test::gmsh_41_binary(true), gmsh, "gmsh 4.1 binary", 1},
      {"vtk text", test::vtk_text(), vtk, "vtk text", 1},
      {"vtk binary", test::vtk_binary(), vtk, "vtk binary", 1},
      {"vtk 5.1 binary", test::vtk_51_binary(), vtk, "vtk binary", 0},
      {"vtu text", test::vtu_file(VtuData::kText), vtu, "vtu", 1},
      {"vtu base64", test::vtu_file(VtuData::kBase64), vtu, "vtu", 1},
      {"vtu base64 split", test::vtu_file(VtuData::kBase64Split), vtu, "vtu", 1},
      {"vtu appended raw", test::vtu_file(VtuData::kAppendedRaw), vtu, "vtu", 1},
      {"vtu appended base64", test::vtu_file(VtuData::kAppendedBase64), vtu, "vtu", 1},
      {"tetgen node", test::tetgen_node(), node, "tetgen", 0},
      {"tetgen ele", test::tetgen_ele(), ele, "tetgen", 0},
      {"tet marked", test::tet_marked(), tet, "tet", 0},
      {"tet counted", test::tet_counted(), tet, "tet", 0}};
  if (reads_compressed_vtu()) {
    for (const VtuData kind : {VtuData::kBase64, VtuData::kAppendedRaw, VtuData::kAppendedBase64}) {
      formats.push_back(
          {"vtu compressed", test::vtu_file(kind, deflated), vtu, "vtu compressed", 1});
    }
  }
  return formats;
}

std::string error_of(const std::function<void()>& read) {
  try {
    read();
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(MeshIo, EveryFormatYieldsTheSameCube) {
  const test::CubeMesh cube = test::cube_mesh();
  for (const Format& format : tet_formats()) {
    SCOPED_TRACE(format.name);
    const TetMeshFile file = format.parse(format.text);

    EXPECT_EQ(file.format, format.found);
    EXPECT_EQ(file.skipped_elements, format.skipped);
    EXPECT_EQ(file.notes.empty(), format.skipped == 0);
    ASSERT_EQ(file.mesh.num_nodes(), 8);
    ASSERT_EQ(file.mesh.num_tets(), 6);
    for (std::size_t t = 0; t < 6; ++t) EXPECT_EQ(file.mesh.tet[t], cube.tet[t]);
    for (std::size_t n = 0; n < 8; ++n) {
      for (std::size_t i = 0; i < 3; ++i) {
        // One of the files holds single precision.
        EXPECT_NEAR(file.mesh.node[n][static_cast<int>(i)], cube.node[n][i], 1e-7);
      }
    }
    EXPECT_NEAR(volume(file.mesh), 1.0, 1e-6);
  }
}

TEST(MeshIo, RegionsAreKept) {
  EXPECT_EQ(parse_gmsh(test::gmsh_22_text(), "f").mesh.region[5], 105);
  EXPECT_EQ(parse_gmsh(test::gmsh_22_binary(), "f").mesh.region[5], 105);
  EXPECT_EQ(parse_gmsh(test::gmsh_41_text(), "f").mesh.region[5], 42);
  EXPECT_EQ(parse_gmsh(test::gmsh_41_binary(), "f").mesh.region[5], 42);
  EXPECT_EQ(parse_tetgen(test::tetgen_node(), "n", test::tetgen_ele(), "e").mesh.region[0], 7);
}

TEST(MeshIo, TruncatedFilesAreRefusedOrWhole) {
  // Whatever is cut off: the mesh is complete (only a last line end or trailing data is missing),
  // or there is an error that begins with the file's name.
  for (const Format& format : tet_formats()) {
    for (std::size_t length = 0; length < format.text.size(); ++length) {
      try {
        const TetMeshFile file = format.parse(format.text.substr(0, length));
        // Marked lines carry no count: a file cut between two of them looks whole.
        if (format.name != "tet marked") {
          EXPECT_EQ(file.mesh.num_tets(), 6) << format.name << " cut at " << length;
        }
      } catch (const InputError& error) {
        EXPECT_EQ(std::string(error.what()).rfind("file", 0) == 0 ||
                      std::string(error.what()).rfind("ele", 0) == 0,
                  true)
            << error.what();
      }
    }
  }
}

// A byte changed, a stretch removed, repeated, or replaced by hostile numbers.
std::string mutated(std::string text, std::mt19937& random) {
  const std::vector<std::string> hostile = {"-1",
                                            "0",
                                            "nan",
                                            "inf",
                                            "1e400",
                                            "4294967295",
                                            "9223372036854775807",
                                            "99999999999999999999",
                                            "$EndNodes",
                                            "<",
                                            ">",
                                            "\"",
                                            "_",
                                            "\n",
                                            "=",
                                            "2147483647"};
  const int changes = 1 + static_cast<int>(random() % 3);
  for (int c = 0; c < changes && !text.empty(); ++c) {
    const std::size_t at = random() % text.size();
    const std::size_t length = std::min<std::size_t>(1 + random() % 12, text.size() - at);
    switch (random() % 5) {
      case 0:
        text[at] = static_cast<char>(random() % 256);
        break;
      case 1:
        text.erase(at, length);
        break;
      case 2:
        text.insert(at, text.substr(at, length));
        break;
      case 3:
        text.replace(at, length, hostile[random() % hostile.size()]);
        break;
      default:
        text[at] = static_cast<char>(text[at] ^ (1 << (random() % 8)));
    }
  }
  return text;
}

TEST(MeshIo, MutatedFilesAreMeshesOrErrors) {
  std::mt19937 random(2024);
  for (const Format& format : tet_formats()) {
    int meshes = 0;
    for (int trial = 0; trial < 3000; ++trial) {
      const std::string text = mutated(format.text, random);
      try {
        const TetMeshFile file = format.parse(text);
        ASSERT_EQ(find_defect(file.mesh), "") << format.name << "\n" << text;
        ++meshes;
      } catch (const InputError& error) {
        ASSERT_GT(std::string(error.what()).size(), 8U);
      }
    }
    EXPECT_LT(meshes, 3000) << format.name;
  }
}

TEST(MeshIo, MutatedSurfacesAreSurfacesOrErrors) {
  std::mt19937 random(2025);
  for (int kind = 0; kind < 3; ++kind) {
    const std::string base = kind == 0   ? test::obj_cube()
                             : kind == 1 ? test::stl_text()
                                         : test::stl_binary();
    for (int trial = 0; trial < 3000; ++trial) {
      const std::string text = mutated(base, random);
      try {
        const SurfaceMeshFile file = kind == 0 ? parse_obj(text, "f") : parse_stl(text, "f");
        for (const Vec3& x : file.surface.vertex) ASSERT_TRUE(all_finite(x));
        for (const auto& triangle : file.surface.triangle) {
          for (const Index v : triangle) ASSERT_TRUE(v >= 0 && v < file.surface.num_vertices());
        }
      } catch (const InputError& error) {
        ASSERT_GT(std::string(error.what()).size(), 1U);
      }
    }
  }
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(MeshIo, ErrorsNameTheLine) {
  const std::string marked = test::tet_marked();
  EXPECT_EQ(error_of([&] { parse_tet_text(replaced(marked, "v 1.1", "v nan"), "cube.tet"); }),
            "cube.tet:3: x 'nan' is not finite");
  EXPECT_EQ(
      error_of([&] { parse_tet_text(replaced(marked, "t 0 3 2 7", "t 0 3 2 8"), "cube.tet"); }),
      "cube.tet:11: a tetrahedron has node 8, which is not in the file");
  EXPECT_EQ(error_of([&] {
              parse_gmsh(replaced(test::gmsh_22_text(), "$EndElements\n", ""), "cube.msh");
            }),
            "cube.msh:25: the file ends where the end of $Elements is expected");
  EXPECT_EQ(error_of([&] {
              parse_gmsh(replaced(test::gmsh_41_text(), "4.1 0 8", "4.0 0 8"), "cube.msh");
            }),
            "cube.msh:2: version '4.0' of the format is not supported; 2.2 and 4.1 are");
  EXPECT_EQ(error_of([&] {
              parse_gmsh(replaced(test::gmsh_22_text(), "$Nodes\n8", "$Nodes\n800000000"), "f");
            }),
            "f:5: number of nodes 800000000 is more than the file can hold");
  EXPECT_EQ(error_of([&] { parse_vtu("<VTKFile type=\"PolyData\">", "f"); }),
            "f:1: VTKFile of type 'PolyData' is not an UnstructuredGrid");
  EXPECT_EQ(
      error_of([&] { parse_stl("solid x\nfacet normal 0 0 1\nouter loop\nvertex 0 0 inf", "f"); }),
      "f:4: z 'inf' is not finite");
  EXPECT_EQ(error_of([&] { parse_obj("v 0 0 0\nv 1 0 0\nf 1 2 3\n", "f"); }),
            "f:3: a face has vertex 3, there are 2 before it");
}

TEST(MeshIo, DefectsOfTheMeshAreErrorsUnlessTheyMayBeRepaired) {
  const std::string inverted = replaced(test::tet_marked(), "t 0 1 3 7", "t 1 0 3 7");
  EXPECT_NE(error_of([&] {
              parse_tet_text(inverted, "f");
            }).find("f: tetrahedron 0 (nodes 1 0 3 7) is inverted"),
            std::string::npos);
  const TetMeshFile turned = parse_tet_text(inverted, "f", {false, true});
  EXPECT_EQ(turned.oriented_tets, 1);
  EXPECT_NEAR(volume(turned.mesh), 1.0, 1e-12);

  const std::string loose = test::tet_marked() + "v 5 5 5\n";
  EXPECT_EQ(error_of([&] { parse_tet_text(loose, "f"); }),
            "f: node 8 belongs to no tetrahedron (1 such nodes)");
  const TetMeshFile cleaned = parse_tet_text(loose, "f", {true, false});
  EXPECT_EQ(cleaned.removed_nodes, 1);
  EXPECT_EQ(cleaned.mesh.num_nodes(), 8);

  const std::string flat = replaced(test::tet_marked(), "t 0 1 3 7", "t 0 1 3 2");
  EXPECT_NE(error_of([&] { parse_tet_text(flat, "f"); }).find("has no volume"), std::string::npos);
  EXPECT_EQ(error_of([&] { parse_tet_text("v 0 0 0\n", "f"); }), "f: the mesh has no tetrahedra");
}

TEST(MeshIo, SurfacesOfACube) {
  for (int kind = 0; kind < 3; ++kind) {
    const SurfaceMeshFile file = kind == 0   ? parse_obj(test::obj_cube(), "f")
                                 : kind == 1 ? parse_stl(test::stl_text(), "f")
                                             : parse_stl(test::stl_binary(), "f");
    EXPECT_EQ(file.format, kind == 0 ? "obj" : kind == 1 ? "stl text" : "stl binary");
    EXPECT_EQ(file.surface.num_vertices(), 8);
    EXPECT_EQ(file.surface.num_triangles(), 12);
    EXPECT_TRUE(file.notes.empty());
    EXPECT_NEAR(enclosed_volume(file.surface), 1.0, 1e-6);
    EXPECT_NEAR(area(file.surface), 6.0, 1e-6);
  }
  // MuJoCo's: four counts, positions, triangles.
  std::string msh;
  const auto put = [&](auto number) {
    msh.append(reinterpret_cast<const char*>(&number), sizeof(number));
  };
  for (const int n : {4, 0, 0, 4}) put(static_cast<std::int32_t>(n));
  for (const int x : {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1}) put(static_cast<float>(x));
  for (const int v : {0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 2}) put(static_cast<std::int32_t>(v));
  EXPECT_NEAR(enclosed_volume(parse_surface_msh(msh, "f").surface), 1.0 / 6.0, 1e-7);
  EXPECT_EQ(error_of([&] { parse_surface_msh(msh.substr(0, 100), "f"); }),
            "f: 100 bytes are not those of a surface in MuJoCo's .msh");
  msh.back() = 9;
  EXPECT_NE(error_of([&] { parse_surface_msh(msh, "f"); }).find("has no vertex"),
            std::string::npos);
  // One triangle left out: accepted, with a note.
  const SurfaceMeshFile open = parse_obj("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", "f");
  ASSERT_EQ(open.notes.size(), 1U);
  EXPECT_NE(open.notes[0].find("not a closed manifold: 3 edges"), std::string::npos);
}

TEST(MeshIo, FilesAreChosenByTheirEnding) {
  const TemporaryFolder folder;
  const auto write = [&](const std::string& name, const std::string& text) {
    std::ofstream(folder / name, std::ios::binary) << text;
    return folder / name;
  };
  EXPECT_EQ(read_tet_mesh(write("a.MSH", test::gmsh_41_binary())).format, "gmsh 4.1 binary");
  EXPECT_EQ(read_tet_mesh(write("a.vtk", test::vtk_text())).format, "vtk text");
  EXPECT_EQ(read_tet_mesh(write("a.vtu", test::vtu_file(VtuData::kText))).format, "vtu");
  EXPECT_EQ(read_tet_mesh(write("a.tet", test::tet_counted())).format, "tet");
  write("a.node", test::tetgen_node());
  EXPECT_EQ(read_tet_mesh(write("a.ele", test::tetgen_ele())).format, "tetgen");
  EXPECT_EQ(read_tet_mesh(folder / "a.node").mesh.num_tets(), 6);
  EXPECT_EQ(read_surface_mesh(write("a.stl", test::stl_binary())).format, "stl binary");
  EXPECT_THROW(read_tet_mesh(write("a.obj", test::obj_cube())), InputError);
  EXPECT_THROW(read_surface_mesh(folder / "a.tet"), InputError);
  EXPECT_THROW(read_tet_mesh(folder / "missing.msh"), InputError);
  EXPECT_THROW(read_tet_mesh(write("empty.vtu", "")), InputError);
}

/// A tetrahedron in centimetres, z up, moved by 1 along x by its node.
constexpr const char* kCollada = R"(<?xml version="1.0"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><unit name="centimeter" meter="0.01"/><up_axis>Z_UP</up_axis></asset>
<library_geometries><geometry id="g"><mesh>
<source id="p"><float_array id="a" count="12">0 0 0 1 0 0 0 1 0 0 0 1</float_array>
<technique_common><accessor source="#a" count="4" stride="3"><param name="X" type="float"/>
<param name="Y" type="float"/><param name="Z" type="float"/></accessor></technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
<triangles count="4"><input semantic="VERTEX" source="#v" offset="0"/><p>0 2 1 0 1 3 1 2 3 0 3 2</p></triangles>
</mesh></geometry></library_geometries>
<library_visual_scenes><visual_scene id="s"><node><translate>1 0 0</translate>
<instance_geometry url="#g"/></node></visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#s"/></scene></COLLADA>)";

TEST(MeshIo, ColladaByAssimpOrASentence) {
  const TemporaryFolder folder;
  const auto path = folder / "part.dae";
  std::ofstream(path) << kCollada;
  if (!reads_by_assimp(".dae")) {
    try {
      read_surface_mesh(path);
      FAIL() << "a build without assimp read " << path;
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find("part.dae: surfaces are read from"),
                std::string::npos);
    }
    return;
  }
  const SurfaceMeshFile file = read_surface_mesh(path);
  EXPECT_EQ(file.format, "dae by assimp");
  EXPECT_EQ(file.surface.num_vertices(), 4);
  EXPECT_EQ(file.surface.num_triangles(), 4);
  Vec3 low = file.surface.vertex[0];
  Vec3 high = low;
  for (const Vec3& x : file.surface.vertex) {
    for (int k = 0; k < 3; ++k) {
      low[k] = std::min(low[k], x[k]);
      high[k] = std::max(high[k], x[k]);
    }
  }
  EXPECT_LT(norm(low - Vec3{0.01, 0.0, 0.0}), 1e-8);
  EXPECT_LT(norm(high - Vec3{0.02, 0.01, 0.01}), 1e-8);
}

TEST(MeshIo, WhatAssimpRefusesIsNamed) {
  if (!reads_by_assimp(".dae")) GTEST_SKIP() << "nsn was built without assimp";
  const TemporaryFolder folder;
  for (const std::string name : {"broken.dae", "broken.ply", "broken.glb"}) {
    const auto path = folder / name;
    std::ofstream(path) << "nothing of the kind";
    try {
      read_surface_mesh(path);
      FAIL() << name;
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find(name + ": "), std::string::npos) << error.what();
    }
  }
  const std::string text = kCollada;  // cut anywhere: a mesh or a sentence
  for (std::size_t end = 0; end < text.size(); end += 41) {
    try {
      parse_by_assimp(std::string_view(text).substr(0, end), ".dae", "cut.dae");
    } catch (const InputError& error) {
      EXPECT_EQ(std::string(error.what()).find("cut.dae: "), 0U) << error.what();
    }
  }
}

TEST(MeshIo, MeshesByOthers) {
  const std::filesystem::path meshes = std::filesystem::path(NSN_DATA_DIR) / "meshes";
  NSN_NEED_PUBLIC_DATA("meshes");
  const std::vector<std::pair<std::string, Index>> files = {
      {"cube.msh", 6},        {"bar-6.msh", 6},       {"bar-186.msh", 186},
      {"bar-2523.msh", 2523}, {"rod.msh", 1722},      {"mat20x20.msh", 2166},
      {"sphere1K.msh", 6851}, {"icosphere.tet", 427}, {"arch25/largeArch.01.msh", 6}};
  for (const auto& [name, tets] : files) {
    SCOPED_TRACE(name);
    TetMeshFile file;
    EXPECT_EQ(error_of([&] { file = read_tet_mesh(meshes / name); }), "");
    EXPECT_EQ(file.mesh.num_tets(), tets);
    const SurfaceReport surface = extract_surface(file.mesh);
    EXPECT_EQ(surface.note, "");
    EXPECT_NEAR(enclosed_volume(surface.surface) / volume(file.mesh), 1.0, 1e-9);
    RecordProperty(
        name, fmt::format("{} tets, {} nodes, {} triangles, {} turned, {} removed",
                          file.mesh.num_tets(), file.mesh.num_nodes(),
                          surface.surface.num_triangles(), file.oriented_tets, file.removed_nodes));
  }
}

}  // namespace
}  // namespace nsn
