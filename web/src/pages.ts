// The pages, in the order of the menu: `go` is the key after g. Each is a file of its own that is
// loaded when it is first shown.
import type { ComponentType } from "preact";
import type { Key } from "./lib/words";

export interface PageInfo {
  name: Key;
  go: string;
  load: () => Promise<{ default: ComponentType }>;
}

export const PAGES: PageInfo[] = [
  { name: "today", go: "t", load: () => import("./pages/today") },
  { name: "search", go: "s", load: () => import("./pages/search") },
  { name: "people", go: "g", load: () => import("./pages/people") },
  { name: "timeline", go: "l", load: () => import("./pages/timeline") },
  { name: "profile", go: "p", load: () => import("./pages/profile") },
];

/** Pages that other pages lead to. */
export const INNER: PageInfo[] = [{ name: "memory", go: "", load: () => import("./pages/memory") }];
