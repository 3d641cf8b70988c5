"""Where an HTTP server listens, and by which names it may be asked."""

from __future__ import annotations

import socket
from ipaddress import IPv6Address, ip_address

from suture.records import Record

_LOOPBACK = ("localhost", "127.0.0.1", "[::1]")
_HTTP = 80
_LAST_PORT = 65_535
_SHARED = 64
"""The bits of an IPv6 address that a machine chooses by itself."""


class Address(Record):
    """A host and a port, as given on the command line."""

    host: str
    port: int

    @classmethod
    def parse(cls, given: str) -> Address:
        """Read `127.0.0.1:8080`, `localhost:8080` or `[::1]:8080`; ValueError says what is wrong."""
        host, colon, port = given.rpartition(":")
        if not colon or not host or not (port.isascii() and port.isdigit()) or int(port) > _LAST_PORT:
            message = f"expected HOST:PORT such as 127.0.0.1:8080, not {given!r}"
            raise ValueError(message)
        if ":" in host and not (host.startswith("[") and host.endswith("]")):
            message = f"an IPv6 address stands in brackets: [{host}]:{port}"
            raise ValueError(message)
        return cls(host.removeprefix("[").removesuffix("]"), int(port))

    def listen(self, *, remote: bool) -> socket.socket:
        """A socket that listens there; ValueError if others than this machine could reach it and may not."""
        try:
            family, _, _, _, place = socket.getaddrinfo(self.host, self.port, type=socket.SOCK_STREAM)[0]
        except socket.gaierror as error:
            message = f"{self.host}: {error.strerror}"
            raise ValueError(message) from None
        if not remote and not ip_address(str(place[0]).partition("%")[0]).is_loopback:
            message = f"{self.host} can be reached from other machines; to allow that, give --allow-remote"
            raise ValueError(message)
        found = socket.create_server(place[:2], family=family)
        found.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)  # else answers in two parts wait for 40 ms
        return found


class Names:
    """The names and origins under which a listening server may be asked: a page of another name is refused.

    A name that an attacker owns may lead to this machine's address (DNS rebinding), but a request then still tells
    that name. An address cannot be owned, so where remote access is allowed, any address is a name of this server.
    """

    def __init__(self, host: str, port: int, others: tuple[str, ...] = (), *, remote: bool = False) -> None:
        names = {f"[{host}]" if ":" in host else host, *(_LOOPBACK if _is_local(host) else ())}
        self._hosts = {f"{name.lower()}:{port}" for name in names}
        if port == _HTTP:
            self._hosts |= {name.lower() for name in names}
        self._others = {name.lower() for name in others}
        """Names that the operator vouches for: of a proxy, which has a port of its own, and perhaps TLS."""
        self._port = port
        self._remote = remote

    def fits(self, host: str | None) -> bool:
        """Whether a request's Host is one of ours."""
        if host is None:
            return False
        return host.lower() in self._hosts or self._is_other(host) or (self._remote and self._is_address(host))

    def fits_origin(self, origin: str | None, asked: str | None) -> bool:
        """Whether a request comes from no web page, or from one of this very server, asked by the name `asked`."""
        if origin is None:
            return True
        scheme, _, host = origin.lower().partition("://")
        ours = host in self._hosts or self._is_other(host) or (self.fits(asked) and host == (asked or "").lower())
        return (scheme == "http" and ours) or (scheme == "https" and self._is_other(host))

    def _is_other(self, host: str) -> bool:
        name, colon, port = host.rpartition(":")
        plain = name if colon and port.isascii() and port.isdigit() else host
        return plain.lower() in self._others

    def _is_address(self, host: str) -> bool:
        name, _, port = host.rpartition(":")
        try:
            ip_address(name.removeprefix("[").removesuffix("]"))
        except ValueError:
            return False
        return port == str(self._port)


def neighborhood(host: str) -> str:
    """What addresses have in common that one machine can take on: an IPv6 address is one of a whole network."""
    try:
        address = IPv6Address(host.partition("%")[0])
    except ValueError:
        return host
    return str(address.ipv4_mapped or IPv6Address(int(address) >> _SHARED << _SHARED))


def _is_local(host: str) -> bool:
    """Whether whoever listens there can be reached by the names of loopback."""
    try:
        return ip_address(host).is_loopback or ip_address(host).is_unspecified
    except ValueError:
        return host.lower() == "localhost"
