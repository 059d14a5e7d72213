"""Run the steps of the Dockerfile without Docker, in root filesystems made of Debian packages, then
start the image's command in the last of them and look at its health check.

    sudo python tools/try_image.py             # needs root, mmdebstrap and chroot
    sudo python tools/try_image.py --base DIR  # a base made before: mmdebstrap --variant=minbase

It knows the instructions that our Dockerfile has, and refuses others. Layers, volumes and networks
are Docker's own and are not tried.
"""

from __future__ import annotations

import argparse
import json
import os
import secrets
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parents[1]
# What a container gets from its host: names, and how packages and certificates are found here
_BORROWED = ("/etc/resolv.conf", "/etc/hosts", "/etc/pip.conf")
# Not by the PATH of the image, which has no sbin
_CHROOT = shutil.which("chroot") or "/usr/sbin/chroot"
_PASSED = ("PIP_", "SSL_CERT_FILE", "HTTP", "http", "NO_PROXY", "no_proxy")


class Stage:
    """A root filesystem, and what the instructions have set so far."""

    def __init__(self, base: Path, root: Path) -> None:
        subprocess.run(["cp", "-a", "--reflink=auto", str(base), str(root)], check=True)
        self.root, self.workdir, self.user = root, "/", "0:0"
        self.env = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"}
        self.words: dict[str, list[str]] = {}  # ENTRYPOINT, CMD and HEALTHCHECK

    def command(self, words: list[str]) -> list[str]:
        inside = 'cd "$0" && exec "$@"'
        chroot = [_CHROOT, f"--userspec={self.user}", str(self.root)]
        return [*chroot, "/bin/sh", "-c", inside, self.workdir, *words]

    def environment(self, **more: str) -> dict[str, str]:
        borrowed = {k: v for k, v in os.environ.items() if k.startswith(_PASSED)}
        return {**borrowed, "DEBIAN_FRONTEND": "noninteractive", **self.env, **more}

    def run(self, words: list[str]) -> None:
        # Each time: a step may write the certificates anew.
        for name in filter(os.path.isfile, (*_BORROWED, *self.environment().values())):
            Path(f"{self.root}{name}").parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(name, f"{self.root}{name}")
        command, env = self.command(words), self.environment()
        subprocess.run(command, env=env, stdout=subprocess.DEVNULL, check=True)

    def copy(self, words: list[str], stages: dict[str, Stage]) -> None:
        source = ROOT
        if words[0].startswith("--from="):
            source = stages[words.pop(0).removeprefix("--from=")].root
        *names, target = words
        to = Path(f"{self.root}{os.path.join(self.workdir, target)}")
        for name in names:
            found = source / name.lstrip("/")
            into = to / found.name if target.endswith("/") else to
            into.parent.mkdir(parents=True, exist_ok=True)
            if found.is_dir():
                ignored = shutil.ignore_patterns("__pycache__")
                shutil.copytree(found, into, ignore=ignored, symlinks=True, dirs_exist_ok=True)
            else:
                shutil.copy(found, into)


def instructions(text: str) -> list[tuple[str, str]]:
    lines = (one.strip() for one in text.replace("\\\n", " ").splitlines())
    return [
        (name, rest)
        for name, _, rest in (one.partition(" ") for one in lines if one)
        if name[0] != "#"
    ]


def build(base: Path, into: Path) -> Stage:
    stages: dict[str, Stage] = {}
    stage = None
    for name, rest in instructions((ROOT / "Dockerfile").read_text("utf-8")):
        began = time.monotonic()
        if name == "FROM":
            called = rest.partition(" AS ")[2] or "last"
            stage = stages[called] = Stage(base, into / called)
            continue
        assert stage is not None
        if name == "RUN":
            stage.run(["/bin/sh", "-c", rest])
        elif name == "COPY":
            stage.copy(rest.split(), stages)
        elif name == "ENV":
            stage.env.update(dict(pair.split("=", 1) for pair in rest.split()))
        elif name == "WORKDIR":
            stage.workdir = rest
            Path(f"{stage.root}{rest}").mkdir(parents=True, exist_ok=True)
        elif name == "USER":
            stage.user = rest
        elif name in ("ENTRYPOINT", "CMD"):
            stage.words[name] = json.loads(rest)
        elif name == "HEALTHCHECK":
            stage.words[name] = json.loads(rest.partition("CMD ")[2])
        elif name not in ("VOLUME", "EXPOSE"):
            sys.exit(f"the Dockerfile has an instruction that this does not know: {name}")
        print(f"{time.monotonic() - began:6.1f} s  {name} {rest[:90]}", flush=True)
    assert stage is not None
    return stage


def serve(stage: Stage) -> None:
    """Start what the image starts until it is healthy; without a token it must refuse."""
    words = [*stage.words["ENTRYPOINT"], *stage.words["CMD"]]
    refused = subprocess.run(
        stage.command(words), env=stage.environment(), capture_output=True, text=True
    )
    assert refused.returncode != 0, "it served other machines without a token"
    began = time.monotonic()
    env = stage.environment(LOXODON_TOKEN=secrets.token_hex())
    with tempfile.TemporaryFile() as log:
        server = subprocess.Popen(stage.command(words), env=env, stdout=log, stderr=log)
        try:
            while subprocess.run(
                stage.command(stage.words["HEALTHCHECK"]), env=env, capture_output=True
            ).returncode:
                if server.poll() is not None or time.monotonic() - began > 60:
                    log.seek(0)
                    sys.exit(f"it does not become healthy: {log.read().decode()}")
                time.sleep(0.2)
            user = os.stat(f"/proc/{server.pid}").st_uid
            assert user, "it runs as root"
            print(f"{time.monotonic() - began:6.1f} s  until it is healthy, as user {user}")
        finally:
            server.terminate()
            code = server.wait(30)
    print(f"         stopped by SIGTERM with {code}")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--base", type=Path, help="a root filesystem to start from")
    parser.add_argument("--keep", type=Path, help="copy the last stage here")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        base = given.base or Path(folder, "base")
        if given.base is None:
            text = (ROOT / "Dockerfile").read_text("utf-8")
            release = text.partition("FROM debian:")[2].partition("-slim")[0]
            subprocess.run(["mmdebstrap", "--variant=minbase", release, str(base)], check=True)
        stage = build(base, Path(folder))
        size = subprocess.check_output(["du", "-sm", str(stage.root)], text=True).split()[0]
        before = subprocess.check_output(["du", "-sm", str(base)], text=True).split()[0]
        print(f"{size} MB, {before} MB of it the base")
        serve(stage)
        if given.keep:
            subprocess.run(["cp", "-a", str(stage.root), str(given.keep)], check=True)


if __name__ == "__main__":
    main()
