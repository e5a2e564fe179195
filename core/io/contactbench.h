/// ContactBench's problems: a NumPy archive (.npz) of the arrays G (Delassus operator), g (free
/// velocity) and mus (friction), with the components of a contact as (t1, t2, n). Rows and columns
/// are turned to (n, t1, t2), a rotation of each contact's frame that changes no value.
///
/// An .npz is a zip archive of .npy arrays. What numpy.savez writes is read: entries that are
/// stored, arrays of little-endian float64 in row or column order. Compressed archives are refused.
#pragma once

#include <string_view>

#include "nsn/core/io/friction_file.h"

namespace nsn {

/// Parses a whole archive. Errors read "name: G.npy: reason".
FrictionFile parse_contactbench(std::string_view bytes, std::string_view name);

}  // namespace nsn
