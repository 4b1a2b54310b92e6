#pragma once

#include <string>
#include <string_view>
#include <vector>

/// The lines of a log, without what launchers write in front of them.
namespace kstar::comm {

/// Words between blanks.
void split_blanks(std::string_view line, std::vector<std::string_view>& words);

/// Without the marks of mpirun --tag-output ("[1,0]<stdout>:", also inside the line), of srun -l
/// ("3: "), of pdsh ("node7: "), of kubectl ("[pod/a/b] ") and without a time of day. `buffer`
/// holds the line where marks were inside it.
std::string_view bare_line(std::string_view line, std::string& buffer);

}  // namespace kstar::comm
