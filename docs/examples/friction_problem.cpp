// A frictional-contact problem without any model: one contact, u = W r + q.
#include <cstdio>
#include <nsn/nsn.h>
#include <vector>

int main() {
  // Mass 1, friction 0.5, falling at 1 m/s and sliding at 2 m/s: normal component first.
  const std::vector<int> row_begin{0, 1, 2, 3};
  const std::vector<int> column{0, 1, 2};
  const std::vector<double> value{1.0, 1.0, 1.0};
  const std::vector<double> q{-1.0, 2.0, 0.0};
  const std::vector<double> mu{0.5};

  const nsn::FrictionAnswer answer = nsn::solve_friction({row_begin, column, value}, q, mu);
  std::printf("r = (%.3f, %.3f, %.3f) kg m/s\n", answer.r[0], answer.r[1], answer.r[2]);
  return answer.solved ? 0 : 1;
}
