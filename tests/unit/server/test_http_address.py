import socket

import pytest

from suture.server.http import Address, HostNames


@pytest.mark.parametrize(
    ("given", "host", "port"),
    [
        ("127.0.0.1:8080", "127.0.0.1", 8080),
        ("localhost:0", "localhost", 0),
        ("[::1]:65535", "::1", 65535),
        ("0.0.0.0:80", "0.0.0.0", 80),  # noqa: S104  only read, not bound
    ],
)
def test_an_address_is_a_host_and_a_port(given: str, host: str, port: int) -> None:
    assert Address.parse(given) == Address(host, port)


@pytest.mark.parametrize(
    "given",
    ["", "8080", ":8080", "localhost", "localhost:", "localhost:x", "a:65536", "a:-1", "a:٣", "::1:80", "[::1]"],
)
def test_anything_else_is_none(given: str) -> None:
    with pytest.raises(ValueError, match=r"HOST:PORT|brackets"):
        Address.parse(given)


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "127.1.2.3"])
def test_a_loopback_address_can_be_listened_at(host: str) -> None:
    with Address(host, 0).listen(remote=False) as listener:
        assert listener.getsockname()[1] > 0
        with socket.create_connection(listener.getsockname()[:2]):
            pass


@pytest.mark.promise("serve.guard")
@pytest.mark.parametrize("host", ["0.0.0.0", "192.0.2.1", "::"])  # noqa: S104  what must not be bound unasked
def test_others_can_reach_it_only_if_allowed(host: str) -> None:
    with pytest.raises(ValueError, match="--allow-remote"):
        Address(host, 0).listen(remote=False)


def test_others_can_reach_it_if_allowed() -> None:
    with Address("0.0.0.0", 0).listen(remote=True) as listener:  # noqa: S104  this is the permission
        assert listener.getsockname()[0] == "0.0.0.0"  # noqa: S104  as above


@pytest.mark.promise("serve.guard")
@pytest.mark.parametrize(
    ("names", "host", "fits"),
    [
        (HostNames("127.0.0.1", 81), "127.0.0.1:81", True),
        (HostNames("127.0.0.1", 81), "localhost:81", True),
        (HostNames("127.0.0.1", 81), "LocalHost:81", True),
        (HostNames("127.0.0.1", 81), "[::1]:81", True),
        (HostNames("127.0.0.1", 81), "127.0.0.1", False),
        (HostNames("127.0.0.1", 81), "127.0.0.1:80", False),
        (HostNames("127.0.0.1", 81), "evil.example:81", False),
        (HostNames("127.0.0.1", 81), "", False),
        (HostNames("127.0.0.1", 81), None, False),
        (HostNames("127.0.0.1", 80), "127.0.0.1", True),
        (HostNames("::1", 81), "[::1]:81", True),
        (HostNames("localhost", 81), "127.0.0.1:81", True),
        (HostNames("127.0.0.1", 81, ("Me.example",)), "you.example:81", False),
        (HostNames("127.0.0.1", 81, ("Me.example",)), "me.example.evil:81", False),
        (HostNames("127.0.0.1", 81, ("Me.example",)), "me.example:x", False),
        (HostNames("192.0.2.1", 81), "192.0.2.1:81", True),
        (HostNames("192.0.2.1", 81), "localhost:81", False),
        (HostNames("192.0.2.1", 81), "192.0.2.2:81", False),
        (HostNames("me.example", 81), "localhost:81", False),
        (HostNames("0.0.0.0", 81, remote=True), "192.0.2.2:81", True),  # noqa: S104  not bound
        (HostNames("0.0.0.0", 81, remote=True), "[2001:db8::1]:81", True),  # noqa: S104  not bound
        (HostNames("0.0.0.0", 81, remote=True), "localhost:81", True),  # noqa: S104  not bound
        (HostNames("0.0.0.0", 81, remote=True), "192.0.2.2:82", False),  # noqa: S104  not bound
        (HostNames("0.0.0.0", 81, remote=True), "evil.example:81", False),  # noqa: S104  not bound
    ],
)
def test_a_server_is_asked_by_its_names_only(names: HostNames, host: str | None, fits: bool) -> None:  # noqa: FBT001  a case
    assert names.allows(host) is fits
    assert names.allows_origin(None if host is None else f"http://{host}", host) is (fits or host is None)
    assert not names.allows_origin(f"https://{host}", host)


@pytest.mark.parametrize("host", ["me.example", "ME.example:443", "me.example:8080"])
def test_a_name_that_the_operator_allows_is_one_at_any_port_and_with_tls(host: str) -> None:
    names = HostNames("127.0.0.1", 81, ("me.example",))
    assert names.allows(host)
    assert names.allows_origin(f"https://{host}", host)
    assert names.allows_origin(f"http://{host}", "127.0.0.1:81")


def test_a_host_that_is_not_known_is_named() -> None:
    with pytest.raises(ValueError, match=r"^no-such-host\.invalid: "):
        Address("no-such-host.invalid", 0).listen(remote=False)


@pytest.mark.promise("serve.guard")
def test_a_page_at_another_address_is_of_another_origin() -> None:
    names = HostNames("0.0.0.0", 81, remote=True)  # noqa: S104  not bound
    assert names.allows_origin("http://192.0.2.2:81", "192.0.2.2:81")
    assert not names.allows_origin("http://192.0.2.3:81", "192.0.2.2:81")
