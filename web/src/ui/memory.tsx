// A memory in a list, and the small signs that go with it.
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { go, to } from "../lib/router";
import type { Memory, Turn } from "../lib/types";
import { day, moment, number, t, tOr } from "../lib/words";
import { Name, Words } from "./text";

export function When({ at, time = false }: { at: string; time?: boolean }) {
  return (
    <time dateTime={at} title={moment(at)}>
      {time ? moment(at) : day(at)}
    </time>
  );
}

export function KindSign({ kind }: { kind: string }) {
  return <span class={`kind kind-${kind}`}>{tOr(kind)}</span>;
}

/** A share of one as a short bar. */
export function Meter({ label, value }: { label: string; value: number }) {
  const share = Math.max(0, Math.min(1, value));
  const percent = Math.round(share * 100);
  return (
    <span
      class="meter"
      role="img"
      aria-label={`${label} ${percent}%`}
      title={`${label} ${percent}%`}
    >
      <span style={{ width: `${percent}%` }} />
    </span>
  );
}

type Lasting = Pick<Memory, "state"> & Partial<Pick<Memory, "valid_until" | "done">>;

function ended({ valid_until }: Lasting): boolean {
  return Boolean(valid_until) && new Date(valid_until!).getTime() <= Date.now();
}

/** How words look that are no longer so, are put away, or are done. */
export function pastClass(memory: Lasting): string {
  if (ended(memory) || memory.done) return "past ended";
  return memory.state === "archived" ? "past" : "";
}

/** Whether it still holds. */
export function Holds({ memory }: { memory: Lasting }) {
  if (ended(memory))
    return <span class="gone">{t("until_day", { day: day(memory.valid_until!) })}</span>;
  if (memory.done) return <span class="gone">{t("mark_done")}</span>;
  if (memory.state === "archived") return <span class="gone">{t("archived")}</span>;
  return null;
}

export function Tags({ of }: { of: string[] }) {
  return (
    <>
      {of.slice(0, 6).map((tag) => (
        <a key={tag} class="tag" href={to("search", "", { tag })}>
          <Name text={tag} />
        </a>
      ))}
    </>
  );
}

export function Meta({ memory, children }: { memory: Memory; children?: ComponentChildren }) {
  return (
    <p class="meta">
      <KindSign kind={memory.kind} />
      <When at={memory.valid_from ?? memory.created_at} />
      {memory.kind === "belief" && (
        <span>{t("percent_sure", { n: Math.round(memory.confidence * 100) })}</span>
      )}
      {memory.trust !== "user" && (
        <span>{t("by", { who: tOr(`origin_${memory.trust}`, memory.trust) })}</span>
      )}
      <Holds memory={memory} />
      {children}
      <Meter label={t("strength")} value={memory.strength} />
      <Tags of={memory.tags} />
    </p>
  );
}

/** A row that j and k reach; Enter opens it. When it goes, the next one has the focus. */
export function Row({
  href,
  keys = {},
  children,
}: {
  href?: string;
  keys?: Record<string, () => void>;
  children: ComponentChildren;
}) {
  const at = useRef<HTMLLIElement>(null);
  useLayoutEffect(() => {
    const row = at.current!;
    return () => {
      if (!row.contains(document.activeElement)) return;
      const rows = [...document.querySelectorAll<HTMLElement>("main [data-row]")];
      const here = rows.indexOf(row);
      const next = rows[here + 1] ?? rows[here - 1];
      queueMicrotask(() => next?.focus());
    };
  }, []);
  const press = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const here = event.target === event.currentTarget;
    const doing =
      keys[event.key] ?? (event.key === "Enter" && here && href ? () => go(href) : undefined);
    if (!doing) return;
    event.preventDefault();
    event.stopPropagation();
    doing();
  };
  return (
    <li ref={at} class="row" data-row tabIndex={-1} onKeyDown={press}>
      {children}
    </li>
  );
}

export function MemoryRow({ memory, children }: { memory: Memory; children?: ComponentChildren }) {
  const href = to("memory", memory.id);
  return (
    <Row href={href}>
      <a class={`row-words ${pastClass(memory)}`} href={href}>
        <Words text={memory.content} most={400} />
      </a>
      <Meta memory={memory}>{children}</Meta>
    </Row>
  );
}

export function Memories({ of }: { of: Memory[] }) {
  return (
    <ul class="rows">
      {of.map((memory) => (
        <MemoryRow key={memory.id} memory={memory} />
      ))}
    </ul>
  );
}

/** A conversation; what was saved rather than said has one of its own. */
export function SessionName({ name }: { name: string }) {
  return <Name text={name === "capture" ? t("saved_directly") : name} />;
}

/** A message of the journal. */
export function Said({ turn, source = false }: { turn: Turn; source?: boolean }) {
  return (
    <li class={`said said-${turn.role}${source ? " source" : ""}`}>
      <p class="who">
        <Name text={turn.speaker || tOr(turn.role)} />
        <When at={turn.at} time />
      </p>
      <Words text={turn.content} most={source ? 1200 : 400} />
    </li>
  );
}

export function Count({ value }: { value: number }) {
  return <span class="count">{number(value)}</span>;
}
