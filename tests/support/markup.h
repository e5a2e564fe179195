/// Checks of generated pages that need no browser.
#pragma once

#include <cctype>
#include <string>
#include <string_view>
#include <vector>

namespace nsn {

/// Empty if every element of the page is closed in order (XML style: <meta ... />), every attribute
/// is quoted and every & starts an entity; otherwise what is wrong, with its surroundings. Contents
/// of <script> and <style> are passed over.
inline std::string markup_fault(std::string_view page) {
  const auto near = [&](std::size_t at) { return std::string(page.substr(at, 60)); };
  std::vector<std::string> open;
  std::size_t at = 0;
  while (at < page.size()) {
    if (page[at] == '&') {
      const std::size_t end = page.find(';', at);
      if (end == std::string_view::npos || end - at > 8) return "bare & at: " + near(at);
    }
    if (page[at] == '>') return "bare > at: " + near(at);
    if (page[at] != '<') {
      ++at;
      continue;
    }
    if (page.substr(at, 2) == "<!") {
      at = page.find('>', at) + 1;
      continue;
    }
    const bool closing = page.substr(at, 2) == "</";
    std::size_t end = at + 1;
    bool quoted = false;
    while (end < page.size() && (quoted || page[end] != '>')) {
      if (page[end] == '"') quoted = !quoted;
      if (page[end] == '<') return "< inside a tag: " + near(at);
      if (!quoted && page[end] == '=' && page[end + 1] != '"') return "unquoted: " + near(at);
      ++end;
    }
    if (end >= page.size()) return "unfinished tag: " + near(at);
    std::size_t stop = at + (closing ? 2 : 1);
    const std::size_t start = stop;
    while (std::isalnum(static_cast<unsigned char>(page[stop])) != 0) ++stop;
    const std::string name(page.substr(start, stop - start));
    if (name.empty()) return "tag without a name: " + near(at);
    if (closing) {
      if (open.empty() || open.back() != name) return "unexpected " + near(at);
      open.pop_back();
    } else if (page[end - 1] != '/') {
      open.push_back(name);
    }
    at = end + 1;
    if (!closing && (name == "script" || name == "style")) at = page.find("</" + name, at);
  }
  return open.empty() ? "" : "never closed: " + open.back();
}

/// Empty if nothing in the page points outside it; otherwise what does.
inline std::string external_reference(std::string_view page) {
  for (const char* word : {"http:", "https:", "src=", "@import", "url(", "<link", "<iframe",
                           "fetch(", "XMLHttpRequest", "import("}) {
    const std::size_t at = page.find(word);
    if (at != std::string_view::npos) return std::string(page.substr(at, 60));
  }
  return "";
}

}  // namespace nsn
