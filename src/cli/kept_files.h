#pragma once

#include <string>

#include "kstar/result.h"

/// Files that no output may replace: what is read, and studies that nobody said to replace.
namespace kstar {

class Arguments;

/// Whether two paths lead to one file, also through links and where it is not there yet.
bool same_file(const std::string& one, const std::string& other);

/// Whether the file starts as a study does. One that cannot be read does not.
bool holds_study(const std::string& path);

/// An Error where `flag` names the file that is at `other`. `what` says what that one is, as in
/// "the study of -o".
Result<void> require_other_file(const std::string& flag, const std::string& path,
                                const std::string& other, const std::string& what);

/// An Error where an output of the command line is one of its inputs. No --force allows that.
Result<void> keep_inputs(const Arguments& arguments);

/// Removes what a killed kstar left beside the files that this one will write.
void remove_leftovers(const Arguments& arguments);

/// An Error where a result (a page, a table, a figure) would replace a study: the result can be
/// made again, hours of measuring cannot.
Result<void> keep_study(const std::string& flag, const std::string& path);

/// An Error where a page that nobody asked to replace anything would replace what is no page of
/// kstar, and not empty.
Result<void> keep_all_but_pages(const std::string& flag, const std::string& path);

}  // namespace kstar
