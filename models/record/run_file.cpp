#include "nsn/models/record/run_file.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <type_traits>

#include <nlohmann/json.hpp>

#include "nsn/core/base/error.h"
#include "nsn/core/io/text_file.h"
#include "nsn/models/record/base64.h"
#include "nsn/models/record/gzip.h"
#include "nsn/models/record/run_page.h"

namespace nsn {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kMagic("nsnrun\0", 7);
constexpr char kVersion = 1;

template <class T>
const char* type_name() {
  if constexpr (std::is_same_v<T, float>) return "f4";
  if constexpr (std::is_same_v<T, std::uint32_t>) return "u4";
  if constexpr (std::is_same_v<T, std::int32_t>) return "i4";
  if constexpr (std::is_same_v<T, std::uint16_t>) return "u2";
  if constexpr (std::is_same_v<T, std::int16_t>) return "i2";
  if constexpr (std::is_same_v<T, std::uint8_t>) return "u1";
  if constexpr (std::is_same_v<T, std::int8_t>) return "i1";
}

template <class T>
void append_number(std::string& to, T value) {
  using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t,
                                  std::conditional_t<sizeof(T) == 2, std::uint16_t, std::uint8_t>>;
  const auto bits = std::bit_cast<Bits>(value);
  for (std::size_t k = 0; k < sizeof(T); ++k) {
    to.push_back(static_cast<char>((bits >> (8 * k)) & 0xFFU));
  }
}

/// Arrays and their list in the head.
struct Arrays {
  Json list = Json::object();
  std::string bytes;

  template <class T>
  void put(const std::string& name, const std::vector<T>& values, std::size_t delta = 0) {
    Json entry = {{"type", type_name<T>()}, {"offset", bytes.size()}, {"size", values.size()}};
    if (delta > 0) entry["delta"] = delta;
    list[name] = entry;
    for (std::size_t k = 0; k < values.size(); ++k) {
      const bool first = delta == 0 || k % delta == 0;
      // Unsigned arithmetic wraps; narrowing keeps the low bits.
      append_number(bytes, first ? values[k] : difference(values[k], values[k - 1]));
    }
    bytes.resize((bytes.size() + 7) / 8 * 8, '\0');
  }

 private:
  template <class T>
  static T difference(T a, T b) {
    if constexpr (std::is_floating_point_v<T>) {
      return a - b;
    } else {
      using U = std::make_unsigned_t<T>;
      return static_cast<T>(static_cast<U>(static_cast<U>(a) - static_cast<U>(b)));
    }
  }
};

/// Numbers as whole ones between the smallest and the largest.
struct Range {
  float origin = 0.0F;
  float step = 0.0F;

