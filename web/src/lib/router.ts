// Addresses are `#/space/page/id?field=value`: the server only ever sees `/`.
import { signal } from "@preact/signals";

export type Fields = Record<string, string>;

export interface Route {
  space: string;
  page: string;
  id: string;
  fields: Fields;
}

function read(): Route {
  const [path = "", query = ""] = location.hash.replace(/^#\/?/, "").split("?", 2);
  const [space = "", page = "", ...rest] = path.split("/").map(decoded);
  return {
    space,
    page: page || "today",
    id: rest.join("/"),
    fields: Object.fromEntries(new URLSearchParams(query)),
  };
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

export const route = signal<Route>(read());

/** The address of a page of a space, by default the one that is shown. */
export function to(page: string, id = "", fields: Fields = {}, space = route.value.space): string {
  const parts = [space, page, id].filter((part, at) => part || at < 2).map(encodeURIComponent);
  const filled = Object.entries(fields).filter(([, value]) => value);
  const query = new URLSearchParams(filled).toString();
  return `#/${parts.join("/")}${query ? `?${query}` : ""}`;
}

export function go(address: string): void {
  location.hash = address;
}

/** Change the address without a step in the browser's history. */
export function replace(address: string): void {
  history.replaceState(null, "", address);
  route.value = read();
}

addEventListener("hashchange", () => {
  route.value = read();
});
