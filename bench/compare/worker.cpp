#include "bench/compare/worker.h"

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <new>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>

#include "nsn/core/base/error.h"
#include "nsn/core/base/runtime.h"

namespace nsn::bench {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kTimeLimit = "time-limit";
constexpr const char* kMemoryLimit = "memory-limit";
constexpr double kWallPerProcessor =
    10.0;  // a process that waits for others is not judged by the clock

std::string line_of(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

/// False if nobody listens any more.
bool send_all(int socket, const std::string& text) {
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t n = ::send(socket, text.data() + done, text.size() - done, MSG_NOSIGNAL);
    if (n < 0 && errno != EINTR) return false;
    if (n > 0) done += static_cast<std::size_t>(n);
  }
  return true;
}

/// Lines of a socket.
class Lines {
 public:
  /// One line without its end, or nothing after `milliseconds` (-1: no limit) or at the end.
  bool next(int socket, int milliseconds, std::string& line) {
    for (;;) {
      const std::size_t end = text_.find('\n');
      if (end != std::string::npos) {
        line = text_.substr(0, end);
        text_.erase(0, end + 1);
        return true;
      }
      pollfd wait{socket, POLLIN, 0};
      const int ready = ::poll(&wait, 1, milliseconds);
      if (ready < 0 && errno == EINTR) continue;
      if (ready <= 0) return false;
      std::array<char, 65536> buffer;
      const ssize_t n = ::recv(socket, buffer.data(), buffer.size(), 0);
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) {
        ended_ = true;
        return false;
      }
      text_.append(buffer.data(), static_cast<std::size_t>(n));
    }
  }
  bool ended() const { return ended_; }

 private:
  std::string text_;
  bool ended_ = false;
};

double processor_seconds(pid_t process) {
  clockid_t clock = 0;
  timespec now{};
  if (::clock_getcpuclockid(process, &clock) != 0 || ::clock_gettime(clock, &now) != 0) return 0.0;
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double clock_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

TimedRun timed_run_from(const Json& json) {
  TimedRun run;
  run.refusal = json.at("refusal").get<std::string>();
  run.ended = json.at("ended").get<std::string>();
  run.stopped = json.at("stopped").get<bool>();
  run.direct = json.at("direct").get<bool>();
  run.report = linear_report_from(json.at("report"));
  run.time = run_time_from(json.at("time"));
  return run;
}

Json to_json(const TimedRun& run) {
  return {{"refusal", run.refusal},
          {"ended", run.ended},
          {"stopped", run.stopped},
          {"direct", run.direct},
          {"report", bench::to_json(run.report)},
          {"time", bench::to_json(run.time)}};
}

TimedRun without_answer(const char* ended, std::string detail) {
  TimedRun run;
  run.ended = ended;
  run.report.detail = std::move(detail);
  return run;
}

}  // namespace

// ---- this end

/// One child; started at the first request, and again after it died.
class Workers::Process {
 public:
  explicit Process(const WorkerOptions& options) : options_(options) {}
  ~Process() { end(); }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  /// True if a child lives that was last told to load `key`.
  bool holds(const std::string& key) const { return child_ > 0 && held_ == key; }
  void hold(const std::string& key) { held_ = key; }

  /// The answer to a request; an answer with "ended" where the child had to be killed or died.
  Json ask(const Json& request) {
    if (child_ <= 0) start();
    const double cpu = processor_seconds(child_);
    const double begin = clock_seconds();
    phase_ = "reading the system";
    if (!send_all(socket_, line_of(request))) return died();
    std::string line;
    for (;;) {
      constexpr int kWait = 20;  // ms between two looks at the clock of the child
      if (lines_.next(socket_, kWait, line)) {
        Json answer = Json::parse(line);
        if (!answer.contains("phase")) return answer;
        phase_ = answer["phase"].get<std::string>();
        continue;
      }
      if (lines_.ended()) return died();
      if (options_.stopped && options_.stopped()) {
        end();
        TimedRun none;
        none.stopped = true;
        return to_json(none);
      }
      const double limit = options_.limit_seconds;
      const bool late = limit > 0.0 && (processor_seconds(child_) - cpu > limit ||
                                        clock_seconds() - begin > kWallPerProcessor * limit);
      if (!late) continue;
      end();
      return to_json(without_answer(
          kTimeLimit, fmt::format("{:g} s of processor time spent in {}", limit, phase_)));
    }
  }

