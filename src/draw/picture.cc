#include "kstar/svg.h"

#ifdef KSTAR_RSVG
#include <cairo-pdf.h>
#include <cairo.h>
#include <librsvg/rsvg.h>
#include <zlib.h>

#include <cmath>
#include <memory>

#include "base/number.h"
#include "base/try.h"

#ifdef __SANITIZE_ADDRESS__
/// What fontconfig keeps for the next picture it never gives back: that is no leak of ours.
extern "C" __attribute__((visibility("default"))) const char* __lsan_default_suppressions() {
  return "leak:libfontconfig\n";
}
#endif

namespace kstar {

namespace {

constexpr double kPointsPerInch = 72;
constexpr double kMostPixels = 2e8;    ///< 800 MB of memory
constexpr double kMostAcross = 32767;  ///< of cairo

template <auto Free>
struct Freed {
  template <typename T>
  void operator()(T* object) const {
    Free(object);
  }
};
using Handle = std::unique_ptr<RsvgHandle, Freed<&g_object_unref>>;
using Surface = std::unique_ptr<cairo_surface_t, Freed<&cairo_surface_destroy>>;
using Context = std::unique_ptr<cairo_t, Freed<&cairo_destroy>>;

/// An SVG that was read, and its size in points.
struct Picture {
  Handle handle;
  double width = 0;
  double height = 0;
};

Error refused(const char* what, const GError* problem) {
  return {"picture",
          std::string(what) + (problem != nullptr ? std::string(": ") + problem->message : ""), "",
          ""};
}

Result<Picture> read(std::string_view svg) {
  GError* problem = nullptr;
  Picture picture;
  picture.handle.reset(
      rsvg_handle_new_from_data(reinterpret_cast<const guint8*>(svg.data()), svg.size(), &problem));
  if (!picture.handle) {
    const std::unique_ptr<GError, Freed<&g_error_free>> owner(problem);
    return fail(refused("expected an SVG drawing", problem));
  }
  rsvg_handle_set_dpi(picture.handle.get(), kPointsPerInch);
  const gboolean sized = rsvg_handle_get_intrinsic_size_in_pixels(picture.handle.get(),
                                                                  &picture.width, &picture.height);
  if (sized == FALSE || !(picture.width > 0) || !(picture.height > 0)) {
    return fail(refused("expected an SVG drawing with a width and a height", nullptr));
  }
  return picture;
}

Result<void> draw(const Picture& picture, cairo_surface_t* surface, double width, double height) {
  const Context context(cairo_create(surface));
  const RsvgRectangle everything = {0, 0, width, height};
  GError* problem = nullptr;
  if (rsvg_handle_render_document(picture.handle.get(), context.get(), &everything, &problem) ==
      FALSE) {
    const std::unique_ptr<GError, Freed<&g_error_free>> owner(problem);
    return fail(refused("librsvg could not draw it", problem));
  }
  if (cairo_status(context.get()) != CAIRO_STATUS_SUCCESS) {
    return fail({"picture", cairo_status_to_string(cairo_status(context.get())), "", ""});
  }
  return {};
}

cairo_status_t append(void* closure, const unsigned char* data, unsigned int length) {
  static_cast<std::string*>(closure)->append(reinterpret_cast<const char*>(data), length);
  return CAIRO_STATUS_SUCCESS;
}

void put_big_endian(std::uint32_t value, std::string& out) {
  for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>((value >> shift) & 0xFFU);
}

/// cairo does not say how large a pixel is; the chunk pHYs behind the header does (PNG, 11.3.4.3).
void say_resolution(double dots_per_inch, std::string& png) {
  constexpr std::size_t kBehindHeader = 8 + 25;
  if (png.size() < kBehindHeader) return;
  const auto per_metre = static_cast<std::uint32_t>(std::lround(dots_per_inch / 0.0254));
  std::string body = "pHYs";
  put_big_endian(per_metre, body);
  put_big_endian(per_metre, body);
  body += '\1';
  std::string chunk;
  put_big_endian(9, chunk);
  chunk += body;
  put_big_endian(static_cast<std::uint32_t>(crc32(0, reinterpret_cast<const Bytef*>(body.data()),
                                                  static_cast<uInt>(body.size()))),
                 chunk);
  png.insert(kBehindHeader, chunk);
}

}  // namespace

Result<std::string> to_png(std::string_view svg, double dots_per_inch) {
  const Result<Picture> picture = read(svg);
  if (!picture) return fail(picture.error());
  const double scale = dots_per_inch / kPointsPerInch;
  const double width = std::round(picture->width * scale);
  const double height = std::round(picture->height * scale);
  if (!(width >= 1 && height >= 1 && width <= kMostAcross && height <= kMostAcross &&
        width * height <= kMostPixels)) {
    return fail(expected("--dpi", "a resolution that gives a picture of 1 to 2e8 pixels",
                         shortest(dots_per_inch)));
  }
  const Surface surface(cairo_image_surface_create(CAIRO_FORMAT_ARGB32, static_cast<int>(width),
                                                   static_cast<int>(height)));
  KSTAR_CHECK(draw(*picture, surface.get(), width, height));
  std::string png;
  const cairo_status_t written = cairo_surface_write_to_png_stream(surface.get(), &append, &png);
  if (written != CAIRO_STATUS_SUCCESS) {
    return fail({"picture", cairo_status_to_string(written), "", ""});
  }
  say_resolution(dots_per_inch, png);
  return png;
}

Result<std::string> to_pdf(std::string_view svg) {
  const Result<Picture> picture = read(svg);
  if (!picture) return fail(picture.error());
  std::string pdf;
  const Surface surface(
      cairo_pdf_surface_create_for_stream(&append, &pdf, picture->width, picture->height));
  // The time of drawing would make two drawings of the same study differ.
  cairo_pdf_surface_set_metadata(surface.get(), CAIRO_PDF_METADATA_CREATE_DATE,
                                 "1970-01-01T00:00:00Z");
  KSTAR_CHECK(draw(*picture, surface.get(), picture->width, picture->height));
  cairo_surface_finish(surface.get());
  if (cairo_surface_status(surface.get()) != CAIRO_STATUS_SUCCESS) {
    return fail({"picture", cairo_status_to_string(cairo_surface_status(surface.get())), "", ""});
  }
  return pdf;
}

}  // namespace kstar

#else

namespace kstar {

namespace {

Error without_librsvg(const char* format) {
  return {"picture",
          std::string("expected SVG, got '") + format + "': kstar was built without librsvg",
          "install librsvg2-dev and build it again, or convert the SVG with another program", ""};
}

}  // namespace

Result<std::string> to_png(std::string_view, double) {
  return fail(without_librsvg("png"));
}

Result<std::string> to_pdf(std::string_view) {
  return fail(without_librsvg("pdf"));
}

}  // namespace kstar

#endif
