#!/usr/bin/env bash
# Install what `make dist` built into empty environments, each with an empty HOME, and walk the README's
# first screen there: pip, pip from the sdist, pipx, uv tool, uvx. Prints seconds, commands and megabytes.
# Needs python3 with venv; pipx and uv are installed for the occasion.
set -euo pipefail
cd "$(dirname "$0")/.."
wheel=$(ls "$PWD"/dist/*.whl) sdist=$(ls "$PWD"/dist/*.tar.gz)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset PYTHONPATH VIRTUAL_ENV XDG_CACHE_HOME XDG_CONFIG_HOME XDG_DATA_HOME LOXODON_HOME
python3 -m venv "$work/tools"
"$work/tools/bin/pip" install --quiet --disable-pip-version-check uv pipx
tools=$work/tools/bin

megabytes() { du -sm "$1" | cut -f1; }
now() { date +%s.%N; }
since() { awk "BEGIN { print $2 - $1 }"; }

walk() {  # NAME FOLDER-MEASURED LOXODON...: the first screen with this program, then the figures
  local name=$1 folder=$2; shift 2
  local installed; installed=$(now)
  mkdir -p "$HOME/.claude"
  printf 'Me: 我对花生过敏，推荐餐厅要避开\nMe: My sister Mei studies in Osaka and I live in Leeds\n' > "$HOME/talk.txt"
  "$@" --version >/dev/null
  "$@" remember "I live in Leeds" >/dev/null
  "$@" recall "Where do I live?" | grep -q Leeds
  "$@" add "$HOME/talk.txt" >/dev/null
  "$@" consolidate >/dev/null
  "$@" recall "花生可以吃吗" --top 1 | grep -q 花生
  "$@" connect claude-code --yes >/dev/null
  # A prompt of the agent reaches the memory through the hook that was written.
  local hook; hook=$("$tools/python" -c 'import json, pathlib; print(json.loads(pathlib.Path.home().joinpath(".claude/settings.json").read_text())["hooks"]["UserPromptSubmit"][-1]["hooks"][0]["command"])')
  echo '{"session_id": "s", "prompt": "Where does my sister Mei study?", "cwd": "/"}' | bash -c "$hook" | grep -q Osaka
  "$@" connect claude-code --remove --yes >/dev/null
  test ! -e "$HOME/.claude/settings.json"
  printf '%-14s installed in %5.1f s, %4d MB; first screen and hook in %4.1f s, 10 commands\n' \
    "$name" "$(since "$began" "$installed")" "$(megabytes "$folder")" "$(since "$installed" "$(now)")"
}

fresh() { export HOME="$work/$1"; mkdir -p "$HOME"; began=$(now); }

printf 'wheel %d MB, sdist %d MB, %s\n' "$(megabytes "$wheel")" "$(megabytes "$sdist")" "$(python3 --version)"
for built in "$wheel" "$sdist"; do
  name="pip ${built##*.}"
  fresh "$name"
  python3 -m venv "$HOME/venv"
  "$HOME/venv/bin/pip" install --quiet --disable-pip-version-check --no-cache-dir "$built"
  walk "$name" "$HOME/venv/lib" "$HOME/venv/bin/loxodon"
done
fresh pipx
"$tools/pipx" install --quiet "$wheel" >/dev/null
walk pipx "$HOME/.local/share/pipx/venvs" "$HOME/.local/bin/loxodon"
fresh uv
"$tools/uv" tool install --quiet "$wheel"
walk "uv tool" "$HOME/.local/share/uv/tools" "$HOME/.local/bin/loxodon"
fresh uvx
"$tools/uvx" --quiet --from "$wheel" loxodon --version >/dev/null
walk uvx "$HOME/.cache/uv" "$tools/uvx" --quiet --from "$wheel" loxodon
