/// The laws of a step's rows (core/step/system.h) as the rows of the proximal engine.
#pragma once

#include <vector>

#include "nsn/core/contact/contact_rows.h"
#include "nsn/core/step/system.h"

namespace nsn {

/// kept: of these blocks; null: of all. Keeps the memory of `rows` where their number does not
/// grow.
void set_rows(const System& system, const std::vector<Index>* kept, ContactRows& rows);

}  // namespace nsn
