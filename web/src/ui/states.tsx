// What stands where data will be, or is not.
import type { ComponentChildren } from "preact";
import type { ApiError } from "../lib/api";
import type { Loaded } from "../lib/load";
import { t } from "../lib/words";
import { Sentence } from "./text";
import { Mark } from "./icons";

export function Empty({
  title,
  hint,
  children,
}: {
  title: string;
  hint?: string;
  children?: ComponentChildren;
}) {
  return (
    <div class="empty">
      <Mark />
      <p class="empty-title">{title}</p>
      {hint && (
        <p>
          <Sentence text={hint} />
        </p>
      )}
      {children}
    </div>
  );
}

export function Trouble({ error, retry }: { error: ApiError; retry?: () => void }) {
  return (
    <div class="trouble" role="alert">
      <p class="trouble-title">
        <Sentence text={error.message} />
      </p>
      {error.hint && (
        <p>
          <Sentence text={error.hint} />
        </p>
      )}
      {retry && (
        <button type="button" onClick={retry}>
          {t("retry")}
        </button>
      )}
    </div>
  );
}

export function Skeleton({ rows = 5 }: { rows?: number }) {
  return (
    <div class="skeleton" role="status" aria-label={t("loading")}>
      {Array.from({ length: rows }, (_, at) => (
        <div key={at} />
      ))}
    </div>
  );
}

/** What was loaded, or what stands for it. An error does not take away what is shown already. */
export function Shown<T>({
  from,
  rows,
  children,
}: {
  from: Loaded<T>;
  rows?: number;
  children: (data: T) => ComponentChildren;
}) {
  return (
    <>
      {from.error && <Trouble error={from.error} retry={from.reload} />}
      {from.data !== undefined
        ? children(from.data)
        : !from.error && <Skeleton {...(rows ? { rows } : {})} />}
    </>
  );
}

/** A button for the next page of a list, which comes by itself when it is seen. */
export function More({ more, loading }: { more: (() => void) | undefined; loading: boolean }) {
  if (!more) return null;
  return (
    <p class="more">
      <button type="button" onClick={more} disabled={loading}>
        {loading ? t("loading") : t("more")}
      </button>
    </p>
  );
}

export function Advance({ label }: { label: string }) {
  return (
    <div class="advance" role="status">
      <label>
        <span>{label}</span>
        <progress />
      </label>
    </div>
  );
}
