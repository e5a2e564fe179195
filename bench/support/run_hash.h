/// A hash of a whole run: two runs with the same hash went the same way, bit by bit.
///
///   RunHash hash;
///   for (...) { simulation.step(); hash.add(simulation); }
///   fmt::print("hash {}\n", hash.text());
///
/// Hashed per step: pose and velocity of every body, position and velocity of every particle, the
/// impulse of every contact, and the counts of Newton iterations, factorisations and linear
/// iterations. FNV-1a, 64 bits. -0 and 0 are different numbers here.
#pragma once

#include <cstdint>
#include <string>

#include "nsn/models/step/simulation.h"

namespace nsn::bench {

class RunHash {
 public:
  /// After every step.
  void add(const Simulation& simulation);
  /// 16 hexadecimal digits.
  std::string text() const;

 private:
  template <class Value>
  void add_value(const Value& value);

  std::uint64_t hash_ = 0xcbf29ce484222325;
};

/// What a hash depends on beside the sources: compiler, C library (its sin, exp, ...), instruction
/// set, build type; e.g. "gcc-12.2.0/glibc-2.36/x86_64-fma/Release".
std::string hash_platform();

}  // namespace nsn::bench
