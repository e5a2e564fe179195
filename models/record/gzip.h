/// Bytes packed and unpacked; nsn built without zlib leaves them as they are.
#pragma once

#include <string>

namespace nsn {

std::string gzip(const std::string& bytes);
/// Bytes that are not packed come back as they are; what cannot be unpacked is empty.
std::string gunzip(const std::string& bytes);

}  // namespace nsn
