"""One exchange with a model's server, or with a program that is a model.

Whatever it does ends in an answer or in one of our errors: within a time limit for all of it,
within a size limit, without following anything to another address, and without the key or the
words that were sent in any message. Proxies of the environment are not used.
"""

from __future__ import annotations

import json
import os
import ssl
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from functools import cache
from threading import Thread
from time import sleep
from typing import NamedTuple, TypeVar

from loxodon.config import EmbedderConfig, ModelConfig
from loxodon.errors import BadReplyError, ModelError, UnreachableModelError

T = TypeVar("T")

READING = "LOXODON_READING"  # set for a program, whose own hooks then do nothing
_MOST_BYTES = 2 << 20  # more than this is no answer to what we ask
_FIRST_WAIT = 1.0  # seconds before a busy server is asked again
_MOST_WAIT = 30.0  # seconds; a server that wants us to wait longer is asked at the next run

_certificates = cache(ssl.create_default_context)  # made once: it takes 20 ms


class Endpoint(NamedTuple):
    """What an OpenAI-compatible server offers at one path."""

    section: str  # of the settings that name it
    config: ModelConfig | EmbedderConfig
    path: str
    timeout: float
    most: int = _MOST_BYTES  # of an answer

    def post(self, body: Mapping[str, object]) -> tuple[int, bytes]:
        """Send `body`; status and body of the answer, unless the server is busy or has failed."""
        import httpx  # which takes longer to load than a recall takes

        url = self.config.base_url.rstrip("/").removesuffix(self.path) + self.path
        headers = {"Content-Type": "application/json", "Accept-Encoding": "identity"}
        if self.config.api_key:
            headers["Authorization"] = f"Bearer {self.config.api_key}"
        content = json.dumps(body).encode()
        client = httpx.Client(verify=_certificates(), trust_env=False, timeout=self.timeout)

        def exchange() -> tuple[int, bytes]:
            with client.stream("POST", url, content=content, headers=headers) as response:
                read = bytearray()
                for chunk in response.iter_raw():
                    read += chunk
                    if len(read) > self.most:
                        raise BadReplyError(
                            "the model's answer is longer than {most} bytes",
                            hint="check that {section}.base_url points to a model",
                            most=self.most,
                            section=self.section,
                        )
                status, wait = response.status_code, response.headers.get("retry-after", "").strip()
                if status in (408, 409, 425, 429) or status >= 500:
                    raise UnreachableModelError(
                        "the model is busy or has failed (HTTP {status})",
                        hint="what is left is done in the next run",
                        status=status,
                        wait=float(wait) if wait.isdecimal() and len(wait) < 10 else None,
                    )
                return status, bytes(read)

        try:
            # httpx limits each read; a server that drips would take as long as it likes.
            with client:  # closing it ends the reading too
                return within(self.timeout, exchange)
        except (TimeoutError, httpx.TimeoutException) as error:
            raise _too_slow(self.timeout, not isinstance(error, httpx.ConnectTimeout)) from None
        except (httpx.HTTPError, httpx.InvalidURL, UnicodeError) as error:
            # Errors of the protocol repeat what the server sent; their kind says enough.
            connecting = isinstance(error, httpx.ConnectError)
            raise UnreachableModelError(
                "cannot reach the model: {reason}",
                hint="check that it is running, and that {section}.base_url is correct",
                section=self.section,
                reason=str(error) if connecting else type(error).__name__,
                delivered=not connecting and isinstance(error, httpx.TransportError),
            ) from None

    def rejected(self, status: int) -> ModelError:
        """What another status than 200 means. The server's own words may repeat ours: unsaid."""
        return ModelError(
            "the model's server rejected the request (HTTP {status})",
            hint="check {section}.api_key, {section}.base_url (it often ends in /v1) and "
            "{section}.name",
            section=self.section,
            status=status,
        )


def run_program(command: str, said: str, timeout: float) -> str:
    """What a program such as `claude -p` prints for a prompt on its standard input."""
    import shlex
    import subprocess
    from tempfile import TemporaryDirectory

    try:
        # In an empty folder: it has no files to read, and an agent no project.
        with TemporaryDirectory(prefix="loxodon-") as folder:
            done = subprocess.run(  # noqa: S603 the owner's own choice
                shlex.split(command),
                input=said.encode(),
                capture_output=True,
                timeout=timeout,
                cwd=folder,
                env={**os.environ, READING: "1"},
                check=True,
            )
    except subprocess.TimeoutExpired:
        raise _too_slow(timeout, delivered=True) from None
    except (OSError, ValueError, subprocess.CalledProcessError) as error:
        # What it complains of may repeat what it was told: unsaid.
        status = getattr(error, "returncode", None)
        reason = getattr(error, "strerror", None) or error
        raise ModelError(
            "the model's program failed: {reason}",
            hint="run model.command yourself: it must read a prompt from standard input",
            reason=reason if status is None else f"exit status {status}",
        ) from None
    return done.stdout[:_MOST_BYTES].decode("utf-8", "replace")


def _too_slow(timeout: float, delivered: bool) -> UnreachableModelError:
    return UnreachableModelError(
        "the model did not answer within {timeout} seconds",
        hint="try again when it is less busy; model.timeout says how long a model may take",
        timeout=f"{timeout:g}",
        delivered=delivered,
    )


def patiently(work: Callable[[], T], retries: int) -> T:
    """What `work` returns; it is tried again where a server is busy or away for a moment."""
    for attempt in range(retries):
        try:
            return work()
        except UnreachableModelError as error:
            wait = error.values.get("wait")
            seconds = wait if isinstance(wait, float) else _FIRST_WAIT * 2.0**attempt
            if seconds > _MOST_WAIT:
                raise
            sleep(seconds)
    return work()


def within(seconds: float, work: Callable[[], T]) -> T:
    """What `work` returns or raises; TimeoutError where it takes longer, and goes on by itself."""
    done: Future[T] = Future()

    def run() -> None:
        try:
            done.set_result(work())
        except BaseException as error:  # handed on to whoever waits, whatever it is
            done.set_exception(error)

    Thread(target=run, daemon=True).start()
    return done.result(seconds)
