import { useState } from "preact/hooks";
import { at, get, send, type Values } from "../../lib/api";
import { type Page, useLoad, usePages } from "../../lib/load";
import { type Fields, route, to } from "../../lib/router";
import type { Item, Memory, Recall } from "../../lib/types";
import { type Key, number, t, tOr } from "../../lib/words";
import { AddButton } from "../../ui/add";
import { Count, Holds, KindSign, MemoryRow, pastClass, Row, Tags, When } from "../../ui/memory";
import { Empty, More, Shown } from "../../ui/states";
import { Marked, Name } from "../../ui/text";
import { FILTERS } from "./filters";

const FACTS = 10;

/** The filters that are set, as the API takes them: a day ends when it is over. */
function asked(fields: Fields): Fields {
  const set = Object.fromEntries(
    FILTERS.filter((name) => fields[name]).map((name) => [name, fields[name]!]),
  );
  if (set.until) set.until = `${set.until}T23:59:59`;
  if (set.as_of) set.as_of = `${set.as_of}T23:59:59`;
  return set;
}

/** Without words to look for: the memories that the filters leave, newest first. */
export function Browse({ fields }: { fields: Fields }) {
  const { as_of, ...filters } = asked(fields);
  const list = usePages<Memory>(
    `${route.value.space} ${JSON.stringify(filters)}`,
    (cursor, signal) =>
      get<Page<Memory>>(at("/memories"), { ...filters, limit: 30, cursor }, signal),
  );
  return (
    <Shown from={list}>
      {({ items }) =>
        as_of ? (
          <Empty title={t("as_of")} hint={t("as_of_query")} />
        ) : items.length ? (
          <>
            <ul class="rows">
              {items.map((memory) => (
                <MemoryRow key={memory.id} memory={memory} />
              ))}
            </ul>
            <More more={list.more} loading={list.loadingMore} />
          </>
        ) : Object.keys(filters).length ? (
          <Empty title={t("browse_none")} hint={t("browse_none_hint")} />
        ) : (
          <Empty title={t("browse_none")} hint={t("nothing_ever_hint")}>
            <AddButton />
          </Empty>
        )
      }
    </Shown>
  );
}

export function Results({ fields }: { fields: Fields }) {
  const { state, ...filters } = asked(fields);
  const body = { ...filters, query: fields.q!.trim(), top: 30, budget: 20_000 };
  const found = useLoad(`${route.value.space} ${JSON.stringify(body)}`, (signal) =>
    knownAndSaid(body, signal),
  );
  return (
    <Shown from={found}>
      {({ recall, known, said }) => {
        const holds = (item: Item) => !state || item.state === state;
        const groups: [Key, Item[]][] = [
          ["found_known", known.filter(holds)],
          ["found_said", said.filter(holds)],
        ];
        const items = groups.flatMap(([, some]) => some);
        if (!items.length) return <Empty title={t("found_none")} hint={t("found_none_hint")} />;
        const best = Math.max(...items.map((item) => item.score));
        return (
          <div class={found.loading ? "stale" : ""}>
            <p class="muted small" role="status">
              {t("found_in", { n: items.length, ms: number(recall.elapsed_ms) })}
              {recall.unsure && ` ${t("unsure")}`}
            </p>
            <Legend items={items} />
            {groups
              .filter(([, some]) => some.length)
              .map(([title, some]) => (
                <section key={title} class="group">
                  <h2>
                    {t(title)} <Count value={some.length} />
                  </h2>
                  <ul class="rows">
                    {some.map((item) => (
                      <Found key={item.id} item={item} best={best} />
                    ))}
                  </ul>
                </section>
              ))}
          </div>
        );
      }}
    </Shown>
  );
}

/** Memories, then messages and notes. An agent is given a fact or the message that says it, whichever
 * fits better; a person wants to see what is known, so facts are asked for by themselves too. */
async function knownAndSaid(body: Values & { kind?: string }, signal: AbortSignal) {
  const ask = (more: Values) => send<Recall>("POST", at("/recall"), { ...body, ...more }, signal);
  const [recall, facts] = await Promise.all([
    ask({}),
    body.kind ? undefined : ask({ kind: "fact", top: FACTS }),
  ]);
  const isSaid = ({ kind }: Item) => kind === "turn" || kind === "note";
  const known = new Map(
    [...recall.items.filter((item) => !isSaid(item)), ...(facts?.items ?? [])].map((item) => [
      item.id,
      item,
    ]),
  );
  return {
    recall,
    known: [...known.values()].sort((one, other) => other.score - one.score),
    said: recall.items.filter(isSaid),
  };
}

