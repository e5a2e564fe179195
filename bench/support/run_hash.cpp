#include "bench/support/run_hash.h"

#include <array>
#include <cstring>
#include <gnu/libc-version.h>
#include <sys/utsname.h>

#include <fmt/format.h>

namespace nsn::bench {

template <class Value>
void RunHash::add_value(const Value& value) {
  static_assert(std::is_trivially_copyable_v<Value>);
  constexpr std::uint64_t kPrime = 0x100000001b3;
  std::array<unsigned char, sizeof(Value)> bytes{};
  std::memcpy(bytes.data(), &value, sizeof(Value));
  for (const unsigned char byte : bytes) hash_ = (hash_ ^ byte) * kPrime;
}

void RunHash::add(const Simulation& simulation) {
  for (const ConstBodyRef body : simulation.world().bodies()) {
    add_value(body.position);
    add_value(body.orientation);
    add_value(body.velocity);
    add_value(body.angular_velocity);
  }
  for (const ConstParticleRef particle : simulation.world().particles()) {
    add_value(particle.position);
    add_value(particle.velocity);
  }
  for (const ContactInfo& c : simulation.contacts()) add_value(c.impulse);
  const StepReport& report = simulation.report();
  add_value(report.newton_iterations);
  add_value(report.factorizations);
  add_value(report.linear_iterations);
}

std::string RunHash::text() const {
  return fmt::format("{:016x}", hash_);
}

std::string hash_platform() {
  utsname name{};
  uname(&name);
#if defined(__clang__)
  const std::string compiler = "clang-" __clang_version__;
#else
  const std::string compiler = "gcc-" __VERSION__;
#endif
#if defined(__x86_64__)
  const char* const fma = __builtin_cpu_supports("fma") ? "-fma" : "";
#else
  const char* const fma = "";
#endif
#if defined(NSN_NATIVE)
  const char* const native = "-native";
#else
  const char* const native = "";
#endif
  return fmt::format("{}/glibc-{}/{}{}/{}{}", compiler.substr(0, compiler.find(' ')),
                     gnu_get_libc_version(), name.machine, fma, NSN_BUILD_TYPE, native);
}

}  // namespace nsn::bench
