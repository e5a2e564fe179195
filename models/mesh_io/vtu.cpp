#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <string>

#if defined(NSN_WITH_ZLIB)
#include <zlib.h>
#endif

#include "nsn/core/base/error.h"
#include "nsn/core/io/text_file.h"
#include "nsn/models/mesh_io/binary_reader.h"
#include "nsn/models/mesh_io/vtk_arrays.h"

namespace nsn {
namespace {

// One tag <name a="b" ...>, </name> or <name ... />.
struct Tag {
  std::string name;  // with its slash if it closes
  std::map<std::string, std::string, std::less<>> attributes;
  bool closed = false;            // <name ... />
  std::size_t content = 0;        // first character after the tag
  std::int64_t content_line = 1;  // and its line

  std::string attribute(std::string_view key, std::string_view otherwise = "") const {
    const auto found = attributes.find(key);
    return found == attributes.end() ? std::string(otherwise) : found->second;
  }
};

// As much of XML as the format uses: tags with quoted attributes, comments and declarations.
class TagScanner {
 public:
  TagScanner(std::string_view text, std::string_view name) : text_(text), name_(name) {}

  // False at the end of the file.
  bool next(Tag& tag) {
    while (true) {
      go_to(std::min(text_.find('<', position_), text_.size()));
      if (position_ == text_.size()) return false;
      if (text_.substr(position_, 4) == "<!--") {
        skip_past("-->");
      } else if (text_.substr(position_, 2) == "<?" || text_.substr(position_, 2) == "<!") {
        skip_past(">");
      } else {
        read(tag);
        return true;
      }
    }
  }
  std::int64_t line() const { return line_; }

  template <class... Arguments>
  [[noreturn]] void fail(fmt::format_string<Arguments...> text, Arguments&&... arguments) const {
    throw InputError(fmt::format("{}:{}: {}", name_, line_,
                                 fmt::format(text, std::forward<Arguments>(arguments)...)));
  }

 private:
  void go_to(std::size_t position) {
    line_ += std::count(text_.begin() + static_cast<std::ptrdiff_t>(position_),
                        text_.begin() + static_cast<std::ptrdiff_t>(position), '\n');
    position_ = position;
  }
  void skip_past(std::string_view end) {
    const std::size_t found = text_.find(end, position_);
    if (found == std::string_view::npos) fail("'{}' is missing", end);
    go_to(found + end.size());
  }
  static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

  void read(Tag& tag) {
    const std::size_t begin = position_ + 1;
    const std::size_t end = end_of_tag(begin);
    std::string_view inside = text_.substr(begin, end - begin);
    tag = Tag{};
    tag.closed = !inside.empty() && inside.back() == '/';
    if (tag.closed) inside.remove_suffix(1);
    std::size_t i = 0;
    while (i < inside.size() && !is_blank(inside[i])) ++i;
    tag.name = inside.substr(0, i);
    read_attributes(inside.substr(i), tag);
    go_to(end + 1);
    tag.content = position_;
    tag.content_line = line_;
  }

  // The '>' that is not inside quotes.
  std::size_t end_of_tag(std::size_t i) const {
    char quote = '\0';
    for (; i < text_.size(); ++i) {
      const char c = text_[i];
      if (quote != '\0') {
        if (c == quote) quote = '\0';
      } else if (c == '"' || c == '\'') {
        quote = c;
      } else if (c == '>') {
        return i;
      }
    }
    fail("a tag has no end");
  }

  void read_attributes(std::string_view text, Tag& tag) const {
    std::size_t i = 0;
    while (true) {
      while (i < text.size() && is_blank(text[i])) ++i;
      if (i == text.size()) return;
      const std::size_t equals = text.find('=', i);
      if (equals == std::string_view::npos || equals + 1 >= text.size()) {
        fail("<{}>: an attribute without a value", printable(tag.name));
      }
      std::string_view key = text.substr(i, equals - i);
      while (!key.empty() && is_blank(key.back())) key.remove_suffix(1);
      std::size_t open = equals + 1;
      while (open < text.size() && is_blank(text[open])) ++open;
      const char quote = open < text.size() ? text[open] : '\0';
      const std::size_t close =
          quote == '"' || quote == '\'' ? text.find(quote, open + 1) : std::string_view::npos;
      if (close == std::string_view::npos) {
        fail("<{}>: the value of '{}' is not quoted", printable(tag.name), printable(key));
      }
      tag.attributes[std::string(key)] = text.substr(open + 1, close - open - 1);
      i = close + 1;
    }
  }

