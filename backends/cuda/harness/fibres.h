/// Threads of a kernel as fibres of one operating-system thread: they take turns, and a barrier is
/// a place where a fibre waits until all it belongs with have come.
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <ucontext.h>
#include <vector>

namespace nsn::cuda::harness {

/// `expected` fibres meet here, again and again.
struct Barrier {
  int expected = 0;
  int arrived = 0;
  std::uint64_t generation = 0;  ///< how often all have met
};

class Fibres {
 public:
  Fibres();
  ~Fibres();
  Fibres(const Fibres&) = delete;
  Fibres& operator=(const Fibres&) = delete;

  /// Runs body(i) for each i of `order`, each as a fibre, until all have ended. Returns false if
  /// the ones that are left all wait at barriers that nobody else will reach; rethrows what a body
  /// threw. After either the remaining fibres are dropped where they stand.
  bool run(const std::vector<int>& order, const std::function<void(int)>& body);

  /// Called by a fibre: returns when all expected fibres have arrived.
  void arrive_and_wait(Barrier& barrier);

  /// The fibre that runs: its i.
  int current() const { return order_[at_]; }
  /// After run() returned false: fibres that wait, and those that have ended.
  int waiting() const { return waiting_; }
  int ended() const { return ended_; }

 private:
  struct Fibre;

  static void entry();
  void start(std::size_t at);
  void leave(bool for_good);
  bool find_next(std::size_t& next) const;

  std::vector<std::unique_ptr<Fibre>> fibres_;  // by position in the order; stacks are kept
  std::vector<int> order_;
  const std::function<void(int)>* body_ = nullptr;
  ucontext_t main_{};
  void* main_fake_stack_ = nullptr;
  const void* main_stack_ = nullptr;
  std::size_t main_stack_size_ = 0;
  std::size_t at_ = 0;
  int waiting_ = 0;
  int ended_ = 0;
  std::exception_ptr error_;
};

}  // namespace nsn::cuda::harness
