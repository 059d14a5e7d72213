import { computed, effect, signal, untracked } from "@preact/signals";
import { problemOf } from "./api";
import { route } from "./router";
import { t } from "./words";

export interface Toast {
  no: number;
  text: string;
  hint: string;
  bad: boolean;
  undo: (() => Promise<unknown>) | undefined;
}

export const toasts = signal<Toast[]>([]);
const place = computed(() => [route.value.space, route.value.page, route.value.id].join("/"));
let count = 0;
const STAY = 8000;

function show(toast: Omit<Toast, "no">): void {
  const no = ++count;
  toasts.value = [...toasts.value.slice(-2), { ...toast, no }];
  setTimeout(() => dismiss(no), STAY);
}

export function dismiss(no: number): void {
  toasts.value = toasts.value.filter((toast) => toast.no !== no);
}

// What failed on one page is no news on the next.
effect(() => {
  void place.value;
  toasts.value = untracked(() => toasts.value).filter(({ bad }) => !bad);
});

export function tell(text: string, undo?: () => Promise<unknown>): void {
  show({ text, hint: "", bad: false, undo });
}

export function complain(error: unknown): void {
  const { message, hint } = problemOf(error);
  show({ text: message || t("problem"), hint, bad: true, undo: undefined });
}

/** Do something, and say that it was done or why not; what came of it, if it was. */
export async function act<T>(
  what: () => Promise<T>,
  done: string,
  undo?: () => Promise<unknown>,
): Promise<T | undefined> {
  try {
    const found = await what();
    tell(done, undo);
    return found;
  } catch (error) {
    complain(error);
    return undefined;
  }
}
