// What can be done to a memory, with the way back where there is one.
import { at, send } from "./api";
import { act, complain, tell } from "./toasts";
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

/** What came of it; undefined where it failed, which was said. */
type Done = Promise<Memory | undefined>;

const post = (memory: Memory, what: string) =>
  send<Memory>("POST", of(memory, what), { version: memory.version });

/** A belief becomes a fact, which is another memory. */
export function confirm(memory: Memory): Done {
  return act(() => post(memory, "confirm"), t("confirmed"));
}

export function reject(memory: Memory, after: () => void): Done {
  const back = undoing(() => send("POST", of(memory, "unarchive")), after);
  return act(() => post(memory, "reject"), t("rejected"), back);
}

/** Other words for a belief, which are certain because a person says so. What fails is thrown. */
export async function correct(memory: Memory, content: string): Promise<void> {
  const edits = { version: memory.version, content };
  await post(await send<Memory>("PATCH", of(memory), edits), "confirm");
  tell(t("corrected"));
}

export function archive(memory: Memory, after: () => void): Done {
  const back = undoing(() => send("POST", of(memory, "unarchive")), after);
  return act(() => post(memory, "archive"), t("archived_done"), back);
}

export function unarchive(memory: Memory, after: () => void): Done {
  const back = undoing(() => send("POST", of(memory, "archive")), after);
  return act(() => post(memory, "unarchive"), t("unarchived_done"), back);
}

type Edits = Partial<Pick<Memory, "content" | "tags" | "importance" | "done">>;

/** Save over this version of a memory. What fails is thrown. */
export async function save(
  memory: Memory,
  edits: Edits,
  after: () => void,
  said = t("edited"),
): Promise<Memory> {
  const names = Object.keys(edits) as (keyof Edits)[];
  const before = Object.fromEntries(names.map((name) => [name, memory[name]]));
  const done = await send<Memory>("PATCH", of(memory), { version: memory.version, ...edits });
  tell(
    said,
    undoing(() => send("PATCH", of(memory), before), after),
  );
  return done;
}

export function edit(memory: Memory, edits: Edits, after: () => void, said: string): Done {
  return save(memory, edits, after, said).catch((error: unknown) => {
    complain(error);
    return undefined;
  });
}
