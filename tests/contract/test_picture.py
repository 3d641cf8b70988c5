"""The README's picture is what suture prints today, and refers to no other file."""

import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

ROOT = Path(__file__).parents[2]
PICTURE = ROOT / "docs" / "picture" / "terminal.svg"
SVG = "{http://www.w3.org/2000/svg}"


def test_the_picture_is_what_a_run_gives(tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-m", "docs.picture", tmp_path / "terminal.svg"], cwd=ROOT, check=True)
    assert (tmp_path / "terminal.svg").read_text("utf-8") == PICTURE.read_text("utf-8")


def test_the_picture_is_text_that_refers_to_nothing_outside() -> None:
    root = ET.fromstring(PICTURE.read_text("utf-8"))  # noqa: S314  it is our own file
    assert {element.tag.removeprefix(SVG) for element in root.iter()} == set(
        "svg title desc style rect path g circle text".split()
    )
    assert not any(word in PICTURE.read_text("utf-8") for word in ("href", "url(", "@import", "@font-face"))
    assert PICTURE.read_text("utf-8").count("://") == 1  # the namespace


def test_no_text_of_the_picture_leaves_its_window() -> None:
    root = ET.fromstring(PICTURE.read_text("utf-8"))  # noqa: S314  it is our own file
    width, height = float(root.attrib["width"]), float(root.attrib["height"])
    ends = [
        (float(text.attrib["x"]) + float(text.attrib["textLength"]), float(text.attrib["y"]))
        for text in root.iter(f"{SVG}text")
    ]
    assert max(right for right, _ in ends) < width
    assert max(bottom for _, bottom in ends) < height
