"""pytest fixtures for Localpost: an account of its own for each worker, and waits for mail.

The server is the one of LOCALPOST_URL (http://127.0.0.1:8025 by default), the key that of LOCALPOST_API_KEY, if it needs one.

    def test_sign_up(localpost):
        sign_up("ada@example.com", smtp=localpost.smtp)
        mail = localpost.wait_for(to="ada@example.com")
        assert mail.code == "482913"
"""

from __future__ import annotations

import json
import os
import urllib.error
import urllib.parse
import urllib.request
from typing import Any, Iterator

import pytest


class LocalpostError(Exception):
    """An error that Localpost answered with; `code` is stable."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code


class Mail(dict):
    """A mail as GET /dev/inbox/{id} answers it."""

    @property
    def code(self) -> str:
        """The first one-time code."""
        if not self["codes"]:
            raise AssertionError(f"{self['id']} {self['subject']!r} has no code")
        return self["codes"][0]

    def link(self, part: str = "") -> str:
        """The address of the first link whose address or text contains a part."""
        for link in self["links"]:
            if part.lower() in link["href"].lower() or part.lower() in link["text"].lower():
                return link["href"]
        raise AssertionError(f"{self['id']} {self['subject']!r} has no link with {part!r}")


class Account:
    """An account on a Localpost: its own mail, which no other worker sees."""

    def __init__(self, url: str, made: dict[str, Any]) -> None:
        self.url = url
        self.name: str = made["name"]
        self.api_key: str = made["api_key"]
        #: host, port, username and password for submissions.
        self.smtp: dict[str, Any] = made["smtp"]

    def call(self, method: str, path: str, body: Any = None, timeout: float = 30) -> Any:
        """A request to the HTTP API, with the key of the account."""
        return _call(self.url, method, path, self.api_key, body, timeout)

    def mails(self, query: str = "") -> list[dict[str, Any]]:
        """The newest 500 mails that match a query, newest first."""
        wanted = urllib.parse.urlencode({"query": query, "limit": 500})
        return self.call("GET", f"/dev/inbox?{wanted}")["emails"]

    def wait_for(
        self, to: str | None = None, query: str = "", timeout: float = 10, after: str | None = None
    ) -> Mail:
        """The newest mail that matches, or the next one that comes within `timeout` seconds.

        `after` is the id of a mail; only later ones count. Raises LocalpostError, whose message says which mails came
        closest and why there may be none.
        """
        words = [] if to is None else ["to:" + json.dumps(to, ensure_ascii=False)]
        wanted = {"query": " ".join([*words, query]).strip(), "timeout_ms": str(round(timeout * 1000))}
        if after is not None:
            wanted["after"] = after
        path = f"/dev/inbox/wait?{urllib.parse.urlencode(wanted)}"
        return Mail(self.call("GET", path, timeout=timeout + 30))

    def clear(self) -> None:
        """Removes all mail of the account."""
        self.call("DELETE", "/dev/inbox?all=true")


@pytest.fixture(scope="session")
def localpost_account() -> Iterator[Account]:
    """An account for this process, which pytest-xdist has several of. It is removed at the end."""
    url = os.environ.get("LOCALPOST_URL", "http://127.0.0.1:8025").rstrip("/")
    key = os.environ.get("LOCALPOST_API_KEY")
    # If the run is killed, the server removes the account an hour after its last use.
    made = _call(url, "POST", "/dev/accounts", key, {"ttl_ms": 3_600_000})
    yield Account(url, made)
    _call(url, "DELETE", f"/dev/accounts/{made['name']}", key)


@pytest.fixture
def localpost(localpost_account: Account) -> Account:
    """The account of this process, without mail of earlier tests."""
    localpost_account.clear()
    return localpost_account


def _call(url: str, method: str, path: str, key: str | None, body: Any = None, timeout: float = 30) -> Any:
    headers = {"Content-Type": "application/json", "X-Localpost-Page": "1"}
    if key:
        headers["Authorization"] = f"Bearer {key}"
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url + path, data, headers, method=method)
    try:
        with urllib.request.urlopen(request, timeout=timeout) as answer:
            return json.load(answer)
    except urllib.error.HTTPError as error:
        with error:
            raise _error_of(error.read(65_536), error.code) from None


def _error_of(body: bytes, status: int) -> LocalpostError:
    try:
        answer = json.loads(body)
        return LocalpostError(answer["name"], answer["message"])
    except (ValueError, KeyError, TypeError):
        return LocalpostError("unexpected_response", f"the server answered {status}")
