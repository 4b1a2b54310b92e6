#!/usr/bin/env python3
"""Draws the sample charts and looks at the files.

  check_pictures.py wellformed|golden|png|pdf|widths DRAW_SAMPLES
  check_pictures.py update DRAW_SAMPLES     writes the golden drawings anew

Exit code 77: something that is needed is not here; what, is said.
"""
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import xml.etree.ElementTree
import zlib

HERE = pathlib.Path(__file__).resolve().parent
GOLDEN = ["efficiency", "models", "workers-long"]  # every kind of content is in one of them
FONTS = pathlib.Path("/usr/share/fonts/truetype/liberation")


def skip(why):
    print(f"skipped: {why}")
    sys.exit(77)


def draw(program, folder, *words):
    subprocess.run([program, folder, *words], check=True)
    return sorted(pathlib.Path(folder).iterdir())


def check_wellformed(program, folder):
    """Every drawing is XML, whatever its names are, and holds only what drawings are made of."""
    allowed = {"svg", "title", "desc", "g", "rect", "path", "circle", "text"}
    for words in (["252", "8"], ["720", "11", "page"]):
        for file in draw(program, folder, *words):
            root = xml.etree.ElementTree.parse(file).getroot()
            names = {element.tag.split("}")[1] for element in root.iter()}
            assert names <= allowed, (file.name, names - allowed)
            for element in root.iter():
                events = [name for name in element.attrib if name.startswith("on")]
                assert not events and "style" not in element.attrib, (file.name, element.attrib)
                tag = element.tag.split("}")[1]
                assert tag in ("title", "desc") or element.get("class"), (file.name, tag)


def check_golden(program, folder):
    draw(program, folder, "252", "8")
    for name in GOLDEN:
        drawn = (pathlib.Path(folder) / f"{name}.svg").read_text()
        golden = (HERE / "golden" / f"{name}.svg").read_text()
        assert drawn == golden, f"{name}.svg differs; look at it, then: check_pictures.py update"


def update(program, folder):
    draw(program, folder, "252", "8")
    for name in GOLDEN:
        shutil.copy(pathlib.Path(folder) / f"{name}.svg", HERE / "golden")


def chunks(png):
    at = 8
    while at < len(png):
        length, kind = struct.unpack(">I4s", png[at:at + 8])
        yield kind, png[at + 8:at + 8 + length]
        at += 12 + length


def check_png(program, folder):
    """Pictures have the size of the drawing, and something on them."""
    for file in draw(program, folder, "252", "8", "png"):
        if file.suffix != ".png":
            continue
        data = file.read_bytes()
        parts = dict(chunks(data))
        width, height = struct.unpack(">II", parts[b"IHDR"][:8])
        assert width == 700, (file.name, width)  # 252 points at 200 dots per inch
        svg = file.with_suffix(".svg").read_text()
        points = float(re.search(r'height="([\d.]+)pt"', svg)[1])
        assert abs(height - points * 200 / 72) <= 1, (file.name, height, points)
        pixels = zlib.decompress(b"".join(body for kind, body in chunks(data) if kind == b"IDAT"))
        assert len(set(pixels)) > 20, f"{file.name} is blank"


# needs for test: pdffonts, pdfinfo, pdftotext
def check_pdf(program, folder):
    """The page is as large as the drawing, the letters are in the file, and are those meant."""
    if not shutil.which("pdffonts"):
        skip("pdffonts is missing (poppler-utils)")
    if not FONTS.exists():
        skip("Liberation Sans is missing (fonts-liberation)")
    draw(program, folder, "516", "8", "pdf")
    file = pathlib.Path(folder) / "efficiency.pdf"
    fonts = subprocess.run(["pdffonts", file], check=True, capture_output=True, text=True).stdout
    rows = fonts.splitlines()[2:]
    assert rows, "no fonts"
    for row in rows:
        assert "LiberationSans" in row and row.split()[-5] == "yes", row
    info = subprocess.run(["pdfinfo", file], check=True, capture_output=True, text=True).stdout
    assert re.search(r"Page size: +516 x ", info), info
    text = subprocess.run(["pdftotext", file, "-"], check=True, capture_output=True, text=True)
    assert "Efficiency against workers" in text.stdout, "the text cannot be found"


# needs for test: import fontTools
def check_widths(_program, _folder):
    """The widths that kstar ships are the font's, kerning being what they leave out."""
    try:
        from fontTools.ttLib import TTFont
    except ImportError:
        skip("fontTools is missing (python3-fonttools)")
    if not FONTS.exists():
        skip("Liberation Sans is missing (fonts-liberation)")
    source = (HERE.parent.parent / "src/draw/text_widths.inc").read_text()
    runs = [tuple(int(number, 0) for number in line)
            for line in re.findall(r"\{(\w+), (\w+), (\w+), (\w+)\}", source)]
    assert len(runs) > 400
    for column, face in ((2, "Regular"), (3, "Bold")):
        font = TTFont(FONTS / f"LiberationSans-{face}.ttf")
        names, advances = font.getBestCmap(), font["hmtx"]
        for run in runs:
            for code in range(run[0], run[1] + 1):
                real = advances[names[code]][0]
                assert abs(run[column] - real) <= 0.01 * real, (hex(code), run[column], real)


def main():
    what, program = sys.argv[1], sys.argv[2]
    with tempfile.TemporaryDirectory() as folder:
        (update if what == "update" else globals()[f"check_{what}"])(program, folder)


if __name__ == "__main__":
    main()
