/// Mesh files of every format, written in memory: a unit cube of six tetrahedra and two elements
/// that are not tetrahedra.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "nsn/core/base/types.h"

namespace nsn::test {

struct CubeMesh {
  std::vector<std::array<double, 3>> node;
  std::vector<std::array<Index, 4>> tet;
};

/// Six tetrahedra around the diagonal from (0,0,0) to (1,1,1), all positive.
inline CubeMesh cube_mesh() {
  CubeMesh cube;
  for (int k = 0; k < 8; ++k) {
    cube.node.push_back({0.1 + (k & 1), 0.2 + ((k >> 1) & 1), 0.3 + ((k >> 2) & 1)});
  }
  cube.tet = {{0, 1, 3, 7}, {0, 3, 2, 7}, {0, 2, 6, 7}, {0, 6, 4, 7}, {0, 4, 5, 7}, {0, 5, 1, 7}};
  return cube;
}

/// Bytes of numbers, in the machine's order or the other one.
template <class T>
std::string bytes_of(T value, bool swapped = false) {
  std::string raw(reinterpret_cast<const char*>(&value), sizeof(T));
  return swapped ? std::string(raw.rbegin(), raw.rend()) : raw;
}

inline std::string gmsh_22_text() {
  const CubeMesh cube = cube_mesh();
  std::string text = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n8\n";
  for (std::size_t k = 0; k < 8; ++k) {
    text +=
        fmt::format("{} {} {} {}\n", 10 * k + 5, cube.node[k][0], cube.node[k][1], cube.node[k][2]);
  }
  text += "$EndNodes\n$Elements\n8\n1 15 2 0 1 5\n2 2 2 9 9 5 15 35\n";
  for (std::size_t t = 0; t < 6; ++t) {
    const auto& n = cube.tet[t];
    text += fmt::format("{} 4 2 {} 1 {} {} {} {}\n", t + 3, 100 + t, 10 * n[0] + 5, 10 * n[1] + 5,
                        10 * n[2] + 5, 10 * n[3] + 5);
  }
  return text + "$EndElements\n";
}

inline std::string gmsh_22_binary(bool swapped = false) {
  const CubeMesh cube = cube_mesh();
  const auto word = [&](std::int32_t v) { return bytes_of(v, swapped); };
  std::string text = "$MeshFormat\n2.2 1 8\n" + word(1) + "\n$EndMeshFormat\n$Nodes\n8\n";
  for (std::size_t k = 0; k < 8; ++k) {
    text += word(static_cast<std::int32_t>(k) + 1);
    for (const double x : cube.node[k]) text += bytes_of(x, swapped);
  }
  text += "\n$EndNodes\n$Elements\n7\n" + word(2) + word(1) + word(2);
  for (const int v : {1, 9, 9, 1, 2, 3}) text += word(v);
  text += word(4) + word(6) + word(2);
  for (std::size_t t = 0; t < 6; ++t) {
    text +=
        word(static_cast<std::int32_t>(t) + 2) + word(static_cast<std::int32_t>(100 + t)) + word(1);
    for (const Index n : cube.tet[t]) text += word(n + 1);
  }
  return text + "\n$EndElements\n";
}

inline std::string gmsh_41_text() {
  const CubeMesh cube = cube_mesh();
  std::string text =
      "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Comment\nanything 1 2 3\n$EndComment\n"
      "$Nodes\n2 8 1 8\n2 1 0 3\n1\n2\n3\n";
  const auto position = [&](std::size_t k) {
    return fmt::format("{} {} {}\n", cube.node[k][0], cube.node[k][1], cube.node[k][2]);
  };
  for (std::size_t k = 0; k < 3; ++k) text += position(k);
  text += "3 1 0 5\n4\n5\n6\n7\n8\n";
  for (std::size_t k = 3; k < 8; ++k) text += position(k);
  text += "$EndNodes\n$Elements\n2 7 1 7\n2 1 2 1\n1 1 2 3\n3 42 4 6\n";
  for (std::size_t t = 0; t < 6; ++t) {
    const auto& n = cube.tet[t];
    text += fmt::format("{} {} {} {} {}\n", t + 2, n[0] + 1, n[1] + 1, n[2] + 1, n[3] + 1);
  }
  return text + "$EndElements\n";
}

inline std::string gmsh_41_binary(bool swapped = false) {
  const CubeMesh cube = cube_mesh();
  const auto word = [&](std::int32_t v) { return bytes_of(v, swapped); };
  const auto size = [&](std::uint64_t v) { return bytes_of(v, swapped); };
  std::string text = "$MeshFormat\n4.1 1 8\n" + word(1) + "\n$EndMeshFormat\n";
  text += "$Entities\n" + size(0) + size(0) + size(0) + size(0) + "\n$EndEntities\n";
  text += "$Nodes\n" + size(1) + size(8) + size(1) + size(8);
  text += word(3) + word(1) + word(0) + size(8);
  for (std::uint64_t k = 1; k <= 8; ++k) text += size(k);
  for (const auto& x : cube.node) {
    for (const double v : x) text += bytes_of(v, swapped);
  }
  text += "\n$EndNodes\n$Elements\n" + size(2) + size(7) + size(1) + size(7);
  text += word(2) + word(1) + word(2) + size(1) + size(1) + size(1) + size(2) + size(3);
  text += word(3) + word(42) + word(4) + size(6);
  for (std::size_t t = 0; t < 6; ++t) {
    text += size(t + 2);
    for (const Index n : cube.tet[t]) text += size(static_cast<std::uint64_t>(n) + 1);
  }
  return text + "\n$EndElements\n";
}

inline std::string vtk_text() {
  const CubeMesh cube = cube_mesh();
  std::string text =
      "# vtk DataFile Version 3.0\na title\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 8 double\n";
  for (const auto& x : cube.node) text += fmt::format("{} {} {}\n", x[0], x[1], x[2]);
  text += "\nCELLS 7 34\n3 0 1 2\n";
  for (const auto& n : cube.tet) {
    text += fmt::format("4 {} {} {} {}\n", n[0], n[1], n[2], n[3]);
  }
  text += "\nCELL_TYPES 7\n5\n";
  for (std::size_t t = 0; t < 6; ++t) text += "10\n";
  return text + "\nCELL_DATA 7\nSCALARS s int 1\nLOOKUP_TABLE default\n1 2 3 4 5 6 7\n";
}

/// Big-endian, as the format demands.
inline std::string vtk_binary() {
  const CubeMesh cube = cube_mesh();
  std::string text =
      "# vtk DataFile Version 3.0\na title\nBINARY\nDATASET UNSTRUCTURED_GRID\nPOINTS 8 float\n";
  for (const auto& x : cube.node) {
    for (const double v : x) text += bytes_of(static_cast<float>(v), true);
  }
  text += "\nCELLS 7 34\n";
  for (const int v : {3, 0, 1, 2}) text += bytes_of(std::int32_t{v}, true);
  for (const auto& tet : cube.tet) {
    text += bytes_of(std::int32_t{4}, true);
    for (const Index n : tet) text += bytes_of(std::int32_t{n}, true);
  }
  text += "\nCELL_TYPES 7\n" + bytes_of(std::int32_t{5}, true);
  for (std::size_t t = 0; t < 6; ++t) text += bytes_of(std::int32_t{10}, true);
  return text + "\n";
}

/// Version 5.1: offsets and connectivity of 64 bits.
inline std::string vtk_51_binary() {
  const CubeMesh cube = cube_mesh();
  std::string text =
      "# vtk DataFile Version 5.1\na title\nBINARY\nDATASET UNSTRUCTURED_GRID\nPOINTS 8 double\n";
  for (const auto& x : cube.node) {
    for (const double v : x) text += bytes_of(v, true);
  }
  text += "\nMETADATA\nINFORMATION 0\n\nCELLS 7 24\nOFFSETS vtktypeint64\n";
  for (std::int64_t k = 0; k < 7; ++k) text += bytes_of(4 * k, true);
  text += "\nCONNECTIVITY vtktypeint64\n";
  for (const auto& tet : cube.tet) {
    for (const Index n : tet) text += bytes_of(std::int64_t{n}, true);
  }
  text += "\nCELL_TYPES 6\n";
  for (std::size_t t = 0; t < 6; ++t) text += bytes_of(std::int32_t{10}, true);
  return text + "\n";
}

inline std::string base64(std::string_view data) {
  constexpr std::string_view digits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (std::size_t k = 0; k < data.size(); k += 3) {
    std::uint32_t bits = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      bits = (bits << 8U) | (k + i < data.size() ? static_cast<unsigned char>(data[k + i]) : 0U);
    }
    for (std::size_t i = 0; i < 4; ++i) {
      out += k + i <= data.size() ? digits[(bits >> (18U - 6U * i)) & 63U] : '=';
    }
  }
  return out;
}