  void end() {
    if (child_ <= 0) return;
    ::kill(child_, SIGKILL);
    reap();
  }

 private:
  void start() {
    std::array<int, 2> ends{};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
      throw std::runtime_error(fmt::format("socketpair: {}", std::strerror(errno)));
    }
    std::vector<std::string> words = {"nsn", std::string(kWorkerCommand), std::to_string(ends[1]),
                                      std::to_string(options_.threads),
                                      fmt::format("{:.0f}", options_.memory_bytes)};
    words.insert(words.end(), options_.plugins.begin(), options_.plugins.end());
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    child_ = ::fork();
    if (child_ == 0) {
      ::fcntl(ends[1], F_SETFD, 0);
      ::setpgid(0, 0);  // a Ctrl-C is for the parent, which ends its children itself
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      ::dup2(STDERR_FILENO, STDOUT_FILENO);  // what a library prints is no answer
      ::execv("/proc/self/exe", argv.data());
      ::_exit(127);
    }
    ::close(ends[1]);
    socket_ = ends[0];
    lines_ = Lines();
    held_.clear();
    if (child_ < 0) throw std::runtime_error(fmt::format("fork: {}", std::strerror(errno)));
  }

  int reap() {
    int status = 0;
    while (::waitpid(child_, &status, 0) < 0 && errno == EINTR) {
    }
    ::close(socket_);
    child_ = -1;
    return status;
  }

  Json died() {
    const int status = reap();
    const std::string how = WIFSIGNALED(status) ? fmt::format("signal {} ({})", WTERMSIG(status),
                                                              ::strsignal(WTERMSIG(status)))
                                                : fmt::format("exit code {}", WEXITSTATUS(status));
    return to_json(
        without_answer("crashed", fmt::format("its process ended with {} in {}", how, phase_)));
  }

  const WorkerOptions& options_;
  pid_t child_ = -1;
  int socket_ = -1;
  Lines lines_;
  std::string held_;   // what the child has read
  std::string phase_;  // what it said last
};

class Workers::Remote final : public Contestant {
 public:
  Remote(Process& process, Json load, bool keep)
      : process_(process), load_(std::move(load)), keep_(keep) {}
  ~Remote() override {
    if (!keep_) process_.end();
  }

  TimedRun time() override {
    const Json answer = ask("time");
    return timed_run_from(answer);
  }
  History observe() override {
    const Json answer = ask("observe");
    return answer.contains("history") ? history_from(answer["history"]) : History();
  }

 private:
  Json ask(const char* what) {
    const std::string key = load_.dump(-1, ' ', false, Json::error_handler_t::replace);
    if (!process_.holds(key)) {
      const Json answer = process_.ask(load_);
      if (answer.contains("ended")) return answer;
      process_.hold(key);
    }
    return process_.ask({{"do", what}});
  }

  Process& process_;
  Json load_;
  bool keep_;  // the process serves the next system too
};

Workers::Workers(WorkerOptions options) : options_(std::move(options)) {}
Workers::~Workers() = default;

