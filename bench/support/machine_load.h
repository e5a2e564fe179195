/// What else the machine did while something was measured.
#pragma once

#include <string>

namespace nsn::bench {

/// From its construction on.
class MachineLoad {
 public:
  MachineLoad();

  /// Share of the machine that processes other than this one and its children took, and that the
  /// host took away, 0...1; 0 where the system does not tell.
  double others() const;

 private:
  struct Ticks {
    double busy = 0.0;   ///< of all processors, stolen time included, s
    double total = 0.0;  ///< s
    double own = 0.0;    ///< of this process and of children that have ended or still run, s
  };
  static Ticks now();

  Ticks begin_;
};

/// "powersave": what governs the clock of the first processor; empty where the system does not tell.
std::string frequency_governor();

}  // namespace nsn::bench
