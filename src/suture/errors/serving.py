"""What goes wrong between a server and its clients."""

from __future__ import annotations

from suture.errors.error import SutureError


class ServerBusy(SutureError):
    """As many calls are under way as the server takes."""

    code = "SERVER_BUSY"
    retryable = True
    limit: int


class ResultTooLarge(SutureError):
    """The result has more bytes than may be sent."""

    code = "RESULT_TOO_LARGE"
    size: int
    limit: int
    total: int | None
    """How many things it lists, where it is a list."""