/** Where a result leads: a memory to its page, a message to its conversation. */
function address(item: Item): string | undefined {
  if (item.kind === "turn")
    return to("timeline", "", { session: item.sources[0]?.session ?? "", turn: item.id });
  return item.kind === "note" ? undefined : to("memory", item.id);
}

function Found({ item, best }: { item: Item; best: number }) {
  const href = address(item);
  const words = <Marked text={item.content} words={item.why.words ?? []} />;
  const who = item.why.speaker;
  const file = item.sources.find((source) => source.file)?.file;
  return (
    <Row {...(href ? { href } : {})}>
      {href ? (
        <a class={`row-words ${item.kind === "turn" ? "" : pastClass(item)}`} href={href}>
          {words}
        </a>
      ) : (
        <p class="row-words">{words}</p>
      )}
      <p class="meta">
        <KindSign kind={item.kind} />
        <When at={item.at} />
        {who && (
          <span>
            <Name text={tOr(who)} />
          </span>
        )}
        {item.why.origin && item.why.origin !== "user" && item.why.origin !== who && (
          <span>{t("by", { who: tOr(`origin_${item.why.origin}`, item.why.origin) })}</span>
        )}
        {file && <Name text={file} />}
        <Holds memory={item} />
        <Tags of={item.tags ?? []} />
      </p>
      <Why item={item} best={best} />
    </Row>
  );
}

/** The colour of each way to be found, the same for every result; all others share the last. */
const COLOURS: Record<string, number> = {
  words: 0,
  text: 0,
  linked: 1,
  related: 2,
  alike: 3,
  meaning: 3,
  vector: 3,
  attribute: 4,
  entity: 4,
  label: 4,
  around: 5,
  beside: 5,
};

const LEGEND: Key[] = [
  "why_words",
  "why_linked",
  "why_related",
  "why_meaning",
  "legend_names",
  "why_around",
  "legend_others",
];

function part(name: string): string {
  return `part-${COLOURS[name] ?? 6}`;
}

/** What each colour stands for, of those that are shown. */
function Legend({ items }: { items: Item[] }) {
  const shown = new Set(items.flatMap(({ why }) => Object.keys(why.routes ?? {}).map(part)));
  return (
    <ul class="legend scores" aria-label={t("legend")}>
      {LEGEND.map(
        (name, at) =>
          shown.has(`part-${at}`) && (
            <li key={name}>
              <i class={`part-${at}`} />
              {t(name)}
            </li>
          ),
      )}
      <li>{t("legend_hint")}</li>
    </ul>
  );
}

/** The parts of a score as a bar; open, with their names and what they were multiplied by. */
function Why({ item, best }: { item: Item; best: number }) {
  const [open, setOpen] = useState(false);
  const routes = Object.entries(item.why.routes ?? {}).filter(([, value]) => value >= 0.005);
  const factors = Object.entries(item.why.factors ?? {}).filter(
    ([, value]) => Math.abs(value - 1) >= 0.005,
  );
  const sum = routes.reduce((total, [, value]) => total + value, 0) || 1;
  const label = (name: string) => tOr(`why_${name}`, name);
  return (
    <div class="why">
      <button
        type="button"
        class="bar"
        aria-expanded={open}
        aria-label={`${t("why")}: ${routes.map(([name, value]) => `${label(name)} ${number(value, 2)}`).join(", ")}`}
        onClick={() => setOpen(!open)}
      >
        <span class="bar-fill" style={{ width: `${(100 * item.score) / best}%` }}>
          {routes.map(([name, value]) => (
            <span
              key={name}
              class={`part ${part(name)}`}
              title={`${label(name)} ${number(value, 2)}`}
              style={{ flexGrow: value / sum }}
            />
          ))}
        </span>
      </button>
      {open && (
        <ul class="legend">
          {routes.map(([name, value]) => (
            <li key={name}>
              <i class={part(name)} />
              {label(name)} {number(value, 2)}
            </li>
          ))}
          {factors.map(([name, value]) => (
            <li key={name} class="factor">
              {label(name)} ×{number(value, 2)}
            </li>
          ))}
          <li class="score">{t("why_score", { score: number(item.score, 2) })}</li>
        </ul>
      )}
    </div>
  );
}
