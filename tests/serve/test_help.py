"""What `loxodon help` shows, what is suggested for a wrong command, and shell completion."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from loxodon.errors import UsageError
from loxodon.serve.cli import main
from loxodon.serve.cli.help import ALIASES
from loxodon.serve.cli.parser import parse
from loxodon.serve.cli.table import COMMANDS
from tests.each import each


def test_help_explains_the_daily_commands_and_names_the_rest(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["--help"]) == 0
    short = capsys.readouterr().out
    assert main(["help", "all"]) == 0
    full = capsys.readouterr().out
    assert COMMANDS["recall"].about in short
    assert COMMANDS["rekey"].about not in short
    assert all(one.name in short and one.about in full for one in COMMANDS.values())


@pytest.mark.parametrize(
    ("typed", "hint"),
    [
        ("recal", "did you mean `loxodon recall`?"),
        ("serch", "did you mean `loxodon recall`?"),
        ("delete", "`loxodon forget ID`"),
        ("xyzzy", "`loxodon help all`"),
    ],
)
def test_a_wrong_command_is_pointed_the_right_way(typed: str, hint: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse([typed])
    assert hint in str(caught.value.hint).replace("{near}", "recall")


@each("alias", sorted(ALIASES))
def test_an_alias_is_a_command_and_no_other_commands_name(alias: str) -> None:
    assert alias not in COMMANDS
    assert ALIASES[alias] in COMMANDS


def test_an_alias_does_what_the_command_does() -> None:
    assert parse(["search", "peanuts", "--top", "3"]).command == "recall"
    assert parse(["ls"]).command == "list"


@pytest.mark.parametrize(
    ("typed", "completed"),
    [(["re"], {"recall", "repair"}), (["recall", "--e"], {"--explain", "--entity"})],
)
def test_bash_completes(
    typed: list[str], completed: set[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["completion", "bash"]) == 0
    script = tmp_path / "completion.sh"
    script.write_text(
        f"{capsys.readouterr().out}COMP_WORDS=(loxodon {' '.join(typed)})\n"
        f"COMP_CWORD={len(typed)}\n_loxodon\necho ${{COMPREPLY[@]}}\n"
    )
    done = subprocess.run(["bash", str(script)], capture_output=True, text=True, check=True)
    assert completed <= set(done.stdout.split())


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_the_other_shells_get_a_script(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", shell]) == 0
    assert "recall" in capsys.readouterr().out
