// Solves the friction problems of a case list, each with the constants of policy as given:
//
//     nsn_friction_cases CASES.csv [FOLDER] [NAME=VALUE]...    -> a row per problem on standard output
//
// A line of the list is a family of seeded random problems (models/problems) or a file of FOLDER,
// which stays out if there is no such file. `work` is the number of factorisations, with sweeps
// counted as the part of one that they cost: no clock takes part.
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <thread>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "nsn/backends/standard_backends.h"
#include "nsn/core/base/error.h"
#include "nsn/core/base/options.h"
#include "nsn/core/base/runtime.h"
#include "nsn/core/contact/contact_gauss_seidel.h"
#include "nsn/core/io/friction_file.h"
#include "nsn/core/problems/friction_solver.h"
#include "nsn/models/problems/random_friction_problem.h"

namespace nsn {
namespace {

constexpr int kWorkers = 2;  // threads, each with problems of its own

struct Case {
  std::string family;
  std::string name;
  int budget = 0;  // factorisations
  AnyFrictionProblem problem;
};

std::vector<std::string> split(const std::string& line) {
  std::vector<std::string> fields(1);
  for (const char c : line) {
    if (c == ',') {
      fields.emplace_back();
    } else {
      fields.back() += c;
    }
  }
  return fields;
}

template <class Number>
void read_range(const std::string& text, Number& low, Number& high) {
  std::istringstream in(text);
  NSN_THROW_UNLESS(static_cast<bool>(in >> low >> high), "'{}' is not a range", text);
}

std::vector<Case> read_cases(const std::string& path, const std::filesystem::path& folder) {
  std::ifstream in(path);
  NSN_THROW_UNLESS(in.good(), "cannot read {}", path);
  std::vector<Case> cases;
  std::string line;
  std::getline(in, line);  // head
  while (std::getline(in, line)) {
    const std::vector<std::string> field = split(line);
    NSN_THROW_UNLESS(field.size() == 8, "{}: {} fields, not 8: {}", path, field.size(), line);
    const int budget = std::stoi(field[7]);
    if (!field[1].empty()) {
      const std::string file = (folder / field[1]).string();
      if (!std::filesystem::exists(file)) continue;
      cases.push_back({field[0], field[1], budget, read_friction_file(file).problem});
      continue;
    }
    RandomFrictionLimits limits;
    read_range(field[4], limits.min_contacts, limits.max_contacts);
    read_range(field[5], limits.min_mu, limits.max_mu);
    read_range(field[6], limits.min_rank, limits.max_rank);
    const std::uint64_t first = std::stoull(field[2]);
    for (std::uint64_t seed = first; seed < first + std::stoull(field[3]); ++seed) {
      cases.push_back({field[0], fmt::format("seed {}", seed), budget,
                       random_friction_problem(seed, limits).problem});
    }
  }
  return cases;
}

double blocks(const FrictionProblem& problem) {
  return static_cast<double>(problem.W.nonzeros()) / (problem.dimension * problem.dimension);
}
/// W is not formed by who gives a global problem: at most all contacts meet all.
double blocks(const GlobalFrictionProblem& problem) {
  return static_cast<double>(problem.contacts()) * problem.contacts();
}

template <class Problem>
std::string row(const Case& one, const Problem& problem, const FrictionResult& result) {
  double work = result.factorizations;
  if (result.sweeps > 0) {
    work += result.sweeps / sweeps_per_factorization(result.factorization_flops,
                                                     static_cast<Index>(blocks(problem)),
                                                     problem.contacts());
  }
  return fmt::format("{},{},{},{},{},{},{:.2f}\n", one.family, one.name, problem.contacts(),
                     result.solved() ? 1 : 0, result.factorizations, result.sweeps, work);
}

std::string solve(const Case& one, FrictionSolverOptions options) {
  options.max_factorizations = one.budget;
  const FrictionSolver solver(options, standard_backends());
  if (const auto* local = std::get_if<FrictionProblem>(&one.problem)) {
    return row(one, *local, solver.solve(*local));
  }
  const auto& global = std::get<GlobalFrictionProblem>(one.problem);
  return row(one, global, solver.solve(global));
}

/// Constants by name, as in friction_solver.h, proximal_newton.h and proximal_schedule.h.
void set(FrictionSolverOptions& options, const std::string& name, double value) {
  ProximalOptions& newton = options.newton;
  ProximalSchedule& schedule = newton.schedule;
  const std::vector<std::pair<std::string, std::variant<int*, double*>>> fields = {
      {"attempt", &options.attempt},
      {"sweeps_worth", &options.sweeps_worth},
      {"max_inner", &schedule.max_inner},
      {"alpha_cold", &newton.alpha_cold},
      {"load_clip", &newton.load_clip},
      {"friction_ceiling", &newton.friction_ceiling},
      {"runaway", &schedule.runaway},
      {"rise", &schedule.rise},
      {"failure_decay", &schedule.failure_decay},
      {"ask_after", &options.rescue.ask_after},
      {"relaxation", &options.rescue.relaxation},
      {"alpha_from_point", &options.rescue.alpha_from_point},
      {"from_point", &options.rescue.from_point},
      {"wander", &options.rescue.wander},
      {"dip", &options.rescue.dip},
      {"dip_sweeps", &options.rescue.dip_sweeps},
      {"from_dip", &options.rescue.from_dip},
      {"alpha_min", &schedule.alpha_min},
      {"alpha_max", &schedule.alpha_max},
  };
  for (const auto& [key, field] : fields) {
    if (key != name) continue;
    if (const auto* count = std::get_if<int*>(&field)) {
      **count = static_cast<int>(value);
    } else {
      *std::get<double*>(field) = value;
    }
    return;
  }
  throw std::invalid_argument(fmt::format("no constant '{}'", name));
}

int run(int count, char** values) {
  NSN_THROW_UNLESS(count >= 2, "usage: nsn_friction_cases CASES.csv [FOLDER] [NAME=VALUE]...");
  FrictionSolverOptions options;
  std::filesystem::path folder;
  for (int k = 2; k < count; ++k) {
    const std::string text = values[k];
    if (text.find('=') == std::string::npos) {
      folder = text;
    } else {
      const auto [name, value] = parse_assignment(text);
      set(options, name, std::stod(value));
    }
  }
  const std::vector<Case> cases = read_cases(values[1], folder);
  std::vector<std::string> rows(cases.size());
  std::atomic<std::size_t> next = 0;
  {
    std::vector<std::jthread> workers;
    for (int k = 0; k < kWorkers; ++k) {
      workers.emplace_back([&] {
        for (std::size_t i = next++; i < cases.size(); i = next++)
          rows[i] = solve(cases[i], options);
      });
    }
  }
  std::cout << "family,problem,contacts,solved,factorizations,sweeps,work\n";
  for (const std::string& row : rows) std::cout << row;
  return 0;
}

}  // namespace
}  // namespace nsn

int main(int count, char** values) {
  try {
    const nsn::Runtime runtime;
    return nsn::run(count, values);
  } catch (const std::exception& error) {
    std::cerr << "nsn_friction_cases: " << error.what() << '\n';
    return 2;
  }
}
