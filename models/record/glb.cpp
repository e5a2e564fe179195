#include "nsn/models/record/glb.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>

#include <nlohmann/json.hpp>

#include "nsn/core/io/atomic_file.h"

namespace nsn {
namespace {

using Json = nlohmann::ordered_json;

// Numbers of the standard.
constexpr int kShort = 5122;
constexpr int kUnsigned = 5125;
constexpr int kFloat = 5126;
constexpr int kVertices = 34962;
constexpr int kIndices = 34963;
constexpr std::uint32_t kMagic = 0x46546C67;
constexpr std::uint32_t kJsonChunk = 0x4E4F534A;
constexpr std::uint32_t kBinaryChunk = 0x004E4942;

constexpr std::size_t kMorphsPerSecond = 10;
constexpr double kColours[][3] = {{0.33, 0.52, 0.78}, {0.86, 0.55, 0.32}, {0.44, 0.67, 0.46},
                                  {0.76, 0.42, 0.45}, {0.56, 0.49, 0.73}, {0.62, 0.64, 0.68}};
constexpr int kFixedColour = 5;

template <class T>
void append_number(std::string& to, T value) {
  std::uint32_t bits = 0;
  if constexpr (sizeof(T) == 4) {
    bits = std::bit_cast<std::uint32_t>(value);
  } else {
    bits = static_cast<std::uint16_t>(value);
  }
  for (std::size_t k = 0; k < sizeof(T); ++k) {
    to.push_back(static_cast<char>((bits >> (8 * k)) & 0xFFU));
  }
}

class Document {
 public:
  explicit Document(const RecordedRun& run) : run_(run) {
    for (const RunFrame& frame : run.frames) {
      times_.push_back(static_cast<float>(frame.time - run.frames.front().time));
    }
    add_materials();
  }

  std::string bytes() {
    add_bodies();
    for (std::size_t d = 0; d < run_.softs.size(); ++d) add_soft(d);
    add_root_and_camera();
    json_["asset"] = {{"version", "2.0"}, {"generator", "nsn"}};
    json_["buffers"] = {{{"byteLength", data_.size()}}};
    if (!channels_.empty()) {
      json_["animations"] = {{{"name", "run"}, {"channels", channels_}, {"samplers", samplers_}}};
    }
    std::string text = json_.dump(-1, ' ', false, Json::error_handler_t::replace);
    text.resize((text.size() + 3) / 4 * 4, ' ');
    std::string out;
    append_number(out, kMagic);
    append_number(out, std::uint32_t{2});
    append_number(out, static_cast<std::uint32_t>(28 + text.size() + data_.size()));
    append_number(out, static_cast<std::uint32_t>(text.size()));
    append_number(out, kJsonChunk);
    out += text;
    append_number(out, static_cast<std::uint32_t>(data_.size()));
    append_number(out, kBinaryChunk);
    return out + data_;
  }

 private:
  /// Numbers of `components` each; returns the accessor.
  template <class T>
  std::size_t put(const std::vector<T>& values, std::size_t components, int target = 0,
                  bool bounds = false) {
    static const char* const kTypes[] = {"", "SCALAR", "VEC2", "VEC3", "VEC4"};
    Json view = {
        {"buffer", 0}, {"byteOffset", data_.size()}, {"byteLength", sizeof(T) * values.size()}};
    if (target != 0) view["target"] = target;
    Json accessor = {{"bufferView", json_["bufferViews"].size()},
                     {"componentType", std::is_same_v<T, float>          ? kFloat
                                       : std::is_same_v<T, std::int16_t> ? kShort
                                                                         : kUnsigned},
                     {"count", values.size() / components},
                     {"type", kTypes[components]}};
    if (std::is_same_v<T, std::int16_t>) accessor["normalized"] = true;
    if (bounds) {
      for (std::size_t k = 0; k < components; ++k) {
        T low = values[k];
        T high = values[k];
        for (std::size_t i = k; i < values.size(); i += components) {
          low = std::min(low, values[i]);
          high = std::max(high, values[i]);
        }
        accessor["min"].push_back(low);
        accessor["max"].push_back(high);
      }
    }
    for (const T value : values) append_number(data_, value);
    data_.resize((data_.size() + 3) / 4 * 4, '\0');
    json_["bufferViews"].push_back(view);
    json_["accessors"].push_back(accessor);
    return json_["accessors"].size() - 1;
  }

