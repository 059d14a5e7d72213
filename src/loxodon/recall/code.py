"""Finds the code in a message; the gate reads the rest."""

from __future__ import annotations

import re
from functools import cache

_LINE = 200  # Characters of a line that tell whether it is code
_WORDS = 7  # A line with more plain words than this is a sentence, unless it is full of signs

_SIGNS = r"[;{}()=<>\[\]_$]"
# What a line must have before the many branches of the next pattern are tried on it
_MARKED = r"[;{}()=<>\[\]\"@$]|//|error|exception|^\s*(?:import|from|use|package)\s|^\s+return\b"
_CODE = r"""
\s*(?:def|func|fn|function)\s+\w+\s*[(<]|\s*class\s+\w+\s*[:({]|\#include
|\s*(?:import|from|package|use)\s+[\w.{}*,/'\"@:]+(?:\s+(?:import|as|from)\s.*)?;?\s*$
|\s+return\b|return\b.*[;)]\s*$|\s*(?:const|let|var)\s+[\w{}\[\], ]+=
|\s*(?:public|private|static|void|async|await|export|struct|enum|interface|elif|except)\b.*[({=;:]
|\s*(?:else|try|finally)\s*[:{]\s*$|\s*@\w+(?:\(.*\))?\s*$
|\s*(?:select|insert\ into|update|delete\ from|create\ table|alter\ table|with)\b
.*(?:;|\bfrom\b|\bset\b|\bvalues\b|\()
|\s*(?:for|if|while|switch|catch)\b.*[:{)]\s*$
|.*[;{}]\s*$|\s*[\])}]+[,;]?\s*$|\s*</?[a-z][^>]*>|\s*(?://|/\*|\*/|--)
|.*(?:=>|==|!=|\+=|-=|\|\||&&|::|->)|\s*[\w.]+\s*=\s*\S|\s*[\w.]+\(.*\)\s*$
|\s+at\ [\w.$<>]+\(.*\)|\s*file\ \".*\",\ line\ [0-9]+|\s*traceback\ \(most
|\s*\w*(?:error|exception|warning):\ |\s*[\"'][\w.-]+[\"']\s*:|\s*[$>]\s+\w+
|\s*[\[{][\[{\"'].*[\]}]\s*$
"""
_PROGRAMS = frozenset(
    """
    sudo git npm pnpm yarn bun pip pip3 uv poetry conda brew apt apt-get cargo gem go dotnet mvn
    gradle docker docker-compose kubectl helm terraform systemctl ls cd cat grep find rm mv cp
    mkdir touch chmod chown curl wget ssh scp tar echo export source python python3 node make kill
    ps df du tail head awk sed vi vim nano ping npx uvx
    """.split()  # noqa: SIM905  a block of words is easier to read and to keep than a list
)
# A program with a word that only it takes, or with a flag or a path
_SHELL = r"""
(?:sudo\ )?(?:(?:git\ (?:add|commit|push|pull|clone|checkout|rebase|merge|status|log|diff|stash
|reset|fetch|branch|switch|restore|init|tag|cherry-pick)
|(?:npm|pnpm|yarn|bun)\ (?:i|install|run|add|ci|test|start|build|init|publish|update|remove|exec)
|(?:pip3?|uv|poetry|conda|brew|apt|apt-get|cargo|gem|go|dotnet|mvn|gradle)\ (?:install|add|run|build
|test|update|upgrade|sync|lock|create|remove|uninstall|mod|fmt)
|go\ get\ \S+[./]
|docker(?:-compose)?\ (?:compose|run|build|ps|exec|pull|push|logs|stop|rm|up|down|images)
|kubectl\ (?:get|apply|delete|logs|describe|exec|rollout|scale|port-forward)
|(?:helm|terraform)\ (?:install|upgrade|apply|plan|init|destroy)
|systemctl\ (?:start|stop|restart|status|enable))(?:\s.*)?
|[a-z0-9]+\s+(?:[-./~$|>]\S*|\S*[./=]\S*)(?:\s.*)?)\s*
"""


def without_code(text: str) -> tuple[str, float]:
    """The message without its code, and the share of it that is code."""
    prose, code, size = [], 0, 0
    fenced = False
    for line in text.split("\n"):
        opens = line.lstrip().startswith("```")
        fenced = fenced != opens
        solid = len("".join(line.split()))
        size += solid
        if fenced or opens or (solid and _is_code(line)):
            code += solid
        else:
            prose.append(line)
    return "\n".join(prose), code / (size or 1)


def is_shell(text: str) -> bool:
    """Whether a message is one line for a shell."""
    if "\n" in text or text[:16].partition(" ")[0].lower() not in _PROGRAMS:
        return False
    return _re(_SHELL, re.VERBOSE).fullmatch(text[: 2 * _LINE].lower()) is not None


def _is_code(line: str) -> bool:
    line = line[:_LINE].lower()
    if not _re(_MARKED).search(line) or any("\u3400" <= c <= "\u9fff" for c in line):
        return False
    plain = _re(r"(?<!\S)[a-z']+[,.!?]?(?!\S)").findall(line)
    signs = _re(_SIGNS).findall(line)
    if len(plain) > _WORDS and len(signs) < len(plain) / 3 and not line.lstrip().startswith("//"):
        return False
    return _re(_CODE, re.VERBOSE).match(line) is not None


_re = cache(re.compile)
