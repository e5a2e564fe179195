#include "nsn/backends/cuda/harness/fibres.h"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/common_interface_defs.h>
#define NSN_FIBRE_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#include <sanitizer/common_interface_defs.h>
#define NSN_FIBRE_ASAN 1
#endif
#endif
#if !defined(NSN_FIBRE_ASAN)
#define NSN_FIBRE_ASAN 0
#endif

namespace nsn::cuda::harness {
namespace {

constexpr std::size_t kStackBytes = 128 * 1024;

// The Fibres whose run() is on this thread: makecontext passes integers only.
thread_local Fibres* running = nullptr;

}  // namespace

struct Fibres::Fibre {
  ucontext_t context{};
  std::unique_ptr<char[]> stack{new char[kStackBytes]};
  void* fake_stack = nullptr;
  const Barrier* barrier = nullptr;  // waits for it to leave `generation`
  std::uint64_t generation = 0;
  bool ended = false;

  bool can_run() const {
    return !ended && (barrier == nullptr || barrier->generation != generation);
  }
};

Fibres::Fibres() = default;
Fibres::~Fibres() = default;

void Fibres::entry() {
  Fibres& self = *running;
#if NSN_FIBRE_ASAN
  const void* from = nullptr;
  std::size_t size = 0;
  __sanitizer_finish_switch_fiber(nullptr, &from, &size);
  if (self.main_stack_ == nullptr) {  // the first fibre is entered from run()
    self.main_stack_ = from;
    self.main_stack_size_ = size;
  }
#endif
  try {
    (*self.body_)(self.current());
  } catch (...) {
    self.error_ = std::current_exception();
  }
  self.fibres_[self.at_]->ended = true;
  ++self.ended_;
  self.leave(true);
}

void Fibres::start(std::size_t at) {
  if (fibres_.size() <= at) fibres_.push_back(std::make_unique<Fibre>());
  Fibre& fibre = *fibres_[at];
  fibre.ended = false;
  fibre.barrier = nullptr;
  fibre.fake_stack = nullptr;
  getcontext(&fibre.context);
  fibre.context.uc_stack.ss_sp = fibre.stack.get();
  fibre.context.uc_stack.ss_size = kStackBytes;
  fibre.context.uc_link = nullptr;
  makecontext(&fibre.context, &Fibres::entry, 0);
}

bool Fibres::run(const std::vector<int>& order, const std::function<void(int)>& body) {
  order_ = order;
  body_ = &body;
  error_ = nullptr;
  ended_ = waiting_ = 0;
  main_stack_ = nullptr;
  for (std::size_t i = 0; i < order_.size(); ++i) start(i);
  if (order_.empty()) return true;
  Fibres* const outer = running;
  running = this;
  at_ = 0;
#if NSN_FIBRE_ASAN
  __sanitizer_start_switch_fiber(&main_fake_stack_, fibres_[0]->stack.get(), kStackBytes);
#endif
  swapcontext(&main_, &fibres_[0]->context);
#if NSN_FIBRE_ASAN
  __sanitizer_finish_switch_fiber(main_fake_stack_, nullptr, nullptr);
#endif
  running = outer;
  waiting_ = static_cast<int>(order_.size()) - ended_;
  if (error_) std::rethrow_exception(error_);
  return waiting_ == 0;
}

bool Fibres::find_next(std::size_t& next) const {
  if (error_) return false;
  const std::size_t n = order_.size();
  for (std::size_t step = 1; step <= n; ++step) {
    const std::size_t candidate = (at_ + step) % n;
    if (!fibres_[candidate]->can_run()) continue;
    next = candidate;
    return true;
  }
  return false;
}

// Away from the present fibre, to the next one that can run or back to run().
void Fibres::leave(bool for_good) {
  Fibre& self = *fibres_[at_];
  std::size_t next = 0;
  const bool found = find_next(next);
  if (found && next == at_) return;
  ucontext_t& target = found ? fibres_[next]->context : main_;
  if (found) at_ = next;
#if NSN_FIBRE_ASAN
  __sanitizer_start_switch_fiber(for_good ? nullptr : &self.fake_stack,
                                 found ? fibres_[next]->stack.get() : main_stack_,
                                 found ? kStackBytes : main_stack_size_);
#else
  static_cast<void>(for_good);
#endif
  swapcontext(&self.context, &target);
#if NSN_FIBRE_ASAN
  __sanitizer_finish_switch_fiber(self.fake_stack, nullptr, nullptr);
#endif
}

void Fibres::arrive_and_wait(Barrier& barrier) {
  if (++barrier.arrived == barrier.expected) {
    barrier.arrived = 0;
    ++barrier.generation;
    return;
  }
  Fibre& self = *fibres_[at_];
  self.barrier = &barrier;
  self.generation = barrier.generation;
  leave(false);
  self.barrier = nullptr;
}

}  // namespace nsn::cuda::harness