enum class VtuData { kText, kBase64, kBase64Split, kAppendedRaw, kAppendedBase64 };

/// An array as the format writes it; pack turns raw bytes into a compressed block (empty: none).
inline std::string vtu_file(VtuData kind, std::string (*pack)(const std::string&) = nullptr) {
  const CubeMesh cube = cube_mesh();
  std::string points;
  std::string connectivity;
  std::string offsets;
  std::string types;
  std::string text[4];
  for (const auto& x : cube.node) {
    for (const double v : x) {
      points += bytes_of(v);
      text[0] += fmt::format("{} ", v);
    }
  }
  std::vector<std::vector<Index>> cells = {{0, 1, 2}};
  for (const auto& tet : cube.tet) cells.emplace_back(tet.begin(), tet.end());
  std::int64_t end = 0;
  for (const auto& cell : cells) {
    for (const Index n : cell) {
      connectivity += bytes_of(std::int32_t{n});
      text[1] += fmt::format("{} ", n);
    }
    end += static_cast<std::int64_t>(cell.size());
    offsets += bytes_of(end);
    text[2] += fmt::format("{} ", end);
    types += bytes_of(static_cast<std::uint8_t>(cell.size() == 3 ? 5 : 10));
    text[3] += cell.size() == 3 ? "5 " : "10 ";
  }
  std::string appended;
  const std::string raw[4] = {points, connectivity, offsets, types};
  const auto array = [&](std::size_t k, const std::string& attributes) {
    std::string head;
    std::string body = raw[k];
    if (pack != nullptr) {
      body = pack(raw[k]);
      head = bytes_of(std::uint32_t{1}) + bytes_of(static_cast<std::uint32_t>(raw[k].size())) +
             bytes_of(std::uint32_t{0}) + bytes_of(static_cast<std::uint32_t>(body.size()));
    } else {
      head = bytes_of(static_cast<std::uint32_t>(body.size()));
    }
    const bool split = pack != nullptr || kind == VtuData::kBase64Split;
    const std::string encoded = split ? base64(head) + base64(body) : base64(head + body);
    std::string out = "<DataArray " + attributes;
    if (kind == VtuData::kText) return out + " format=\"ascii\">\n" + text[k] + "\n</DataArray>\n";
    if (kind == VtuData::kBase64 || kind == VtuData::kBase64Split) {
      return out + " format=\"binary\">\n" + encoded + "\n</DataArray>\n";
    }
    out += fmt::format(" format=\"appended\" offset=\"{}\"/>\n", appended.size());
    appended += kind == VtuData::kAppendedRaw ? head + body : encoded;
    return out;
  };
  std::string file =
      "<?xml version=\"1.0\"?>\n<!-- a <comment> -->\n"
      "<VTKFile type=\"UnstructuredGrid\" version=\"0.1\" byte_order=\"LittleEndian\"";
  if (pack != nullptr) file += " compressor=\"vtkZLibDataCompressor\"";
  file += ">\n<UnstructuredGrid>\n<Piece NumberOfPoints=\"8\" NumberOfCells=\"7\">\n<Points>\n";
  file += array(0, "type=\"Float64\" Name=\"Points\" NumberOfComponents=\"3\"");
  file += "</Points>\n<Cells>\n" + array(1, "type=\"Int32\" Name=\"connectivity\"");
  file += array(2, "type=\"Int64\" Name=\"offsets\"");
  file += array(3, "type=\"UInt8\" Name=\"types\"");
  file += "</Cells>\n</Piece>\n</UnstructuredGrid>\n";
  if (!appended.empty()) {
    file += fmt::format("<AppendedData encoding=\"{}\">\n_{}\n</AppendedData>\n",
                        kind == VtuData::kAppendedRaw ? "raw" : "base64", appended);
  }
  return file + "</VTKFile>\n";
}

