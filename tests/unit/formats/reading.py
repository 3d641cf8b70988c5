"""A reader of one format, fed in pieces, for tests that compare blocks."""

from collections.abc import Callable, Generator, Iterable

from suture.formats import Block, Source

Reader = Callable[[Source, int, str | None], Generator[Block | None, None, int]]


def feed(reader: Reader, chunks: Iterable[str], fence: str | None = None, at: int = 0) -> tuple[list[Block], int]:
    """The blocks of a text that arrives in pieces, and the first line after them."""
    source = Source()
    reading = reader(source, at, fence)
    blocks: list[Block] = []
    for chunk in [*chunks, None]:
        source.close() if chunk is None else source.add(chunk)
        while source.ready(at):
            try:
                block = next(reading)
            except StopIteration as stop:
                return blocks, int(stop.value)
            if block is None:
                break
            blocks.append(block)
    message = "the reader waits for lines behind the last one"
    raise AssertionError(message)


def in_pieces(text: str, step: int) -> list[str]:
    """A text in pieces of `step` characters; 0 means one piece."""
    return [text] if not step else [text[start : start + step] for start in range(0, len(text), step)]