  void cover(const std::vector<float>& values, float levels = 65535.0F) {
    if (values.empty()) return;
    const auto [low, high] = std::minmax_element(values.begin(), values.end());
    origin = *low;
    step = (*high - *low) / levels;
  }
  std::uint16_t operator()(float x) const {
    if (!(step > 0.0F)) return 0;
    return static_cast<std::uint16_t>(std::clamp(std::lround((x - origin) / step), 0L, 65535L));
  }
};

/// pick(frame) of every frame; where a frame has none, that of the nearest one before, or else after.
template <class Pick>
std::vector<float> over_time(const RecordedRun& run, Pick pick) {
  std::vector<float> values;
  std::size_t missing = 0;
  for (const RunFrame& frame : run.frames) {
    const float* x = pick(frame);
    if (x != nullptr && missing > 0) values.assign(missing, *x);
    if (x != nullptr) missing = 0;
    if (x == nullptr && (values.empty() || missing > 0)) {
      ++missing;
      continue;
    }
    values.push_back(x != nullptr ? *x : values.back());
  }
  values.resize(run.frames.size());
  return values;
}

void put_measures(const RecordedRun& run, Arrays& arrays) {
  const auto put = [&](const char* name, auto value) {
    std::vector<float> values;
    for (const RunFrame& frame : run.frames) values.push_back(static_cast<float>(value(frame)));
    arrays.put(name, values);
  };
  put("time", [](const RunFrame& f) { return f.time; });
  put("error", [](const RunFrame& f) { return f.measures.relative_error; });
  put("energy", [](const RunFrame& f) { return f.measures.energy; });
  put("iterations", [](const RunFrame& f) { return f.measures.newton_iterations; });
  put("contacts", [](const RunFrame& f) { return f.measures.contacts; });
  put("milliseconds", [](const RunFrame& f) { return f.measures.milliseconds; });
}

void put_poses(const RecordedRun& run, Arrays& arrays) {
  const std::size_t frames = run.frames.size();
  std::vector<float> range;
  std::vector<std::uint16_t> position;
  std::vector<std::int16_t> rotation;
  for (std::size_t b = 0; b < run.bodies.size(); ++b) {
    std::array<std::vector<float>, 7> x;
    for (std::size_t k = 0; k < 7; ++k) {
      x[k] = over_time(run, [&](const RunFrame& frame) {
        return 7 * b + k < frame.pose.size() ? &frame.pose[7 * b + k] : nullptr;
      });
    }
    std::array<Range, 3> of;
    for (std::size_t k = 0; k < 3; ++k) {
      of[k].cover(x[k]);
      for (const float value : x[k]) position.push_back(of[k](value));
    }
    for (const Range& one : of) range.push_back(one.origin);
    for (const Range& one : of) range.push_back(one.step);
    std::vector<float> sign(frames, 1.0F);
    for (std::size_t f = 1; f < frames; ++f) {
      float along = 0.0F;
      for (std::size_t k = 3; k < 7; ++k) along += x[k][f - 1] * x[k][f];
      sign[f] = along < 0.0F ? -sign[f - 1] : sign[f - 1];
    }
    for (std::size_t k = 3; k < 7; ++k) {
      for (std::size_t f = 0; f < frames; ++f) {
        rotation.push_back(static_cast<std::int16_t>(std::lround(32767.0F * sign[f] * x[k][f])));
      }
    }
  }
  arrays.put("range", range);
  arrays.put("position", position, frames);
  arrays.put("rotation", rotation, frames);
}

Json put_shapes(const RecordedRun& run, Arrays& arrays) {
  for (std::size_t m = 0; m < run.meshes.size(); ++m) {
    arrays.put(fmt::format("p{}", m), run.meshes[m].point);
    arrays.put(fmt::format("t{}", m), run.meshes[m].triangle);
  }
  Json list = Json::array();
  for (const RunShape& s : run.shapes) {
    const Quaternion& q = s.rotation;
    list.push_back({{"body", s.body},
                    {"kind", s.kind},
                    {"mesh", s.mesh},
                    {"offset", {s.offset[0], s.offset[1], s.offset[2]}},
                    {"rotation", {q.w, q.x, q.y, q.z}},
                    {"first", s.there.first},
                    {"end", s.there.end}});
  }
  return list;
}

/// 255ths of the largest value.
float put_scalars(const RecordedRun& run, const std::string& name, std::size_t d, int vertices,
                  std::vector<std::vector<float>> RunFrame::*of, Arrays& arrays) {
  float largest = 0.0F;
  for (const RunFrame& frame : run.frames) {
    if (d >= (frame.*of).size()) continue;
    for (const float x : (frame.*of)[d]) largest = std::max(largest, x);
  }
  std::vector<std::uint8_t> values;
  for (std::size_t v = 0; v < static_cast<std::size_t>(vertices); ++v) {
    for (const float x : over_time(run, [&](const RunFrame& frame) {
           const bool has = d < (frame.*of).size() && v < (frame.*of)[d].size();
           return has ? &(frame.*of)[d][v] : nullptr;
         })) {
      values.push_back(
          static_cast<std::uint8_t>(largest > 0.0F ? std::lround(255.0F * x / largest) : 0));
    }
  }
  arrays.put(name, values, run.frames.size());
  return largest;
}

Json put_softs(const RecordedRun& run, Arrays& arrays) {
  Json list = Json::array();
  for (std::size_t d = 0; d < run.softs.size(); ++d) {
    const RunSoft& soft = run.softs[d];
    const std::size_t size = 3 * static_cast<std::size_t>(soft.vertices);
    std::vector<std::vector<float>> x;
    std::array<Range, 3> of;
    std::array<std::vector<float>, 3> all;
    for (std::size_t i = 0; i < size; ++i) {
      x.push_back(over_time(run, [&](const RunFrame& frame) {
        const bool has = d < frame.soft.size() && i < frame.soft[d].size();
        return has ? &frame.soft[d][i] : nullptr;
      }));
      all[i % 3].insert(all[i % 3].end(), x[i].begin(), x[i].end());
    }
    constexpr float kLevels =
        16383.0F;  // of a whole body: enough for the eye, a third less to store
    for (std::size_t k = 0; k < 3; ++k) of[k].cover(all[k], kLevels);
    std::vector<std::uint16_t> values;
    for (std::size_t i = 0; i < size; ++i) {
      for (const float one : x[i]) values.push_back(of[i % 3](one));
    }
    arrays.put(fmt::format("sr{}", d), std::vector<float>{of[0].origin, of[1].origin, of[2].origin,
                                                          of[0].step, of[1].step, of[2].step});
    arrays.put(fmt::format("sx{}", d), values, run.frames.size());
    const float strain =
        put_scalars(run, fmt::format("se{}", d), d, soft.vertices, &RunFrame::strain, arrays);
    const float stress =
        put_scalars(run, fmt::format("ss{}", d), d, soft.vertices, &RunFrame::stress, arrays);
    arrays.put(fmt::format("st{}", d), soft.triangle);
    list.push_back({{"name", soft.name},
                    {"tets", soft.tets},
                    {"vertices", soft.vertices},
                    {"strain", strain},
                    {"stress", stress},
                    {"first", soft.there.first},
                    {"end", soft.there.end}});
  }
  return list;
}

/// One component of all contacts, then the next: equal things stand together.
template <class T, class Value>
std::vector<T> by_component(const std::vector<const RunContact*>& contacts, std::size_t components,
                            Value value) {
  std::vector<T> out;
  for (std::size_t k = 0; k < components; ++k) {
    for (std::size_t c = 0; c < contacts.size(); ++c) {
      out.push_back(static_cast<T>(value(*contacts[c], c, k)));
    }
  }
  return out;
}

void put_contacts(const RecordedRun& run, Arrays& arrays) {
  std::vector<std::uint32_t> frames, start{0};
  std::vector<float> scale, scale_of_contact;
  std::vector<const RunContact*> all;
  std::array<std::vector<float>, 3> points;
  for (std::size_t f = 0; f < run.frames.size(); ++f) {
    const RunFrame& frame = run.frames[f];
    if (!frame.has_contacts) continue;
    float largest = 0.0F;
    for (const RunContact& c : frame.contacts) {
      all.push_back(&c);
      for (std::size_t k = 0; k < 3; ++k) points[k].push_back(c.point[k]);
      for (const float x : c.force) largest = std::max(largest, std::abs(x));
    }
    frames.push_back(static_cast<std::uint32_t>(f));
    start.push_back(static_cast<std::uint32_t>(all.size()));
    scale.push_back(largest / 32767.0F);
    scale_of_contact.resize(all.size(), scale.back());
  }
  std::array<Range, 3> of;
  for (std::size_t k = 0; k < 3; ++k) of[k].cover(points[k]);
  arrays.put("cframe", frames);
  arrays.put("cstart", start);
  arrays.put("cscale", scale);
  arrays.put("crange", std::vector<float>{of[0].origin, of[1].origin, of[2].origin, of[0].step,
                                          of[1].step, of[2].step});
  using Contact = const RunContact&;
  arrays.put("cpoint",
             by_component<std::uint16_t>(
                 all, 3, [&](Contact c, std::size_t, std::size_t k) { return of[k](c.point[k]); }));
  arrays.put("cforce",
             by_component<std::int16_t>(all, 3, [&](Contact c, std::size_t i, std::size_t k) {
               const float s = scale_of_contact[i];
               return s > 0.0F ? std::lround(c.force[k] / s) : 0L;
             }));
  arrays.put("cnormal",
             by_component<std::int8_t>(all, 3, [](Contact c, std::size_t, std::size_t k) {
               return std::lround(127.0F * c.normal[k]);
             }));
  arrays.put("cmu",
             by_component<float>(all, 1, [](Contact c, std::size_t, std::size_t) { return c.mu; }));
  arrays.put("cbody", by_component<std::int32_t>(all, 2, [](Contact c, std::size_t, std::size_t k) {
               return k == 0 ? c.a : c.b;
             }));
  arrays.put("cstate", by_component<std::uint8_t>(all, 1, [](Contact c, std::size_t, std::size_t) {
               return static_cast<int>(c.state);
             }));
}

/// The force that 9 of 10 contacts stay below: the unit of arrows, N.
double usual_force(const RecordedRun& run) {
  std::vector<double> sizes;
  for (const RunFrame& frame : run.frames) {
    for (const RunContact& c : frame.contacts) {
      const double f = std::hypot(c.force[0], c.force[1], c.force[2]);
      if (f > 0.0) sizes.push_back(f);
    }
  }
  if (sizes.empty()) return 1.0;
  const auto nine = static_cast<std::ptrdiff_t>(0.9 * static_cast<double>(sizes.size() - 1));
  std::nth_element(sizes.begin(), sizes.begin() + nine, sizes.end());
  return sizes[static_cast<std::size_t>(nine)];
}

Json head_of(const RecordedRun& run) {
  Json head = {{"title", run.title}, {"frames", run.frames.size()}};
  head["facts"] = Json::array();
  for (const auto& [name, value] : run.facts) head["facts"].push_back({name, value});
  head["bodies"] = Json::array();
  for (const RunBody& b : run.bodies) {
    head["bodies"].push_back({{"name", b.name},
                              {"kind", b.kind == BodyKind::kDynamic  ? "dynamic"
                                       : b.kind == BodyKind::kStatic ? "static"
                                                                     : "kinematic"},
                              {"mass", b.mass}});
  }
  head["joints"] = Json::array();
  for (const RunJoint& j : run.joints) {
    head["joints"].push_back({{"name", j.name},
                              {"type", j.type},
                              {"a", j.body_a},
                              {"b", j.body_b},
                              {"origin", {j.origin[0], j.origin[1], j.origin[2]}},
                              {"axis", {j.axis[0], j.axis[1], j.axis[2]}},
                              {"first", j.there.first},
                              {"end", j.there.end}});
  }
  const RunView view = view_of(run);
  head["view"] = {{"centre", {view.centre[0], view.centre[1], view.centre[2]}},
                  {"size", view.size},
                  {"force", usual_force(run)}};
  return head;
}

[[noreturn]] void refuse(const std::filesystem::path& path, const std::string& why) {
  throw InputError(fmt::format("{}: {}", path.string(), why));
}

/// Throws unless `bytes`, once unpacked, begin as a run of this version and have all their arrays.
void check(const std::filesystem::path& path, const std::string& bytes) {
  const std::string plain = gunzip(bytes);
  if (plain.size() < 12 || plain.substr(0, 7) != kMagic) {
    refuse(path, plain.empty() ? "damaged: it cannot be unpacked" : "no recorded run");
  }
  if (plain[7] != kVersion) {
    refuse(path, fmt::format("a recorded run of version {}; this program reads version {}",
                             static_cast<int>(plain[7]), static_cast<int>(kVersion)));
  }
  std::size_t size = 0;
  for (std::size_t k = 0; k < 4; ++k) {
    size |= static_cast<std::size_t>(static_cast<unsigned char>(plain[8 + k])) << (8 * k);
  }
  const Json head = size <= plain.size() - 12 ? Json::parse(plain.substr(12, size), nullptr, false)
                                              : Json(Json::value_t::discarded);
  if (head.is_discarded() || !head.contains("bytes") ||
      head["bytes"] != plain.size() - (12 + size + 7) / 8 * 8) {
    refuse(path, "damaged: it is not whole");
  }
}

}  // namespace

std::string run_bytes(const RecordedRun& run) {
  Arrays arrays;
  Json head = head_of(run);
  put_measures(run, arrays);
  put_poses(run, arrays);
  head["shapes"] = put_shapes(run, arrays);
  head["softs"] = put_softs(run, arrays);
  put_contacts(run, arrays);
  head["arrays"] = arrays.list;
  head["bytes"] = arrays.bytes.size();
  const std::string text = head.dump(-1, ' ', false, Json::error_handler_t::replace);
  std::string bytes(kMagic);
  bytes.push_back(kVersion);
  append_number(bytes, static_cast<std::uint32_t>(text.size()));
  bytes += text;
  bytes.resize((bytes.size() + 7) / 8 * 8, '\0');
  return gzip(bytes + arrays.bytes);
}

std::string read_run_bytes(const std::filesystem::path& path) {
  std::string bytes = read_text_file(path);
  if (bytes.starts_with("<!doctype html>")) {
    const std::string_view data = run_in_page(bytes);
    if (data.empty()) refuse(path, "a page without a recorded run");
    bytes = from_base64(data);
  }
  check(path, bytes);
  return bytes;
}

}  // namespace nsn
