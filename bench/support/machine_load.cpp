#include "bench/support/machine_load.h"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <unistd.h>

#include <fmt/format.h>

namespace nsn::bench {
namespace {

/// Processor time of a process and of its children that were waited for, s; from /proc/ID/stat.
double processor_seconds(const std::string& process) {
  std::ifstream file("/proc/" + process + "/stat");
  std::string text;
  std::getline(file, text);
  const std::size_t name_end = text.rfind(')');  // the name may hold anything
  if (name_end == std::string::npos) return 0.0;
  std::istringstream fields(text.substr(name_end + 1));
  std::string skipped;
  for (int k = 3; k < 14; ++k) fields >> skipped;
  double sum = 0.0;
  for (int k = 0; k < 4; ++k) {  // utime, stime, cutime, cstime
    double ticks = 0.0;
    fields >> ticks;
    sum += ticks;
  }
  return sum / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

double of_running_children() {
  const std::string self = std::to_string(::getpid());
  std::ifstream file("/proc/" + self + "/task/" + self + "/children");
  double sum = 0.0;
  for (std::string child; file >> child;) sum += processor_seconds(child);
  return sum;
}

}  // namespace

MachineLoad::MachineLoad() : begin_(now()) {}

MachineLoad::Ticks MachineLoad::now() {
  Ticks ticks;
  std::ifstream file("/proc/stat");
  std::string name;
  file >> name;
  double user = 0.0, nice = 0.0, system = 0.0, idle = 0.0, waiting = 0.0, hard = 0.0, soft = 0.0,
         stolen = 0.0;
  if (!(file >> user >> nice >> system >> idle >> waiting >> hard >> soft >> stolen)) return ticks;
  const double per_second = static_cast<double>(::sysconf(_SC_CLK_TCK));
  ticks.busy = (user + nice + system + hard + soft + stolen) / per_second;
  ticks.total = ticks.busy + (idle + waiting) / per_second;
  ticks.own = processor_seconds("self") + of_running_children();
  return ticks;
}

double MachineLoad::others() const {
  const Ticks end = now();
  const double total = end.total - begin_.total;
  if (!(total > 0.0)) return 0.0;
  const double other = (end.busy - begin_.busy) - (end.own - begin_.own);
  return std::clamp(other / total, 0.0, 1.0);
}

std::string frequency_governor() {
  std::ifstream file("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
  std::string governor;
  file >> governor;
  return governor;
}

}  // namespace nsn::bench
