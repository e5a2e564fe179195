#include "nsn/models/robots/mjcf_element.h"

#include <algorithm>

namespace nsn::robots::mjcf {
namespace {

Quaternion euler(const Compiler& compiler, const Vec3& angles) {
  Quaternion q;
  for (int k = 0; k < 3; ++k) {
    const char c = compiler.eulerseq[static_cast<std::size_t>(k)];
    const bool fixed_axes = c < 'a';
    Vec3 axis;
    axis[fixed_axes ? c - 'X' : c - 'x'] = 1.0;
    const Quaternion turn = rotation_about(axis, compiler.angle * angles[k]);
    q = fixed_axes ? turn * q : q * turn;
  }
  return q;
}

}  // namespace

Quaternion turn_z_onto(const Vec3& v) {
  const Vec3 n = normalized(v);
  if (n[2] < -1.0 + 1e-14) return {0.0, 1.0, 0.0, 0.0};
  return normalized(Quaternion{1.0 + n[2], -n[1], n[0], 0.0});
}

const char* Element::get(const char* name) const {
  if (const char* own = xml->Attribute(name)) return own;
  if (defaults == nullptr) return nullptr;
  const auto found = defaults->find(name);
  return found == defaults->end() ? nullptr : found->second.c_str();
}

std::string Element::text(const char* name, const char* missing) const {
  const char* value = get(name);
  return value == nullptr ? missing : value;
}

void Element::check(Names known, Names more) const {
  const auto listed = [&](std::string_view name) {
    return name == "class" || name == "name" ||
           std::find(known.begin(), known.end(), name) != known.end() ||
           std::find(more.begin(), more.end(), name) != more.end();
  };
  const auto note = [&](const std::string& name) {
    if (!listed(name)) unsupported(fmt::format("{} {}", xml->Name(), name));
  };
  for (const auto* a = xml->FirstAttribute(); a != nullptr; a = a->Next()) note(a->Name());
  if (defaults == nullptr) return;
  for (const auto& [name, value] : *defaults) note(name);
}

double Element::number(const char* name, double missing) const {
  const char* text = get(name);
  return text == nullptr ? missing : files->number(xml, name, text);
}

double Element::first_number(const char* name, double missing) const {
  if (get(name) == nullptr) return missing;
  const auto values = numbers(name);
  if (values.empty()) fail("{} is empty", name);
  return values[0];
}

std::vector<double> Element::numbers(const char* name) const {
  const char* text = get(name);
  return text == nullptr ? std::vector<double>() : files->numbers(xml, name, text);
}

Vec3 Element::vector(const char* name, const Vec3& missing) const {
  const char* text = get(name);
  return text == nullptr ? missing : files->vector(xml, name, text);
}

Vec3 Element::direction(const char* name, const Vec3& v) const {
  if (!(norm(v) > 0.0)) fail("{} has no direction", name);
  return normalized(v);
}

std::pair<Vec3, Vec3> Element::ends() const {
  const auto v = numbers("fromto", 6);
  return {{v[0], v[1], v[2]}, {v[3], v[4], v[5]}};
}

Quaternion Element::quaternion(const char* name) const {
  const char* text = get(name);
  if (text == nullptr) return {};
  const auto q = files->quaternion(xml, name, text);
  return normalized(Quaternion{q[0], q[1], q[2], q[3]});
}

Quaternion Element::rotation() const {
  if (get("quat") != nullptr) return quaternion("quat");
  if (get("axisangle") != nullptr) {
    const auto v = numbers("axisangle", 4);
    return rotation_about(direction("axisangle", {v[0], v[1], v[2]}), compiler->angle * v[3]);
  }
  if (get("euler") != nullptr) return euler(*compiler, vector("euler", {}));
  if (get("xyaxes") != nullptr) {
    const auto v = numbers("xyaxes", 6);
    const Vec3 x = direction("xyaxes", {v[0], v[1], v[2]});
    const Vec3 given{v[3], v[4], v[5]};
    const Vec3 y = direction("xyaxes", given - dot(x, given) * x);
    return quaternion_of(columns(x, y, cross(x, y)));
  }
  if (get("zaxis") != nullptr) return turn_z_onto(direction("zaxis", vector("zaxis", {})));
  return {};
}

JointLimit Element::range(const char* name, const char* limited, double unit) const {
  const bool given = get(name) != nullptr;
  const std::string when = text(limited, "auto");
  if (when != "true" && when != "false" && when != "auto") {
    fail("{} is '{}', not true, false or auto", limited, when);
  }
  if (when == "false" || (when == "auto" && (!given || !compiler->autolimits))) return {};
  if (!given) fail("{} is true, but there is no {}", limited, name);
  const auto v = numbers(name, 2);
  if (v[0] > v[1]) fail("{} [{}, {}] is crossed", name, v[0], v[1]);
  return {unit * v[0], unit * v[1]};
}

}  // namespace nsn::robots::mjcf