  std::string_view text_;
  std::string_view name_;
  std::size_t position_ = 0;
  std::int64_t line_ = 1;
};

int base64_digit(char c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  if (c == '+') return 62;
  return c == '/' ? 63 : -1;
}

// Bytes in front of a reader: raw, or base64 in groups of four characters. Some programs encode the
// length and the data as one, some as two texts with padding in between: groups are independent, so
// both read alike.
class ByteSource {
 public:
  ByteSource(std::string_view data, bool base64, const TextScanner& scanner)
      : data_(data), base64_(base64), scanner_(&scanner) {}

  std::string take(std::int64_t number, std::string_view what) {
    const auto wanted = static_cast<std::uint64_t>(number);
    if (number < 0 || wanted > buffer_.size() + data_.size()) {
      scanner_->fail("{} needs {} bytes, more than there are", what, number);
    }
    while (buffer_.size() < wanted) {
      if (!base64_) {
        const std::size_t many = std::min<std::size_t>(wanted - buffer_.size(), data_.size());
        if (many == 0) scanner_->fail("{} ends early", what);
        buffer_.append(data_.substr(0, many));
        data_.remove_prefix(many);
      } else if (!decode_group()) {
        scanner_->fail("{} ends early or is not base64", what);
      }
    }
    std::string out = buffer_.substr(0, wanted);
    buffer_.erase(0, wanted);
    return out;
  }

 private:
  bool decode_group() {
    std::array<int, 4> digit{};
    std::size_t found = 0;
    std::size_t padding = 0;
    while (found < 4 && !data_.empty()) {
      const char c = data_.front();
      data_.remove_prefix(1);
      if (c == ' ' || c == '\n' || c == '\t' || c == '\r') continue;
      if (c == '=') {
        ++padding;
      } else if (base64_digit(c) < 0 || padding > 0) {
        return false;
      }
      digit[found++] = c == '=' ? 0 : base64_digit(c);
    }
    if (found < 4 || padding > 2) return false;
    const int bits = (digit[0] << 18) | (digit[1] << 12) | (digit[2] << 6) | digit[3];
    for (std::size_t k = 0; k < 3 - padding; ++k) {
      buffer_ += static_cast<char>((bits >> (16 - 8 * static_cast<int>(k))) & 0xff);
    }
    return true;
  }

  std::string_view data_;
  bool base64_;
  const TextScanner* scanner_;
  std::string buffer_;
};

#if defined(NSN_WITH_ZLIB)
// Deflate never packs better than 1032 to 1: a larger claim is not believed.
constexpr std::int64_t kBestRatio = 1100;

std::string inflate_block(const std::string& packed, std::int64_t size,
                          const TextScanner& scanner) {
  if (size > kBestRatio * static_cast<std::int64_t>(packed.size()) + 64) {
    scanner.fail("a block of {} bytes cannot hold {}", packed.size(), size);
  }
  std::string out(static_cast<std::size_t>(size), '\0');
  auto length = static_cast<uLongf>(size);
  const int status =
      uncompress(reinterpret_cast<Bytef*>(out.data()), &length,
                 reinterpret_cast<const Bytef*>(packed.data()), static_cast<uLong>(packed.size()));
  if (status != Z_OK || length != static_cast<uLongf>(size)) {
    scanner.fail("a compressed block is damaged (zlib status {})", status);
  }
  return out;
}
#endif

class VtuReader {
 public:
  VtuReader(std::string_view text, std::string_view name)
      : text_(text), name_(name), tags_(text, name), builder_(name) {}

  TetMeshFile read(const MeshReadOptions& options) {
    find_appended_data();
    Tag tag;
    while (tags_.next(tag) && tag.name != "AppendedData") read_tag(tag);
    if (!has_file_) tags_.fail("the file has no <VTKFile type=\"UnstructuredGrid\">");
    if (in_piece_) tags_.fail("<Piece> has no end");
    if (points_before_ == 0) tags_.fail("the file has no points");
    return builder_.finish(compressed_ ? "vtu compressed" : "vtu", options);
  }

 private:
  // Raw data may contain anything, also '<': it is found first and kept out of the tags.
  void find_appended_data() {
    const std::size_t found = text_.find("<AppendedData");
    if (found == std::string_view::npos) return;
    const std::size_t mark = text_.find('_', found);
    if (mark == std::string_view::npos) return;
    appended_ = text_.substr(mark + 1);
    const std::string_view tag = text_.substr(found, mark - found);
    appended_base64_ = tag.find("base64") != std::string_view::npos;
  }