std::unique_ptr<Contestant> Workers::contestant(const SystemSource& source, std::uint64_t seed,
                                                const std::string& spec, SystemForm form,
                                                const LinearControl& control) {
  std::unique_ptr<Process>& process = processes_[spec + suffix(form)];
  if (process == nullptr) process = std::make_unique<Process>(options_);
  // The memory of a large system is given back with its process.
  constexpr std::uintmax_t kLarge = 32U << 20U;
  std::error_code unknown;
  const auto file = source.exported ? matrix_of(source.path) : source.path;
  const std::uintmax_t size = std::filesystem::file_size(file, unknown);
  const Json load{{"do", "load"},
                  {"name", source.name},
                  {"path", source.path.string()},
                  {"rhs", source.rhs ? source.rhs->string() : ""},
                  {"exported", source.exported},
                  {"seed", seed},
                  {"solver", spec},
                  {"form", to_string(form)},
                  {"rtol", control.rtol},
                  {"atol", control.atol},
                  {"max_iterations", control.max_iterations}};
  return std::make_unique<Remote>(*process, load, unknown || size < kLarge);
}

// ---- the other end

namespace {

class Server {
 public:
  Server(int socket, const SolverRegistry& registry) : socket_(socket), registry_(registry) {}

  void serve() {
    Lines lines;
    std::string line;
    while (lines.next(socket_, -1, line)) {
      if (!send_all(socket_, line_of(answer(Json::parse(line))))) return;
    }
  }

 private:
  Json answer(const Json& request) {
    try {
      const std::string what = request.at("do").get<std::string>();
      if (what == "load") return load(request);
      if (what == "observe") return {{"history", bench::to_json(contestant_->observe())}};
      return to_json(contestant_->time());
    } catch (const std::bad_alloc&) {
      return to_json(without_answer(kMemoryLimit, fmt::format("no memory left in {}", phase_)));
    } catch (const std::exception& error) {
      const bool memory = std::string_view(error.what()).find("alloc") != std::string_view::npos;
      return to_json(without_answer(memory ? kMemoryLimit : "crashed",
                                    fmt::format("{}, in {}", error.what(), phase_)));
    }
  }

  Json load(const Json& request) {
    phase_ = "reading the system";
    contestant_.reset();
    op_.reset();
    system_ = LinearSystem();
    SystemSource source{request.at("name").get<std::string>(),
                        request.at("path").get<std::string>(),
                        std::nullopt,
                        request.at("exported").get<bool>(),
                        {}};
    if (const std::string rhs = request.at("rhs").get<std::string>(); !rhs.empty())
      source.rhs = rhs;
    system_ = read_system(source, request.at("seed").get<std::uint64_t>());
    std::string note;
    const SystemForm form = system_form_from(request.at("form").get<std::string>());
    op_ = form == SystemForm::kAssembled ? assembled_variant(system_).op
                                         : factored_variant(system_, note);
    if (op_ == nullptr) throw InputError(note);
    LinearControl control;
    control.rtol = request.at("rtol").get<double>();
    control.atol = request.at("atol").get<double>();
    control.max_iterations = request.at("max_iterations").get<int>();
    contestant_ =
        local_contestant(registry_, request.at("solver").get<std::string>(), form, *op_, system_,
                         control, [this](const char* phase) {
                           phase_ = phase;
                           static_cast<void>(send_all(socket_, line_of({{"phase", phase}})));
                         });
    return {{"loaded", true}};
  }

  int socket_;
  const SolverRegistry& registry_;
  LinearSystem system_;
  std::unique_ptr<LinearOperator> op_;
  std::unique_ptr<Contestant> contestant_;
  std::string phase_;
};

}  // namespace

int serve_contestants(
    int argc, char** argv,
    const std::function<SolverRegistry(const std::vector<std::string>&)>& registry) {
  constexpr int kFirstPlugin = 5;
  if (argc < kFirstPlugin) return 2;
  const double memory = std::stod(argv[4]);
  if (memory > 0.0) {
    const rlimit limit{static_cast<rlim_t>(memory), static_cast<rlim_t>(memory)};
    ::setrlimit(RLIMIT_DATA, &limit);
  }
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  const Runtime runtime(std::stoi(argv[3]));
  const SolverRegistry solvers = registry({argv + kFirstPlugin, argv + argc});
  Server(std::stoi(argv[2]), solvers).serve();
  return 0;
}

}  // namespace nsn::bench
