/// Ctrl-C, SIGTERM and SIGHUP: the present row or step is finished, what was computed is written and marked as
/// partial, and the exit code is 128 + signal (130, 143, 129). A second one ends the process at once.
///
///   note_interrupts();
///   int done = 0;
///   while (done < steps && !interrupted()) { simulation.step(); ++done; }
///   const std::string stopped = done < steps ? stopped_at(fmt::format("step {} of {}", done, steps)) : "";
///   ... write; where `stopped` is not empty, mark what is written with it ...
///   return exit_code(converged ? 0 : 1);
///
/// How an output is marked: a CSV by its name (row_file.h), JSON by a key "partial", a page and a .pvd by a sentence.
#pragma once

#include <string>

namespace nsn::cli {

/// From here on the signals are noted. One that the caller of nsn ignores (nohup, a job in the background of a
/// script) stays ignored.
void note_interrupts();

bool interrupted();

/// "stopped by SIGINT after step 37 of 240", also told on stderr.
std::string stopped_at(const std::string& last_done);

/// 128 + signal after an interrupt, `otherwise` without one.
int exit_code(int otherwise);

/// Thrown where the only way out of a piece of work is its callback. Not a std::exception: no handler of failures
/// takes it for one.
struct Interrupted {};

}  // namespace nsn::cli
