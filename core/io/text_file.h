/// Whole files in memory, with errors that name the file.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace nsn {

/// What a regular file holds, without a UTF-8 byte order mark; one called NAME.gz is unpacked. Throws InputError
/// "file: reason" where it is missing, a directory, not a regular file, unreadable or damaged.
std::string read_text_file(const std::filesystem::path& path);

/// A piece of somebody's file fit for one line of an error message: at most `longest` characters,
/// control and non-ASCII bytes as \xNN.
std::string printable(std::string_view text, std::size_t longest = 40);

}  // namespace nsn
