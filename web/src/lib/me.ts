// Who looks, and what they may do.
import { computed, signal } from "@preact/signals";
import { get, locked, lockedWhy, problemOf, send, signedIn, useToken } from "./api";
import { go, route, to } from "./router";
import { lasting } from "./store";
import { shareToken, tokenOfAnotherTab } from "./tabs";
import type { Me } from "./types";

export const me = signal<Me | undefined>(undefined);
export const trouble = signal<ReturnType<typeof problemOf> | undefined>(undefined);
export const mayWrite = computed(
  () => me.value?.rights === "owner" || me.value?.rights === "write",
);
export const mayAll = computed(() => me.value?.rights === "owner" && !me.value.agent);

/** The code of a link from `loxodon ui`: taken out of the address before anything else sees it. */
export async function arrive(): Promise<void> {
  shareToken(() => signedIn.value);
  const given = new URLSearchParams(location.hash.replace(/^#/, ""));
  const code = given.get("code");
  if (code) {
    const space = given.get("space") ?? "";
    history.replaceState(null, "", space ? to("today", "", {}, space) : "#/");
    route.value = { space, page: "today", id: "", fields: {} };
    try {
      useToken((await send<{ token: string }>("POST", "/v1/exchange", { code })).token);
    } catch (error) {
      if (problemOf(error).status === 401) lockedWhy.value = "used";
      else trouble.value = problemOf(error);
      return;
    }
  }
  await meet();
  if (!locked.value || lockedWhy.value) return;
  const token = await tokenOfAnotherTab();
  if (!token) return;
  useToken(token);
  await meet();
}

/** Ask who we are; the first request of every visit. */
export async function meet(): Promise<void> {
  trouble.value = undefined;
  try {
    me.value = await get<Me>("/v1/me");
    locked.value = false;
    settle(me.value.spaces);
  } catch (error) {
    me.value = undefined;
    if (!locked.value) trouble.value = problemOf(error);
  }
}

/** Show a space that there is: the one of the address, the last one, or the first. */
function settle(spaces: string[]): void {
  const { space, page, id, fields } = route.value;
  const known = [space, lasting.get("space"), "main"].find((name) => spaces.includes(name));
  const chosen = known ?? spaces[0] ?? "";
  if (chosen !== space) {
    history.replaceState(null, "", to(page, id, fields, chosen));
    route.value = { space: chosen, page, id, fields };
  }
}

export function enter(space: string): void {
  lasting.set("space", space);
  const { page } = route.value;
  go(to(page === "memory" ? "today" : page, "", {}, space));
}