inline std::string tetgen_node() {
  const CubeMesh cube = cube_mesh();
  std::string text = "# made by hand\n8 3 1 1\n";
  for (std::size_t k = 0; k < 8; ++k) {
    text += fmt::format("{} {} {} {} 0.5 1  # a node\n", k + 1, cube.node[k][0], cube.node[k][1],
                        cube.node[k][2]);
  }
  return text;
}
inline std::string tetgen_ele() {
  const CubeMesh cube = cube_mesh();
  std::string text = "6 4 1\n";
  for (std::size_t t = 0; t < 6; ++t) {
    const auto& n = cube.tet[t];
    text += fmt::format("{} {} {} {} {} {}\n", t + 1, n[0] + 1, n[1] + 1, n[2] + 1, n[3] + 1, 7);
  }
  return text;
}

inline std::string tet_marked() {
  const CubeMesh cube = cube_mesh();
  std::string text = "# a cube\n";
  for (const auto& x : cube.node) text += fmt::format("v {} {} {}\n", x[0], x[1], x[2]);
  for (const auto& n : cube.tet) text += fmt::format("t {} {} {} {}\n", n[0], n[1], n[2], n[3]);
  return text;
}
inline std::string tet_counted() {
  const CubeMesh cube = cube_mesh();
  std::string text = "8 vertices\n6 tets\n";
  for (const auto& x : cube.node) text += fmt::format("{} {} {}\n", x[0], x[1], x[2]);
  for (const auto& n : cube.tet) text += fmt::format("4 {} {} {} {}\n", n[0], n[1], n[2], n[3]);
  return text;
}

