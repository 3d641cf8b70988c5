"""Samples of each language, from `data/`: texts without an issue, and ways to break them.

good       a text that is read without an issue
broken     ways to break it: what occurs in it once, and what it becomes
repeated   a function that may occur any number of times between a head and a tail; `{n}` is its number
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

SAMPLES: dict[str, dict[str, Any]] = {
    path.stem: tomllib.loads(path.read_text("utf-8")) for path in sorted(Path(__file__).parent.glob("data/*.toml"))
}
GOOD: dict[str, list[str]] = {name: [text["good"] for text in sample["texts"]] for name, sample in SAMPLES.items()}
BROKEN: dict[str, list[tuple[str, str, str]]] = {
    name: [(text["good"], *way) for text in sample["texts"] for way in text.get("broken", ())]
    for name, sample in SAMPLES.items()
}
REPEATED = {name for name, sample in SAMPLES.items() if "repeated" in sample}


def repeat_sample(name: str, times: int) -> str:
    """A text with many functions."""
    sample = SAMPLES[name]["repeated"]
    body = "".join(sample["body"].replace("{n}", str(number)) for number in range(times))
    return f"{sample['head']}{body}{sample['tail']}"
