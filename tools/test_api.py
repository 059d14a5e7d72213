"""Have schemathesis ask a server all that `/openapi.json` describes: `make test-api`.

python tools/test_api.py [N]    N cases for each operation (10)
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile

TOKEN = "fuzzing"  # noqa: S105 of a server that ends with this run


def main(cases: str = "10") -> int:
    here = os.path.dirname(sys.executable)
    tool = shutil.which("schemathesis", path=f"{here}{os.pathsep}{os.environ['PATH']}")
    if tool is None:
        sys.exit("schemathesis is not installed: pip install schemathesis")
    # Our own program and the tool that was asked for, by their full paths.
    loxodon = [sys.executable, "-m", "loxodon"]
    with tempfile.TemporaryDirectory() as home:
        environment = {**os.environ, "LOXODON_HOME": home, "LOXODON_TOKEN": TOKEN}
        subprocess.run([*loxodon, "config", "serve.rate", "0"], env=environment, check=True)  # noqa: S603
        serve = [*loxodon, "serve", "--json", "--port", "0"]
        with subprocess.Popen(  # noqa: S603
            serve, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        ) as server:
            url = json.loads(server.stdout.readline())["url"]  # type: ignore[union-attr]
            try:
                asked = [tool, "run", f"{url}/openapi.json", "-n", cases, "-w", "1", "--seed", "1"]
                asked += ["-H", f"Authorization: Bearer {TOKEN}", "--continue-on-failure"]
                # A field may be of the right type and still be refused for what it says.
                asked += ["--exclude-checks", "positive_data_acceptance"]
                asked += ["--suppress-health-check", "all"]
                return subprocess.run(asked).returncode  # noqa: S603
            finally:
                server.terminate()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