/// The surface of a unit cube: six quadrangles, outwards.
inline const std::vector<std::array<int, 4>>& cube_quads() {
  static const std::vector<std::array<int, 4>> quads = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4},
                                                        {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
  return quads;
}
inline std::string obj_cube() {
  std::string text = "# a cube\no cube\n";
  for (const auto& x : cube_mesh().node) text += fmt::format("v {} {} {}\n", x[0], x[1], x[2]);
  text += "vn 0 0 1\n";
  for (const auto& q : cube_quads()) {
    text += fmt::format("f {}//1 {}/2/1 {} {}\n", q[0] + 1, q[1] + 1, q[2] - 8, q[3] + 1);
  }
  return text;
}
inline std::vector<std::array<int, 3>> cube_triangles() {
  std::vector<std::array<int, 3>> triangles;
  for (const auto& q : cube_quads()) {
    triangles.push_back({q[0], q[1], q[2]});
    triangles.push_back({q[0], q[2], q[3]});
  }
  return triangles;
}
inline std::string stl_text() {
  const CubeMesh cube = cube_mesh();
  std::string text = "solid a cube\n";
  for (const auto& t : cube_triangles()) {
    text += "facet normal 0 0 nan\n outer loop\n";
    for (const int v : t) {
      const auto& x = cube.node[static_cast<std::size_t>(v)];
      text += fmt::format("  vertex {} {} {}\n", x[0], x[1], x[2]);
    }
    text += " endloop\nendfacet\n";
  }
  return text + "endsolid a cube\n";
}
inline std::string stl_binary() {
  const CubeMesh cube = cube_mesh();
  std::string text(80, ' ');
  text.replace(0, 5, "solid");
  text += bytes_of(std::uint32_t{12});
  for (const auto& t : cube_triangles()) {
    for (int k = 0; k < 3; ++k) text += bytes_of(0.0F);
    for (const int v : t) {
      for (const double x : cube.node[static_cast<std::size_t>(v)]) {
        text += bytes_of(static_cast<float>(x));
      }
    }
    text += std::string(2, '\0');
  }
  return text;
}

}  // namespace nsn::test
