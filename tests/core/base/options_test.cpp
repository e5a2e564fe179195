#include "nsn/core/base/options.h"

#include <stdexcept>
#include <string>

#include <gtest/gtest.h>

namespace nsn {
namespace {

const std::vector<OptionSpec> kSpecs = {
    OptionSpec::integer("max_iterations", 100, 1, 1e6, "iterations"),
    OptionSpec::real("omega", 1.0, 0.0, 2.0, "relaxation"),
    OptionSpec::choice("precond", "jacobi", {"none", "jacobi", "block-jacobi"}, "P"),
    OptionSpec::flag("lift", false, "minimum-norm solution"),
};

std::string message(const Options::Assignments& assignments) {
  try {
    const Options options(kSpecs, assignments, "'pcr'");
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

TEST(Options, DefaultsThenAssignmentsInOrder) {
  const Options options(kSpecs, {{"omega", "0.5"}, {"omega", "1.5"}, {"lift", "true"}}, "'pcr'");

  EXPECT_EQ(options.integer("max_iterations"), 100);
  EXPECT_EQ(options.real("omega"), 1.5);
  EXPECT_EQ(options.text("precond"), "jacobi");
  EXPECT_TRUE(options.flag("lift"));
}

TEST(Options, UnknownKeyNamesTheNearest) {
  EXPECT_EQ(message({{"omge", "1"}}), "'pcr' has no option 'omge'; did you mean 'omega'?");
}

TEST(Options, ValueOutsideItsRangeIsRefused) {
  EXPECT_EQ(message({{"omega", "3"}}), "option 'omega' of 'pcr': 3 is outside [0, 2]");
  EXPECT_EQ(message({{"omega", "nan"}}), "option 'omega' of 'pcr': 'nan' is not a finite number");
  EXPECT_EQ(message({{"max_iterations", "1.5"}}),
            "option 'max_iterations' of 'pcr': '1.5' is not an integer");
  EXPECT_EQ(message({{"precond", "jacobbi"}}),
            "option 'precond' of 'pcr': unknown value 'jacobbi'; did you mean 'jacobi'?");
  EXPECT_EQ(message({{"lift", "yes"}}), "option 'lift' of 'pcr': 'yes' is neither true nor false");
}

TEST(NamedOptions, AreTakenApart) {
  const NamedOptions named = parse_named_options("pcr:max_iterations=40,precond=none");

  EXPECT_EQ(named.name, "pcr");
  ASSERT_EQ(named.assignments.size(), 2U);
  EXPECT_EQ(named.assignments[1].second, "none");
  EXPECT_EQ(parse_named_options("cholmod").name, "cholmod");
  EXPECT_THROW(parse_named_options("pcr:max_iterations"), std::invalid_argument);
}

}  // namespace
}  // namespace nsn
