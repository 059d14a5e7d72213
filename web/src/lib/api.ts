// Asks the server. The token goes into a header of each request, never into a cookie or an address.
import { signal } from "@preact/signals";
import { route } from "./router";
import { tab } from "./store";
import { locale, t, tOr } from "./words";

export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly hint = "",
  ) {
    super(message);
  }
}

/** Whatever went wrong, as something that can be shown. */
export function problemOf(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  return new ApiError(0, "defect", error instanceof Error ? error.message : String(error));
}

export type Values = Record<string, string | number | boolean | string[] | null | undefined>;

interface Asked {
  method?: string;
  body?: unknown;
  signal?: AbortSignal | undefined;
  /** Statuses of failure that are an answer all the same. */
  also?: number[];
}

/** Whether the server wants a token that we do not have. */
export const locked = signal(false);
/** Why the token that came with the address did not open the door. */
export const lockedWhy = signal<"" | "wrong" | "used">("");
const token = signal(tab.get("token"));
export const signedIn = token;

export function useToken(value: string): void {
  token.value = value;
  tab.set("token", value);
  locked.value = false;
}

export function signOut(): void {
  useToken("");
  locked.value = true;
  lockedWhy.value = "";
}

async function ask(path: string, { method = "GET", body, signal, also }: Asked): Promise<Response> {
  const headers: Record<string, string> = {
    Accept: "application/json",
    "Accept-Language": locale(),
  };
  if (token.value) headers.Authorization = `Bearer ${token.value}`;
  if (body !== undefined) headers["Content-Type"] = "application/json";
  let answer: Response;
  try {
    answer = await fetch(path, {
      method,
      headers,
      body: body === undefined ? null : JSON.stringify(body),
      signal: signal ?? null,
      cache: "no-store",
      credentials: "omit",
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new ApiError(0, "offline", t("offline"), t("offline_hint"));
  }
  if (!answer.ok && !also?.includes(answer.status)) throw await refusal(answer);
  return answer;
}

async function refusal(answer: Response): Promise<ApiError> {
  if (answer.status === 401) {
    if (token.value) lockedWhy.value = "wrong";
    useToken("");
    locked.value = true;
  }
  const said = (await answer.json().catch(() => null)) as Problem | null;
  return errorOf(said, answer.status, answer.statusText);
}

interface Problem {
  error?: { code?: string; message?: string; hint?: string };
}

function errorOf(said: Problem | null, status: number, fallback: string): ApiError {
  const { code = "", message = "", hint = "" } = said?.error ?? {};
  const more = hintFor(code, hint) || (status === 403 ? t("forbidden_hint") : "");
  return new ApiError(status, code, message || fallback || t("problem"), more);
}

/** A command of the terminal is no help here: what the console says instead, or nothing. */
function hintFor(code: string, hint: string): string {
  return hint.includes("`loxodon ") ? tOr(`hint_${code}`, "") : hint;
}

function query(values: Values): string {
  const fields = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) {
    if (value === undefined || value === null || value === "") continue;
    if (Array.isArray(value)) value.forEach((one) => fields.append(name, one));
    else fields.set(name, String(value));
  }
  const text = fields.toString();
  return text ? `?${text}` : "";
}

/** The address of something in the space that is shown. */
export function at(path: string): string {
  return `/v1/spaces/${encodeURIComponent(route.value.space)}${path}`;
}

export async function get<T>(
  path: string,
  values: Values = {},
  signal?: AbortSignal,
  also: number[] = [],
): Promise<T> {
  return (await (await ask(path + query(values), { signal, also })).json()) as T;
}

export async function send<T>(
  method: "POST" | "PATCH" | "DELETE" | "PUT",
  path: string,
  body: unknown = {},
  signal?: AbortSignal,
): Promise<T> {
  return (await (await ask(path, { method, body, signal })).json()) as T;
}
