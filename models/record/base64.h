/// Bytes as text in pages.
#pragma once

#include <string>
#include <string_view>

namespace nsn {

std::string to_base64(std::string_view bytes);
/// Characters that do not belong there are skipped.
std::string from_base64(std::string_view text);

}  // namespace nsn
