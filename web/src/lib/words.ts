import { effect, signal } from "@preact/signals";
import { en } from "../words/en";
import { operations } from "../words/operations";
import { zh } from "../words/zh";
import { lasting } from "./store";

export type Key = keyof typeof en;
export type Language = "en" | "zh";

const TABLES: Record<Language, Record<Key, string>> = { en, zh };

function preferred(): Language {
  const chosen = lasting.get("language");
  if (chosen === "en" || chosen === "zh") return chosen;
  return navigator.language.toLowerCase().startsWith("zh") ? "zh" : "en";
}

export const language = signal<Language>(preferred());
effect(() => {
  document.documentElement.lang = locale();
});

export function speak(chosen: Language): void {
  language.value = chosen;
  lasting.set("language", chosen);
}

export function locale(): string {
  return language.value === "zh" ? "zh-CN" : "en-GB";
}

/** The words for `key`; `n` chooses between one and many. */
export function t(key: Key, values: Record<string, string | number> = {}): string {
  const forms = TABLES[language.value][key].split("|");
  const one = forms.length > 1 && Number(values.n) === 1;
  const form = (one ? forms[0] : forms.at(-1)) ?? key;
  return form.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = values[name] ?? "";
    return typeof value === "number" ? number(value) : value;
  });
}

/** Words for a value of the API, which may have one that this console does not know. */
export function tOr(key: string, fallback = key): string {
  return key in en ? t(key as Key) : fallback;
}

/** What a request of the API does. */
export function operation(name: string): string {
  return operations[name]?.[language.value] ?? name;
}

export function number(value: number, digits = 0): string {
  return new Intl.NumberFormat(locale(), { maximumFractionDigits: digits }).format(value);
}

export function bytes(value: number): string {
  const units = ["byte", "kilobyte", "megabyte", "gigabyte"];
  let at = 0;
  while (value >= 1000 && at < units.length - 1) {
    value /= 1000;
    at += 1;
  }
  return new Intl.NumberFormat(locale(), {
    style: "unit",
    unit: units[at]!,
    unitDisplay: at ? "short" : "long",
    maximumFractionDigits: value < 10 && at ? 1 : 0,
  }).format(value);
}

export function day(iso: string): string {
  return new Intl.DateTimeFormat(locale(), { dateStyle: "medium" }).format(new Date(iso));
}

/** A day without its year, where that is this one. */
export function dayOf(iso: string): string {
  const date = new Date(iso);
  const thisYear = date.getFullYear() === new Date().getFullYear();
  const year = thisYear ? {} : { year: "numeric" as const };
  return new Intl.DateTimeFormat(locale(), { day: "numeric", month: "long", ...year }).format(date);
}

export function weekday(iso: string): string {
  return new Intl.DateTimeFormat(locale(), { weekday: "long" }).format(new Date(iso));
}

export function moment(iso: string): string {
  return new Intl.DateTimeFormat(locale(), { dateStyle: "medium", timeStyle: "short" }).format(
    new Date(iso),
  );
}

export function clock(iso: string): string {
  return new Intl.DateTimeFormat(locale(), { timeStyle: "short" }).format(new Date(iso));
}

const STEPS: [Intl.RelativeTimeFormatUnit, number][] = [
  ["year", 31_557_600],
  ["month", 2_629_800],
  ["week", 604_800],
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
];

/** How long ago, or in how long. */
export function ago(iso: string, from = Date.now()): string {
  const seconds = (new Date(iso).getTime() - from) / 1000;
  for (const [unit, length] of STEPS) {
    if (Math.abs(seconds) >= length) {
      const format = new Intl.RelativeTimeFormat(locale(), { numeric: "auto" });
      return format.format(Math.trunc(seconds / length), unit);
    }
  }
  return t("now");
}
