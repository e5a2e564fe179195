#include "nsn/models/record/gzip.h"

#include <stdexcept>

#if defined(NSN_WITH_ZLIB)
#include <zlib.h>
#endif

namespace nsn {

#if defined(NSN_WITH_ZLIB)

namespace {
constexpr int kGzip = 16 + MAX_WBITS;
constexpr std::size_t kPiece = 1 << 16;

Bytef* data_of(const std::string& bytes) {
  return reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));  // zlib does not write there
}

/// Calls step(stream, flush) until it ends; whatever it gives is appended. Ends with its last answer.
template <class Step>
int pump(z_stream& stream, const std::string& in, std::string& out, Step step) {
  std::string piece(kPiece, '\0');
  int answer = Z_OK;
  std::size_t taken = 0;
  while (answer == Z_OK) {
    if (stream.avail_in == 0 && taken < in.size()) {
      const std::size_t next = std::min(in.size() - taken, std::size_t{1} << 30);
      stream.next_in = data_of(in) + taken;
      stream.avail_in = static_cast<uInt>(next);
      taken += next;
    }
    stream.next_out = data_of(piece);
    stream.avail_out = kPiece;
    answer = step(taken == in.size() ? Z_FINISH : Z_NO_FLUSH);
    out.append(piece, 0, kPiece - stream.avail_out);
    if (answer == Z_BUF_ERROR && (stream.avail_out == 0 || stream.avail_in > 0)) answer = Z_OK;
  }
  return answer;
}
}  // namespace

std::string gzip(const std::string& bytes) {
  z_stream stream{};
  if (deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, kGzip, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
    throw std::runtime_error("zlib could not start");
  }
  std::string out;
  const int answer = pump(stream, bytes, out, [&](int flush) { return deflate(&stream, flush); });
  deflateEnd(&stream);
  if (answer != Z_STREAM_END) throw std::runtime_error("zlib could not compress a recorded run");
  return out;
}

std::string gunzip(const std::string& bytes) {
  if (bytes.size() < 2 || bytes[0] != '\x1f' || bytes[1] != '\x8b') return bytes;
  z_stream stream{};
  if (inflateInit2(&stream, kGzip) != Z_OK) throw std::runtime_error("zlib could not start");
  std::string out;
  const int answer = pump(stream, bytes, out, [&](int) { return inflate(&stream, Z_NO_FLUSH); });
  inflateEnd(&stream);
  return answer == Z_STREAM_END ? out : std::string();
}

#else

std::string gzip(const std::string& bytes) {
  return bytes;
}
std::string gunzip(const std::string& bytes) {
  return bytes.starts_with("\x1f\x8b") ? std::string() : bytes;
}

#endif

}  // namespace nsn