  void add_materials() {
    for (const auto& c : kColours) {
      json_["materials"].push_back({{"pbrMetallicRoughness",
                                     {{"baseColorFactor", {c[0], c[1], c[2], 1.0}},
                                      {"metallicFactor", 0.0},
                                      {"roughnessFactor", 0.7}}},
                                    {"doubleSided", true}});
    }
  }

  std::size_t add_node(Json node) {
    json_["nodes"].push_back(std::move(node));
    return json_["nodes"].size() - 1;
  }

  void animate(std::size_t node, const char* path, std::size_t input, std::size_t output) {
    channels_.push_back(
        {{"sampler", samplers_.size()}, {"target", {{"node", node}, {"path", path}}}});
    samplers_.push_back({{"input", input}, {"output", output}, {"interpolation", "LINEAR"}});
  }

  /// The times of all frames, once.
  std::size_t all_times() {
    if (times_accessor_ < 0) times_accessor_ = static_cast<long>(put(times_, 1, 0, true));
    return static_cast<std::size_t>(times_accessor_);
  }

  std::size_t mesh_of(int mesh, int colour) {
    const auto [known, isnew] = meshes_.try_emplace({mesh, colour}, json_["meshes"].size());
    if (isnew) {
      const RunMesh& m = run_.meshes[static_cast<std::size_t>(mesh)];
      const std::size_t points = put(m.point, 3, kVertices, true);
      const std::size_t indices = put(m.triangle, 1, kIndices);
      json_["meshes"].push_back({{"primitives",
                                  {{{"attributes", {{"POSITION", points}}},
                                    {"indices", indices},
                                    {"material", colour}}}}});
    }
    return known->second;
  }

  /// x, y, z or rotation (i, j, k, w) of a body in every frame, and whether it changes.
  std::vector<float> track(std::size_t body, bool rotation, bool& changes) const {
    std::vector<float> out;
    const std::size_t size = rotation ? 4 : 3;
    const std::size_t from = 7 * body + (rotation ? 3 : 0);
    const auto first = std::find_if(run_.frames.begin(), run_.frames.end(), [&](const RunFrame& f) {
      return f.pose.size() > from + size - 1;
    });
    for (const RunFrame& frame : run_.frames) {
      const RunFrame& at = frame.pose.size() > from + size - 1 ? frame : *first;
      float along = 0.0F;
      for (std::size_t k = 0; k < size; ++k) {
        const std::size_t part = rotation ? (k + 1) % 4 : k;
        out.push_back(at.pose[from + part]);
        if (out.size() > size) along += out.back() * out[out.size() - 1 - size];
      }
      if (rotation && along < 0.0F) {
        std::for_each(out.end() - 4, out.end(), [](float& x) { x = -x; });
      }
    }
    changes = false;
    for (std::size_t i = size; i < out.size(); ++i) {
      changes = changes || std::abs(out[i] - out[i % size]) > 1e-7F;
    }
    return out;
  }

  void add_bodies() {
    std::vector<std::vector<std::size_t>> meshes(run_.bodies.size());
    for (std::size_t s = 0; s < run_.shapes.size(); ++s) {
      if (run_.shapes[s].mesh >= 0)
        meshes[static_cast<std::size_t>(run_.shapes[s].body)].push_back(s);
    }
    for (std::size_t b = 0; b < run_.bodies.size(); ++b) {
      const RunBody& body = run_.bodies[b];
      bool moves = false;
      bool turns = false;
      const std::vector<float> x = track(b, false, moves);
      const std::vector<float> q = track(b, true, turns);
      const int colour = body.kind == BodyKind::kStatic ? kFixedColour : static_cast<int>(b % 5);
      Json node = {{"name", body.name.empty() ? "body " + std::to_string(b) : body.name},
                   {"translation", {x[0], x[1], x[2]}},
                   {"rotation", {q[0], q[1], q[2], q[3]}}};
      for (const std::size_t s : meshes[b]) {
        const RunShape& shape = run_.shapes[s];
        const Quaternion& r = shape.rotation;
        node["children"].push_back(
            add_node({{"mesh", mesh_of(shape.mesh, colour)},
                      {"translation", {shape.offset[0], shape.offset[1], shape.offset[2]}},
                      {"rotation", {r.x, r.y, r.z, r.w}}}));
      }
      const std::size_t number = add_node(node);
      roots_.push_back(number);
      if (moves) animate(number, "translation", all_times(), put(x, 3));
      if (!turns) continue;
      std::vector<std::int16_t> rounded;
      rounded.reserve(q.size());
      for (const float one : q)
        rounded.push_back(static_cast<std::int16_t>(std::lround(32767.0F * one)));
      animate(number, "rotation", all_times(), put(rounded, 4));
    }
  }

