// Rows four side by side: what is selected, against one row after the other.
#include "nsn/models/collision/quads.h"

#include <array>
#include <vector>

#include <gtest/gtest.h>

#include "nsn/models/scenes/parts.h"

namespace nsn {
namespace {

std::vector<int> all_of(const Selection& list) {
  return {list.numbers().begin(), list.numbers().end()};
}

TEST(Quads, SelectTheSameRowsAsOneByOneWhateverTheirNumber) {
  SceneRandom random(3);
  Selection list;
  Quads<4> planes;
  for (int count = 0; count < 40; ++count) {
    planes.clear();
    std::vector<std::array<double, 4>> rows;
    for (int k = 0; k < count; ++k) {
      rows.push_back({random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1),
                      random.uniform(-1, 1)});
      planes.push_back(rows.back());
    }
    ASSERT_EQ(planes.size(), rows.size());
    const Vec3 p{random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1)};

    planes.select([&](const auto& q, std::size_t k) { return along(q, k, p) - q[3][k]; }, list);

    std::vector<int> expected;
    for (int k = 0; k < count; ++k) {
      const auto& [x, y, z, offset] = rows[static_cast<std::size_t>(k)];
      if (x * p[0] + y * p[1] + z * p[2] <= offset) expected.push_back(k);
    }
    EXPECT_EQ(all_of(list), expected) << count;
  }
}

TEST(Selection, IsNarrowedInItsOrder) {
  Selection list;
  list.take(10);
  list.narrow([](int k) { return static_cast<unsigned>(k % 3 != 0); });
  EXPECT_EQ(all_of(list), (std::vector<int>{1, 2, 4, 5, 7, 8}));
  list.narrow([](int k) { return static_cast<unsigned>(k > 4); });
  EXPECT_EQ(all_of(list), (std::vector<int>{5, 7, 8}));
  list.narrow([](int) { return 0U; });
  EXPECT_TRUE(list.numbers().empty());
}

TEST(Quads, RowsThatFillUpTheLastQuadAreNeverSelected) {
  Quads<3> points;
  Selection list;
  for (int k = 0; k < 5; ++k) points.push_back({1.0 * k, 0.0, 0.0});

  points.select([](const auto&, std::size_t) { return -1.0; }, list);
  EXPECT_EQ(list.numbers().size(), 8U) << "who does not look at the row takes all";
  points.select([](const auto& q, std::size_t k) { return q[1][k]; }, list);
  EXPECT_EQ(list.numbers().size(), 5U);
}

}  // namespace
}  // namespace nsn
