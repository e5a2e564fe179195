#include "nsn/core/step/named_options.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "nsn/core/base/error.h"

namespace nsn {
namespace {

constexpr double kMost = std::numeric_limits<double>::max();

template <class Value>
OptionSpec spec_of(const std::string& name, const std::string& help) {
  if constexpr (std::is_same_v<Value, double>) {
    return OptionSpec::real(name, 0.0, -kMost, kMost, help);
  } else if constexpr (std::is_same_v<Value, int>) {
    using Limits = std::numeric_limits<int>;
    return OptionSpec::integer(name, 0, Limits::min(), Limits::max(), help);
  } else if constexpr (std::is_same_v<Value, bool>) {
    return OptionSpec::flag(name, false, help);
  } else {
    std::vector<std::string> names;
    for (const auto& choice : choices<Value>()) names.emplace_back(choice.second);
    return OptionSpec::choice(name, names.front(), names, help);
  }
}

template <class Value>
Value value_of(const Options& value, const std::string& name) {
  if constexpr (std::is_same_v<Value, double>) {
    return value.real(name);
  } else if constexpr (std::is_same_v<Value, int>) {
    return static_cast<int>(value.integer(name));
  } else if constexpr (std::is_same_v<Value, bool>) {
    return value.flag(name);
  } else {
    const auto& all = choices<Value>();
    const auto found = std::find_if(all.begin(), all.end(), [&](const auto& choice) {
      return choice.second == value.text(name);
    });
    return found->first;
  }
}

template <class Owner>
void add_methods(std::vector<std::string>& methods) {
  if constexpr (std::is_same_v<Owner, NewtonOptions>) {
    methods = preset_names();
  } else {
    methods.emplace_back(method_name(NewtonOptions(Owner{})));
  }
}

template <class Owner, class Value>
void assign(NewtonOptions& options, Value Owner::*member, Value value) {
  if constexpr (std::is_same_v<Owner, NewtonOptions>) {
    options.*member = value;
  } else if (Owner* const own = std::get_if<Owner>(&options.method)) {
    own->*member = value;
  }
}

/// The option that is this field, of each method that has it.
template <class Value, class... Owner>
NamedOption option(const std::string& name, const std::string& help, Value Owner::*... member) {
  NamedOption out;
  out.spec = spec_of<Value>(name, help);
  (add_methods<Owner>(out.methods), ...);
  out.set = [=](NewtonOptions& options, const Options& value) {
    (assign(options, member, value_of<Value>(value, name)), ...);
  };
  return out;
}

using Shared = NewtonOptions;
using A = AccurateOptions;
using R = RealtimeOptions;
using P = PaperOptions;

/// An option that does nothing unless another one has a certain value.
struct Condition {
  std::string_view name;
  std::string_view needs;
  bool (*holds)(const PaperOptions&);
};
constexpr Condition kConditions[] = {
    {"origin", "ncp fischer-burmeister",
     [](const P& p) { return p.ncp == NcpKind::kFischerBurmeister; }},
    {"smoothing", "friction smoothed",
     [](const P& p) { return p.friction == FrictionKind::kSmoothed; }},
    {"step-length", "damping constant or adaptive",
     [](const P& p) { return p.damping == Damping::kConstant || p.damping == Damping::kAdaptive; }},
    {"linear-tolerance", "eisenstat-walker false", [](const P& p) { return !p.eisenstat_walker; }},
    {"operator", "formulation compliance",
     [](const P& p) { return p.formulation == Formulation::kCompliance; }},
    {"relative-regularization", "a regularization that is not 0",
     [](const P& p) { return p.regularization > 0.0; }},
};

/// Names that a value had before.
constexpr std::pair<std::string_view, std::string_view> kFormerFriction[] = {
    {"proximal", "--preset accurate"},
    {"safeguarded", "--preset realtime"},
    {"alart-curnier-full", "--friction alart-curnier"}};

void refuse_former(const std::string& name, const std::string& text) {
  if (name != "friction") return;
  for (const auto& [former, present] : kFormerFriction) {
    NSN_THROW_UNLESS(text != former, "friction '{}' is now {}", text, present);
  }
}

const NamedOption& find_option(const std::string& name, std::string_view dashes) {
  const auto& all = named_options();
  const auto found = std::find_if(all.begin(), all.end(),
                                  [&](const NamedOption& o) { return o.spec.key == name; });
  if (found != all.end()) return *found;
  std::vector<std::string> names;
  names.reserve(all.size());
  for (const NamedOption& o : all) names.push_back(o.spec.key);
  throw std::invalid_argument(
      fmt::format("unknown option {}{}{}", dashes, name, suggestion(name, names)));
}

void set_policy_field(NewtonOptions& options, const std::string& text) {
  const Options::Assignments field{parse_assignment(text)};
  if (A* const accurate = std::get_if<A>(&options.method)) set_policy(accurate->policy, field);
  if (R* const realtime = std::get_if<R>(&options.method)) set_policy(realtime->policy, field);
}

std::vector<NamedOption> make_options() {
  NamedOption linear;
  linear.spec = OptionSpec::choice(
      "linear", "", {}, "linear solver, name:key=value,...; given again: what to fall back to");
  linear.methods = preset_names();
  linear.set = [](NewtonOptions& options, const Options& value) {
    options.linear.push_back(value.text("linear"));
  };
  NamedOption policy;
  policy.spec = OptionSpec::choice("policy", "", {},
                                   "NAME=VALUE of a constant of the method; may be given again");
  policy.methods = {"accurate", "realtime"};
  policy.set = [](NewtonOptions& options, const Options& value) {
    set_policy_field(options, value.text("policy"));
  };
  NamedOption device;
  device.spec = OptionSpec::choice("device", "", {}, "where a step is solved (nsn devices)");
  device.methods = preset_names();
  device.set = [](NewtonOptions& options, const Options& value) {
    options.device = value.text("device");
  };
  return {
      device,
      option("tolerance", "relative error at which a step is solved", &Shared::tolerance),
      option("newton-iterations", "largest number per step", &Shared::max_iterations),
      option("warm-start", "start from the last impulses", &Shared::warm_start),
      option("recovery-speed", "largest speed at which overlaps are removed, m/s and rad/s",
             &Shared::recovery_speed),
      option("time-budget", "wall-clock time per step, s (0: no limit)", &Shared::time_budget),
      linear,
      option("ncp", "NCP function of the normal rows (paper: of all rows with one bound)", &A::ncp,
             &R::ncp, &P::ncp),
      option("geometric-stiffness", "in H: of particles (diagonal), blocks (exact) or all (full)",
             &A::stiffness, &P::stiffness),
      option("eliminate", "elastic rows, in realtime those of joints too, by a sparse H",
             &A::elimination, &R::elimination),
      option("restart-after", "factorisations before a restart", &A::restart_after),
      option("linear-iterations", "largest number per Newton iteration (0: no limit)",
             &R::linear_iterations, &P::linear_iterations),
      option("hand-over", "finish hard steps with the accurate method", &R::hand_over),
      option("friction", "friction law", &P::friction),
      option("origin", "derivative of Fischer-Burmeister at (0, 0)", &P::origin),
      option("form", "normal rows divided by alpha (row) or times alpha", &P::form),
      option("formulation", "unknowns per row or per degree of freedom", &P::formulation),
      option("operator", "for a matrix-free solver", &P::operator_form),
      option("start", "velocity to start from", &P::start),
      option("damping", "how Newton steps are damped", &P::damping),
      option("step-length", "t of constant damping, in (0, 1]", &P::step_length),
      option("projection", "final momentum projection, which is ours, not of [Macklin19]",
             &P::final_projection),
      option("best-iterate", "return the iterate of least error, not the last", &P::best_iterate),
      option("regularization", "added to the diagonal of S", &P::regularization),
      option("relative-regularization", "it multiplies that diagonal", &P::relative_regularization),
      option("linear-tolerance", "relative residual of a linear solve", &P::linear_tolerance),
      option("eisenstat-walker", "linear tolerance from the fall of the merit",
             &P::eisenstat_walker),
      option("smoothing", "v_s of the smoothed friction, m/s", &P::smoothing),
      option("precision", "of the whole iteration", &P::precision),
      policy,
  };
}

}  // namespace

const std::vector<NamedOption>& named_options() {
  static const std::vector<NamedOption> all = make_options();
  return all;
}

void require_method(const NewtonOptions& options, const std::vector<std::string>& methods,
                    std::string_view option) {
  const std::string_view method = method_name(options);
  NSN_THROW_UNLESS(std::find(methods.begin(), methods.end(), method) != methods.end(),
                   "{} is not an option of {}; it is one of {}", option, method,
                   fmt::join(methods, " and "));
}

void set_options(NewtonOptions& options, const Options::Assignments& values,
                 std::string_view dashes) {
  const auto given = [&](std::string_view name) {
    return std::any_of(values.begin(), values.end(),
                       [&](const auto& value) { return value.first == name; });
  };
  if (given("linear")) options.linear.clear();
  for (const auto& [name, text] : values) {
    const NamedOption& option = find_option(name, dashes);
    refuse_former(name, text);
    require_method(options, option.methods, fmt::format("{}{}", dashes, name));
    option.set(options, Options({&option.spec, 1}, {{name, text}}, method_name(options)));
  }
  validate(options);
  const P* const paper = std::get_if<P>(&options.method);
  for (const Condition& condition : kConditions) {
    NSN_THROW_UNLESS(paper == nullptr || !given(condition.name) || condition.holds(*paper),
                     "{}{} does nothing here: it needs {}", dashes, condition.name,
                     condition.needs);
  }
}

}  // namespace nsn
