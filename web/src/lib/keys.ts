// The keyboard. A page binds keys while it is shown; `?` lists those that are known.
import { useEffect } from "preact/hooks";
import { signal } from "@preact/signals";
import { PAGES } from "../pages";
import { mayWrite } from "./me";
import { go, to } from "./router";
import { switchTheme } from "./theme";
import { language, speak } from "./words";

export const helpOpen = signal(false);
export const addOpen = signal(false);
type Doing = (event: KeyboardEvent) => void;
const bound: Record<string, Doing>[] = [];

/** Bind keys while a component is shown; the latest binding of a key counts. */
export function useKeys(keys: Record<string, Doing>): void {
  useEffect(() => {
    bound.push(keys);
    return () => void bound.splice(bound.indexOf(keys), 1);
  });
}

const GENERAL: Record<string, Doing> = {
  "?": () => (helpOpen.value = true),
  "/": () => focusSearch(),
  c: () => (addOpen.value = mayWrite.value),
  j: () => step(1),
  k: () => step(-1),
  D: () => switchTheme(),
  L: () => speak(language.value === "en" ? "zh" : "en"),
};

function focusSearch(): void {
  const field = document.querySelector<HTMLInputElement>("[data-search]");
  if (field) field.focus();
  else go(to("search"));
}

/** Move the focus through the rows of a list. */
function step(by: number): void {
  const rows = [...document.querySelectorAll<HTMLElement>("main [data-row]")];
  const here = rows.findIndex((row) => row.contains(document.activeElement));
  const next = rows[here < 0 ? (by > 0 ? 0 : rows.length - 1) : here + by];
  next?.focus();
  next?.scrollIntoView({ block: "nearest" });
}

function isField(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  );
}

let going = false;

export function listen(): void {
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    if (isField(event.target)) {
      if (event.key === "Escape") (event.target as HTMLElement).blur();
      return;
    }
    if (document.querySelector("dialog[open]")) return;
    const place = going ? PAGES.find((page) => page.go === event.key) : undefined;
    const doing = bound.findLast((keys) => event.key in keys)?.[event.key] ?? GENERAL[event.key];
    going = !going && event.key === "g";
    if (place) go(to(place.name));
    else if (doing && !going) doing(event);
    else return;
    event.preventDefault();
  });
}
