#pragma once

#include <string>

#include "kstar/document.h"

namespace kstar {

/// Headings come out as <h`level`>, titles of lists one deeper. Charts are left out: the page has
/// its own.
std::string to_html(const Document& document, int level);

/// `caption` is HTML; it names the table for who hears it.
std::string to_html(const Table& table, const std::string& caption);

}  // namespace kstar
