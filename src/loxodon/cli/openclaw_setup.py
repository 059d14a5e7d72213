"""`loxodon openclaw install`, `uninstall` and `status`."""

from __future__ import annotations

import os
from argparse import Namespace

from loxodon.agents.openclaw import install as setup
from loxodon.agents.openclaw.follow import state_folder
from loxodon.cli import view
from loxodon.cli.changing import agreed, outcome
from loxodon.cli.opening import Outcome, home_of, opened
from loxodon.errors import ConfigError, install_hint
from loxodon.messages import t


def install(args: Namespace) -> Outcome:
    home = home_of(args)
    state = state_folder(args.state, os.environ)
    config = os.environ.get("OPENCLAW_CONFIG_PATH", "")
    place = setup.place_of(home, args.space, state, args.workspace or "", config)
    if extra := setup.missing_extra(state, place.workspace):
        raise ConfigError(
            "this OpenClaw compresses long messages, and the package that reads them is not "
            "installed",
            hint=install_hint(),
            extra=extra,
        )
    plan = setup.plan_install(place)
    if not agreed(args, plan):
        return outcome(plan, False, t("nothing was changed"))
    opened(args, make=True).close()  # nothing is changed for a memory that cannot be opened
    plan.carry_out()
    with opened(args, make=True) as memory:
        memory.workspace.index()  # or the first search would wait for it
    said = t(
        "installed into the OpenClaw at {state}; a running gateway restarts itself to use it",
        state=state,
    )
    return outcome(plan, True, "\n".join([said, *_unowned(place.config)]))


def _unowned(config: str) -> list[str]:
    """What is left for the person to set in OpenClaw."""
    found = setup.channels_without_owner(config)
    if not found:
        return []
    said = t(
        "on {channels} OpenClaw does not know who its owner is, so every chat there counts as a "
        "group; set commands.ownerAllowFrom in OpenClaw",
        channels=", ".join(found),
    )
    return [said]


def uninstall(args: Namespace) -> Outcome:
    plan = setup.plan_uninstall(home_of(args))
    if not plan.changes:
        return outcome(plan, False, t("nothing is installed"))
    if not agreed(args, plan):
        return outcome(plan, False, t("nothing was changed"))
    plan.carry_out()
    return outcome(plan, True, t("removed from OpenClaw; the memory itself is kept"))


def status(args: Namespace) -> Outcome:
    home = home_of(args)
    found, record = setup.parts(home), setup.recorded(home)
    extra = setup.missing_extra(record["state"], record["workspace"]) if record else ""
    unowned = setup.channels_without_owner(record["config"]) if record else []
    data = {"installed": bool(found), "parts": found, "missing": extra, "unowned": unowned}

    def show() -> None:
        if not found:
            print(t("nothing is installed"))
            return
        view.pairs([(_NAMES[one.name](), f"{_state(one.state)}  {one.path}") for one in found])
        if extra:
            print(t("long messages cannot be read: a package is not installed"))
            print(t(install_hint(), extra=extra))
        print("\n".join(_unowned(record["config"])), end="\n" if unowned else "")

    return Outcome(data, show)


_NAMES = {
    "skill": lambda: t("skill"),
    "plugin": lambda: t("plugin"),
    "slot": lambda: t("memory slot"),
    "entry": lambda: t("plugin allowed"),
    "rules": lambda: t("rules"),
    "heartbeat": lambda: t("48-hour check"),
    "path": lambda: t("workspace.path"),
    "others": lambda: t("workspace.others"),
}


def _state(state: str) -> str:
    said = {"there": t("there"), "missing": t("missing"), "edited": t("modified")}
    return said[state]