  void read_tag(const Tag& tag) {
    if (tag.name == "VTKFile") {
      read_file_tag(tag);
    } else if (tag.name == "Piece") {
      begin_piece(tag);
    } else if (tag.name == "/Piece") {
      end_piece();
    } else if (tag.name == "Points" || tag.name == "Cells") {
      section_ = tag.closed ? "" : tag.name;
    } else if (tag.name == "/Points" || tag.name == "/Cells") {
      section_.clear();
    } else if (tag.name == "DataArray" && in_piece_) {
      read_array(tag);
    }
  }

  void read_file_tag(const Tag& tag) {
    if (tag.attribute("type") != "UnstructuredGrid") {
      tags_.fail("VTKFile of type '{}' is not an UnstructuredGrid",
                 printable(tag.attribute("type")));
    }
    has_file_ = true;
    swapped_ = needs_swap(tag.attribute("byte_order", "LittleEndian") == "BigEndian");
    header_bytes_ = tag.attribute("header_type", "UInt32") == "UInt64" ? 8 : 4;
    const std::string compressor = tag.attribute("compressor");
    compressed_ = !compressor.empty();
    if (compressed_ && compressor != "vtkZLibDataCompressor") {
      tags_.fail("data packed by {} cannot be read; vtkZLibDataCompressor can",
                 printable(compressor));
    }
    if (compressed_ && !reads_compressed_vtu()) {
      tags_.fail("the data is compressed, and nsn was built without zlib");
    }
  }

  std::int64_t count_attribute(const Tag& tag, std::string_view key) const {
    const std::string value = tag.attribute(key);
    TextScanner scanner(value, name_, tags_.line());
    // A point or cell takes a byte at least, packed a thousandth of one.
    return scanner.count(key, 1100 * (static_cast<std::int64_t>(text_.size()) + 1));
  }

  void begin_piece(const Tag& tag) {
    if (!has_file_ || in_piece_) tags_.fail("<Piece> at the wrong place");
    num_points_ = count_attribute(tag, "NumberOfPoints");
    num_cells_ = count_attribute(tag, "NumberOfCells");
    points_.clear();
    cells_ = VtkCells{};
    in_piece_ = !tag.closed;
  }

  void end_piece() {
    if (!in_piece_) tags_.fail("</Piece> without <Piece>");
    in_piece_ = false;
    const TextScanner scanner("", name_, tags_.line());
    if (static_cast<std::int64_t>(points_.size()) != 3 * num_points_) {
      scanner.fail("{} coordinates for {} points", points_.size(), num_points_);
    }
    if (static_cast<std::int64_t>(cells_.end.size()) != num_cells_ ||
        static_cast<std::int64_t>(cells_.type.size()) != num_cells_) {
      scanner.fail("{} offsets and {} types for {} cells", cells_.end.size(), cells_.type.size(),
                   num_cells_);
    }
    add_vtk_grid(points_, cells_, num_points_, points_before_, scanner, builder_);
    points_before_ += num_points_;
    if (points_before_ > std::numeric_limits<Index>::max()) scanner.fail("too many points");
  }

  void read_array(const Tag& tag) {
    if (section_ == "Points") {
      if (tag.attribute("NumberOfComponents", "3") != "3")
        tags_.fail("points without 3 components");
      points_ = read_values<double>(tag, 3 * num_points_);
    } else if (section_ == "Cells" && tag.attribute("Name") == "connectivity") {
      cells_.connectivity = read_values<std::int64_t>(tag, -1);
    } else if (section_ == "Cells" && tag.attribute("Name") == "offsets") {
      cells_.end = read_values<std::int64_t>(tag, num_cells_);
    } else if (section_ == "Cells" && tag.attribute("Name") == "types") {
      cells_.type = read_values<std::int64_t>(tag, num_cells_);
    }
  }

  // expected < 0: as many as there are.
  template <class Value>
  std::vector<Value> read_values(const Tag& tag, std::int64_t expected) {
    const TextScanner place("", name_, tag.content_line);
    const auto type = vtk_type(tag.attribute("type"));
    if (!type) place.fail("unknown number type '{}'", printable(tag.attribute("type")));
    if (type->real && std::is_same_v<Value, std::int64_t>) place.fail("integers are needed here");
    const std::string format = tag.attribute("format", "ascii");
    std::vector<Value> values;
    if (format == "ascii") {
      values = read_text<Value>(content(tag), tag.content_line);
    } else {
      const std::string data = read_bytes(tag, format, place);
      if (data.size() % static_cast<std::size_t>(type->bytes) != 0) {
        place.fail("{} bytes are not a multiple of {} bytes", data.size(), type->bytes);
      }
      if constexpr (std::is_same_v<Value, double>) {
        values = vtk_reals(data, *type, swapped_);
      } else {
        values = vtk_integers(data, *type, swapped_);
      }
    }
    if (expected >= 0 && static_cast<std::int64_t>(values.size()) != expected) {
      place.fail("{} numbers in place of {}", values.size(), expected);
    }
    return values;
  }

