#pragma once

/// @file
/// OpenMP threads that wait must sleep. By default they spin for a while; on a machine with other
/// work the spinning threads hold the very cores that the working ones need: a PCR solve of 3 858
/// rows at a load of 12 on two cores took 92 ms spinning and 2.9 ms sleeping. The OpenMP runtime
/// reads its setting once, before main(), so a program that wants another one has to start itself
/// again.

namespace nsn::bench {

/// Starts this program again with OMP_WAIT_POLICY=passive, unless the caller's environment already
/// says how to wait. First statement of main(); returns where nothing is to be done (or /proc is
/// absent).
void wait_passively(char** argv);

}  // namespace nsn::bench
