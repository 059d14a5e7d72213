// The pages, in the order of the menu: `go` is the key after g. Each is a file of its own that is
// loaded when it is first shown.
import type { ComponentType } from "preact";
import type { Key } from "./lib/words";
import { lazy } from "./ui/lazy";

type Load = () => Promise<{ default: ComponentType }>;

export interface PageInfo {
  name: Key;
  go: string;
  load: Load;
  show: ComponentType;
}

function page(name: Key, go: string, load: Load): PageInfo {
  return { name, go, load, show: lazy(load) };
}

export const PAGES: PageInfo[] = [
  page("today", "t", () => import("./pages/today")),
  page("search", "s", () => import("./pages/search")),
  page("people", "g", () => import("./pages/people")),
  page("timeline", "l", () => import("./pages/timeline")),
  page("profile", "p", () => import("./pages/profile")),
  page("health", "h", () => import("./pages/health")),
];

/** Pages that other pages lead to. */
const INNER: PageInfo[] = [page("memory", "", () => import("./pages/memory"))];

export function pageNamed(name: string): PageInfo | undefined {
  return [...PAGES, ...INNER].find((one) => one.name === name);
}