  std::string_view content(const Tag& tag) const {
    if (tag.closed) return "";
    const std::size_t end = text_.find('<', tag.content);
    if (end == std::string_view::npos) tags_.fail("<DataArray> has no end");
    return text_.substr(tag.content, end - tag.content);
  }

  template <class Value>
  std::vector<Value> read_text(std::string_view text, std::int64_t line) const {
    TextScanner scanner(text, name_, line);
    std::vector<Value> values;
    while (!scanner.at_end()) {
      if constexpr (std::is_same_v<Value, double>) {
        values.push_back(scanner.number("a coordinate"));
      } else {
        values.push_back(scanner.integer("a number"));
      }
    }
    return values;
  }

  std::string read_bytes(const Tag& tag, const std::string& format,
                         const TextScanner& place) const {
    if (format == "binary") {
      ByteSource source(content(tag), true, place);
      return unpack(source, place);
    }
    if (format != "appended") place.fail("unknown format '{}'", printable(format));
    const std::string value = tag.attribute("offset");
    TextScanner scanner(value, name_, tag.content_line);
    const std::int64_t offset = scanner.integer("offset");
    if (offset < 0 || offset >= static_cast<std::int64_t>(appended_.size())) {
      place.fail("offset {} is not inside the appended data", offset);
    }
    ByteSource source(appended_.substr(static_cast<std::size_t>(offset)), appended_base64_, place);
    return unpack(source, place);
  }

  std::int64_t header(ByteSource& source) const {
    const std::string raw = source.take(header_bytes_, "the length of an array");
    return header_bytes_ == 8 ? number_at<std::int64_t>(raw, 0, swapped_)
                              : number_at<std::uint32_t>(raw, 0, swapped_);
  }

  std::string unpack(ByteSource& source, const TextScanner& place) const {
    if (!compressed_) return source.take(header(source), "an array");
#if defined(NSN_WITH_ZLIB)
    return inflate(source, place);
#else
    place.fail("the data is compressed, and nsn was built without zlib");
#endif
  }

#if defined(NSN_WITH_ZLIB)
  // blocks, bytes of a block, bytes of the last one (0: full), packed bytes of each; then the
  // blocks.
  std::string inflate(ByteSource& source, const TextScanner& place) const {
    const std::int64_t blocks = header(source);
    const std::int64_t full = header(source);
    const std::int64_t last = header(source);
    const auto most = static_cast<std::int64_t>(text_.size());
    if (blocks < 0 || blocks > most || full < 0 || full > kBestRatio * most + 64 || last < 0 ||
        last > full) {
      place.fail("{} blocks of {} bytes, the last of {}", blocks, full, last);
    }
    std::vector<std::int64_t> packed;
    for (std::int64_t b = 0; b < blocks; ++b) packed.push_back(header(source));
    std::string out;
    for (std::int64_t b = 0; b < blocks; ++b) {
      const bool partial = b + 1 == blocks && last > 0;
      const std::string block = source.take(packed[static_cast<std::size_t>(b)], "a block");
      out += inflate_block(block, partial ? last : full, place);
    }
    return out;
  }
#endif

  std::string_view text_;
  std::string_view name_;
  TagScanner tags_;
  MeshBuilder builder_;
  std::string_view appended_;
  bool appended_base64_ = false;
  bool has_file_ = false;
  bool in_piece_ = false;
  bool swapped_ = false;
  bool compressed_ = false;
  int header_bytes_ = 4;
  std::string section_;
  std::int64_t num_points_ = 0;
  std::int64_t num_cells_ = 0;
  std::int64_t points_before_ = 0;
  std::vector<double> points_;
  VtkCells cells_;
};

}  // namespace

TetMeshFile parse_vtu(std::string_view text, std::string_view name,
                      const MeshReadOptions& options) {
  return VtuReader(text, name).read(options);
}

bool reads_compressed_vtu() {
#if defined(NSN_WITH_ZLIB)
  return true;
#else
  return false;
#endif
}

}  // namespace nsn
