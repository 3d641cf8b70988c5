"""Whether new text can be written into a file."""

from __future__ import annotations

from suture import errors

TYPE_CHECKING = False
if TYPE_CHECKING:
    from suture.text import Text


def check_whole(text: Text, new: str, own: str) -> None:
    """Refuse half characters, which JSON can spell and no file should hold, unless they stand there already."""
    lone = [char for char in new if "\ud800" <= char <= "\udfff" and char not in own]
    if lone:
        text.body_bytes(lone[0])


def check(text: Text, new: bytes, own: bytes) -> None:
    """Refuse what the file's encoding cannot hold; characters and bytes that are the file's own pass."""
    if new.isascii():
        return
    encoding = text.encoding
    try:
        said = new.decode("utf-8", "surrogateescape" if encoding is None else "surrogatepass")
    except UnicodeDecodeError:
        reason = "the text holds bytes of another encoding, which is not known"
        raise errors.EncodingMismatch(encoding=str(encoding), reason=reason) from None
    chars = [char for char in dict.fromkeys(said) if not char.isascii()]
    if encoding is None:
        chars = [char for char in chars if not "\udc80" <= char <= "\udcff"]
    try:
        text.body_bytes("".join(chars))
    except (errors.EncodingUnknown, errors.NotEncodable):
        text.body_bytes("".join(char for char in chars if char.encode("utf-8", "surrogatepass") not in own))
