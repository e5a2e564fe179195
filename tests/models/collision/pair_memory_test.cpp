// What is known of pairs from one step to the next.
#include "nsn/models/collision/pair_memory.h"

#include <string>

#include <gtest/gtest.h>

namespace nsn {
namespace {

PlacedPair pair(int a, int b, double x = 0.0) {
  return {{a, b}, {{x, 0, 0}, identity<3>()}, {{1, 0, 0}, identity<3>()}, 1.0, 0.1};
}

TEST(PairMemory, FindsThePairsOfTheLastStepAlone) {
  PairMemory<std::string> memory;
  memory.start_step();
  EXPECT_EQ(memory.find(pair(0, 1)), nullptr);
  memory.add(pair(0, 1, 3.0)) = "first";
  memory.add(pair(0, 4)) = "second";
  memory.add(pair(2, 3)) = "third";
  EXPECT_EQ(memory.find(pair(0, 4)), nullptr) << "of this step";

  memory.start_step();
  ASSERT_NE(memory.find(pair(0, 1)), nullptr);
  EXPECT_EQ(memory.find(pair(0, 1))->value, "first") << "asked for twice";
  EXPECT_EQ(memory.find(pair(0, 1))->a_in_b.x[0], 2.0) << "a is at 3, b at 1";
  EXPECT_EQ(memory.find(pair(0, 2)), nullptr);
  ASSERT_NE(memory.find(pair(2, 3)), nullptr) << "the second is left out";
  EXPECT_EQ(memory.find(pair(2, 3))->value, "third");
  EXPECT_EQ(memory.find(pair(2, 4)), nullptr);

  memory.start_step();
  EXPECT_EQ(memory.find(pair(0, 1)), nullptr) << "nothing was carried";
}

TEST(PairMemory, CarriesWhatHoldsWithWhereItWasFound) {
  PairMemory<std::string> memory;
  memory.start_step();
  memory.add(pair(0, 1, 3.0)) = "first";
  memory.add(pair(0, 2)) = "second";

  memory.start_step();
  ASSERT_NE(memory.find(pair(0, 1, 4.0)), nullptr);
  EXPECT_EQ(memory.carry(), "first");
  ASSERT_NE(memory.following(), nullptr);
  EXPECT_EQ(memory.following()->value, "second");
  EXPECT_EQ(memory.find(pair(0, 1)), nullptr) << "it belongs to this step now";
  memory.add(pair(0, 2)) = "new";
  memory.start_step();

  EXPECT_EQ(memory.find(pair(0, 1))->a_in_b.x[0], 2.0);
  EXPECT_EQ(memory.carry(), "first");
  EXPECT_EQ(memory.find(pair(0, 2))->value, "new");
}

}  // namespace
}  // namespace nsn
