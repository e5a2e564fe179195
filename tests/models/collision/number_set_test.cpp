// Numbers come out of the set once each and in order, and it is empty then.
#include "nsn/models/collision/number_set.h"

#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "nsn/models/scenes/parts.h"

namespace nsn {
namespace {

TEST(NumberSet, GivesItsNumbersInOrderAndForgetsThem) {
  NumberSet set;
  SceneRandom random(1);
  std::vector<int> list{7};
  set.move_to(list);
  EXPECT_TRUE(list.empty());
  for (const int size : {1, 64, 65, 5000, 130}) {
    set.fit(static_cast<std::size_t>(size));
    std::set<int> expected;
    for (int k = 0; k < 40; ++k) {
      const int number = static_cast<int>(random.uniform(0.0, 0.999) * size);
      const bool wanted = k % 3 != 0;
      set.insert(number, wanted ? 1 : 0);
      if (wanted) expected.insert(number);
    }
    set.move_to(list);
    EXPECT_EQ(list, std::vector<int>(expected.begin(), expected.end()));
    set.move_to(list);
    EXPECT_TRUE(list.empty());
  }
}

}  // namespace
}  // namespace nsn
