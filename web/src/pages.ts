// The pages, in the order of the menu: `go` is the key after g. Each is a file of its own that is
// loaded when it is first shown.
import type { ComponentType } from "preact";
import type { Key } from "./lib/words";
import { lazy } from "./ui/lazy";

export interface PageInfo {
  name: Key;
  go: string;
  show: ComponentType;
}

export const PAGES: PageInfo[] = [
  { name: "today", go: "t", show: lazy(() => import("./pages/today")) },
  { name: "search", go: "s", show: lazy(() => import("./pages/search")) },
  { name: "people", go: "g", show: lazy(() => import("./pages/people")) },
  { name: "timeline", go: "l", show: lazy(() => import("./pages/timeline")) },
  { name: "profile", go: "p", show: lazy(() => import("./pages/profile")) },
  { name: "health", go: "h", show: lazy(() => import("./pages/health")) },
];

/** Pages that other pages lead to. */
export const INNER: PageInfo[] = [{ name: "memory", go: "", show: lazy(() => import("./pages/memory")) }];
