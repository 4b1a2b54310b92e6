#pragma once

#include <optional>
#include <string>
#include <string_view>

/// Numbers as people and spreadsheets write them.
namespace kstar {

/// What a comma means in the numbers of a file.
enum class Comma { kUnknown, kDecimal, kThousands, kMixed };

/// What this number says about it. kUnknown: nothing, or it may be both (1,234).
Comma comma_in(std::string_view number);
/// The two together.
Comma both(Comma a, Comma b);

/// Whether "1,234" is all there is to go by.
bool is_ambiguous(std::string_view number);

/// The same of "1.234", in a table that may write thousands so.
bool is_unclear_point(std::string_view number);

/// "1.234.567": points stand between thousands.
bool has_grouped_points(std::string_view number);

/// A finite number: 1234.5, 1.2e3, 1,234.5, 1 234.5, 1'234.5, or with a decimal comma 1.234,5.
std::optional<double> read_number(std::string_view text, Comma comma);

/// By one reading of commas or the other, where it is not known yet which holds.
bool is_number(std::string_view text);

/// A number and what stands behind it: "12.3 ms" is 12.3 and "ms", and so are "12.3 \u00B1 0.4 ms",
/// "12.3 (+-0.4) ms" and "~12.3 ms". A mark behind it, as in "12.3 ms*", refers to a remark: it is
/// as approximate as that.
struct WrittenQuantity {
  double value = 0;
  std::string_view unit;
  bool approximate = false;
};
std::optional<WrittenQuantity> read_quantity(std::string_view text, Comma comma);

/// "12.3k", "1.2 M": thousands and millions. Not of times.
bool is_shortened(const WrittenQuantity& quantity);
/// What is to be multiplied with; 1 where it is not shortened.
double shortened_by(const WrittenQuantity& quantity);

/// "1.97x", with any sign for it.
bool is_times_sign(std::string_view unit);

/// "M tok/s" is a million "tok/s": the factor, and what is left of the unit.
std::pair<double, std::string_view> prefix_of_rate(std::string_view unit);

/// What a cross stands before: "T4" of "× T4", "A100 (40GB)" of "x A100 (40GB)"; else nothing.
std::string_view counted_thing(std::string_view unit);

/// Seconds in a unit behind a number: ms, seconds, minutes, hours. Nothing for what is no unit of
/// time.
std::optional<double> seconds_in_written_unit(std::string_view unit);

/// What a value of a rate in this unit is to be multiplied with for one per second: "img/s" 1,
/// "ep/hr" 1/3600. Nothing for what is no unit of rates.
std::optional<double> per_second(std::string_view unit);

/// NaN or inf: a number that went wrong.
bool is_not_finite(std::string_view text);

/// What people write where there is no value: nothing, -, NA, N/A, null, none. Not NaN: a NaN is a
/// number that went wrong.
bool is_absent(std::string_view text);

/// What people write instead of a value of a run that failed: OOM, timeout, crashed.
bool is_failure(std::string_view text);

}  // namespace kstar