  void add_soft(std::size_t d) {
    std::vector<const std::vector<float>*> shapes;
    std::vector<float> at;
    for (std::size_t f = 0; f < run_.frames.size(); ++f) {
      const RunFrame& frame = run_.frames[f];
      if (d >= frame.soft.size() || frame.soft[d].empty()) continue;
      if (!at.empty() && times_[f] - at.back() < 0.999F / kMorphsPerSecond) continue;
      shapes.push_back(&frame.soft[d]);
      at.push_back(times_[f]);
    }
    if (shapes.empty()) return;
    const RunSoft& soft = run_.softs[d];
    Json primitive = {{"attributes", {{"POSITION", put(*shapes[0], 3, kVertices, true)}}},
                      {"indices", put(soft.triangle, 1, kIndices)},
                      {"material", static_cast<int>((d + 3) % 5)}};
    const std::size_t morphs = shapes.size() - 1;
    for (std::size_t k = 1; k <= morphs; ++k) {
      std::vector<float> moved = *shapes[k];
      for (std::size_t i = 0; i < moved.size(); ++i) moved[i] -= (*shapes[0])[i];
      primitive["targets"].push_back({{"POSITION", put(moved, 3, kVertices, true)}});
    }
    Json mesh = {{"primitives", Json::array({primitive})}};
    if (morphs > 0) mesh["weights"] = std::vector<double>(morphs, 0.0);
    json_["meshes"].push_back(mesh);
    const std::size_t node =
        add_node({{"name", soft.name.empty() ? "soft body " + std::to_string(d) : soft.name},
                  {"mesh", json_["meshes"].size() - 1}});
    roots_.push_back(node);
    if (morphs == 0) return;
    std::vector<float> weights(at.size() * morphs);
    for (std::size_t k = 1; k <= morphs; ++k) weights[k * morphs + k - 1] = 1.0F;
    animate(node, "weights", put(at, 1, 0, true), put(weights, 1));
  }

  /// glTF is y up: one node turns everything; a camera looks from the front.
  void add_root_and_camera() {
    const double half = std::sqrt(0.5);
    const std::size_t root =
        add_node({{"name", "z up"}, {"rotation", {-half, 0.0, 0.0, half}}, {"children", roots_}});
    constexpr double kDown = 0.35;  // rad
    const RunView view = view_of(run_);
    const double away = 1.6 * view.size;
    const Vec3& c = view.centre;
    const std::size_t camera = add_node(
        {{"name", "camera"},
         {"camera", 0},
         {"translation", {c[0], c[2] + away * std::sin(kDown), -c[1] + away * std::cos(kDown)}},
         {"rotation", {-std::sin(kDown / 2), 0.0, 0.0, std::cos(kDown / 2)}}});
    json_["cameras"] = {
        {{"type", "perspective"},
         {"perspective",
          {{"yfov", 0.7}, {"znear", 0.01 * view.size}, {"zfar", 100.0 * view.size}}}}};
    json_["scenes"] = {{{"nodes", {root, camera}}}};
    json_["scene"] = 0;
  }

  const RecordedRun& run_;
  Json json_ = Json::object();
  std::string data_;
  std::vector<float> times_;
  long times_accessor_ = -1;
  std::map<std::pair<int, int>, std::size_t> meshes_;  // mesh and colour
  std::vector<std::size_t> roots_;
  Json channels_ = Json::array();
  Json samplers_ = Json::array();
};

}  // namespace

std::string glb_bytes(const RecordedRun& run) {
  return Document(run).bytes();
}

void write_glb(const std::filesystem::path& path, const RecordedRun& run) {
  write_file(path, glb_bytes(run));
}

}  // namespace nsn
