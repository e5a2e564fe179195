#include "bench/support/machine.h"

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sys/utsname.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include <Kokkos_Core.hpp>
#include <fmt/format.h>

#include "nsn/core/base/runtime.h"
#include "nsn/core/base/types.h"

namespace nsn::bench {
namespace {

std::string cpu_model() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(": ");
    if (line.rfind("model name", 0) == 0 && colon != std::string::npos) {
      return line.substr(colon + 2);
    }
  }
  return "unknown";
}

double physical_memory_gib() {
  const double pages = static_cast<double>(::sysconf(_SC_PHYS_PAGES));
  return pages * static_cast<double>(::sysconf(_SC_PAGESIZE)) / (1024.0 * 1024.0 * 1024.0);
}

std::string compiler_name() {
#if defined(__clang__)
  return fmt::format("Clang {}.{}.{}", __clang_major__, __clang_minor__, __clang_patchlevel__);
#elif defined(__GNUC__)
  return fmt::format("GCC {}.{}.{}", __GNUC__, __GNUC_MINOR__, __GNUC_PATCHLEVEL__);
#else
  return "unknown";
#endif
}

std::string system_name() {
  utsname name{};
  if (::uname(&name) != 0) return "unknown";
  return fmt::format("{} {} {}", name.sysname, name.release, name.machine);
}

std::string quoted(const std::string& word) {
  const auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("-_./:=,+@%").find(c) != std::string_view::npos;
  };
  if (!word.empty() && std::all_of(word.begin(), word.end(), plain)) return word;
  std::string out = "'";
  for (const char c : word) {
    if (c == '\'') out += "'\\'";
    out += c;
  }
  out += '\'';
  return out;
}

}  // namespace

Machine this_machine() {
  return {cpu_model(),
          static_cast<int>(std::thread::hardware_concurrency()),
          Kokkos::is_initialized() ? concurrency() : 1,
          physical_memory_gib(),
          compiler_name(),
          NSN_BUILD_TYPE,
          fmt::format("{}.{}.{} {}", KOKKOS_VERSION / 10000, KOKKOS_VERSION / 100 % 100,
                      KOKKOS_VERSION % 100, Execution::name()),
          system_name()};
}

std::string one_line(const Machine& machine) {
  return fmt::format("{}, {} cores, {} thread{}, {} {}", machine.cpu, machine.cores,
                     machine.threads, machine.threads == 1 ? "" : "s", machine.compiler,
                     machine.build_type);
}

std::string command_line() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\0', at), text.size());
    const std::string word = text.substr(at, end - at);
    if (at > 0) out += ' ';
    out += at == 0 ? std::filesystem::path(word).filename().string() : quoted(word);
    at = end + 1;
  }
  return out;
}

std::string version() {
  return NSN_VERSION;
}

std::string date_text() {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  ::gmtime_r(&now, &utc);
  return fmt::format("{:04}-{:02}-{:02} {:02}:{:02} UTC", utc.tm_year + 1900, utc.tm_mon + 1,
                     utc.tm_mday, utc.tm_hour, utc.tm_min);
}

}  // namespace nsn::bench
