// What can be done to a memory, with the way back where there is one.
import { at, send } from "./api";
import { act, tell } from "./toasts";
import type { Memory } from "./types";
import { t } from "./words";

const of = (memory: Memory, what = "") =>
  at(`/memories/${encodeURIComponent(memory.id)}${what ? `/${what}` : ""}`);

/** Run `back`, then say that it was undone and show what is so now. */
function undoing(back: () => Promise<unknown>, after: () => void) {
  return async () => {
    await back();
    tell(t("undone"));
    after();
  };
}

export function confirm(memory: Memory): Promise<boolean> {
  return act(() => send("POST", of(memory, "confirm"), { version: memory.version }), t("confirmed"));
}

export function reject(memory: Memory, after: () => void): Promise<boolean> {
  return act(
    () => send("POST", of(memory, "reject"), { version: memory.version }),
    t("rejected"),
    undoing(() => send("POST", of(memory, "unarchive")), after),
  );
}

/** Other words for a belief, which are certain because a person says so. */
export function correct(memory: Memory, content: string): Promise<boolean> {
  return act(async () => {
    const { version } = await send<Memory>("PATCH", of(memory), { version: memory.version, content });
    await send("POST", of(memory, "confirm"), { version });
  }, t("corrected"));
}

export function archive(memory: Memory, after: () => void): Promise<boolean> {
  return act(
    () => send("POST", of(memory, "archive"), { version: memory.version }),
    t("archived_done"),
    undoing(() => send("POST", of(memory, "unarchive")), after),
  );
}

export function unarchive(memory: Memory, after: () => void): Promise<boolean> {
  return act(
    () => send("POST", of(memory, "unarchive"), { version: memory.version }),
    t("unarchived_done"),
    undoing(() => send("POST", of(memory, "archive")), after),
  );
}

type Edits = Partial<Pick<Memory, "content" | "tags" | "importance" | "done">>;

export function edit(
  memory: Memory,
  edits: Edits,
  after: () => void,
  done = t("edited"),
): Promise<boolean> {
  const before = Object.fromEntries(
    Object.keys(edits).map((name) => [name, memory[name as keyof Edits]]),
  );
  return act(
    () => send("PATCH", of(memory), { version: memory.version, ...edits }),
    done,
    undoing(() => send("PATCH", of(memory), before), after),
  );
}
