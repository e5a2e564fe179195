/// Functions compiled several times, for older and newer processors; the loader picks one.
///
///   NSN_VERSIONS void scale(...) {...}
///
/// Products and sums are not fused (-ffp-contract=off): every version gives the same bits.
#pragma once

// The loader's choice between versions of a function runs before sanitizers are ready.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define NSN_VERSIONS __attribute__((target_clones("default", "arch=x86-64-v3", "arch=x86-64-v4")))
#else
#define NSN_VERSIONS
#endif
