import { effect, signal } from "@preact/signals";
import { lasting } from "./store";

export type Theme = "system" | "light" | "dark";

const chosen = lasting.get("theme");
export const theme = signal<Theme>(chosen === "light" || chosen === "dark" ? chosen : "system");
/** Counts changes, for what draws with colours that it has read: canvases and charts. */
export const painted = signal(0);

const system = matchMedia("(prefers-color-scheme: dark)");
system.addEventListener("change", () => (painted.value += 1));

effect(() => {
  const root = document.documentElement;
  if (theme.value === "system") delete root.dataset.theme;
  else root.dataset.theme = theme.value;
  lasting.set("theme", theme.value === "system" ? "" : theme.value);
  painted.value = painted.peek() + 1;
});

export function isDark(): boolean {
  return theme.value === "system" ? system.matches : theme.value === "dark";
}

export function switchTheme(): void {
  theme.value = isDark() ? "light" : "dark";
}
