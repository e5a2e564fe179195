#include "nsn/models/collision/shape.h"

#include "nsn/core/base/error.h"

namespace nsn {

Solid Shape::solid() const {
  throw std::invalid_argument(fmt::format("a {} encloses no volume", type()));
}

}  // namespace nsn
