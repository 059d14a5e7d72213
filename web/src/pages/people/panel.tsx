// Beside the graph: everyone as a list, or the one that was chosen.
import { useMemo, useState } from "preact/hooks";
import { at, get } from "../../lib/api";
import { type Page, usePages } from "../../lib/load";
import { route, to } from "../../lib/router";
import type { Memory } from "../../lib/types";
import { day, t, tOr } from "../../lib/words";
import { Icon } from "../../ui/icons";
import { MemoryRow, Row } from "../../ui/memory";
import { More, Shown } from "../../ui/states";
import { Name } from "../../ui/text";
import { type EdgeData, type GraphData, type NodeData, shade } from "./types";

const LISTED = 40;

/** The name of a node; the user is "You". */
export function called(node: NodeData): string {
  return node.name === "user" ? t("user") : node.name;
}

/** What the one is for the other; empty where memories only name both. */
export function tied({ labels: [label = ""] }: EdgeData): string {
  return tOr(`tie_${label}`, label);
}

/** Since when it is known, or until when. */
export function span(node: NodeData): string {
  return node.ended_at
    ? t("until_day", { day: day(node.ended_at) })
    : t("since_day", { day: day(node.first_at) });
}

export function Panel({
  data,
  node,
  choose,
}: {
  data: GraphData;
  node: NodeData | undefined;
  choose: (id: string) => void;
}) {
  return (
    <aside class="panel" aria-label={t("people_title")}>
      {node ? (
        <Chosen data={data} node={node} choose={choose} />
      ) : (
        <Everyone data={data} choose={choose} />
      )}
    </aside>
  );
}

function Everyone({ data, choose }: { data: GraphData; choose: (id: string) => void }) {
  const [sought, setSought] = useState("");
  const found = useMemo(() => {
    const words = sought.trim().toLowerCase();
    const named = (node: NodeData) => [called(node), node.name, ...node.aliases];
    return data.nodes.filter(
      (node) => !words || named(node).some((name) => name.toLowerCase().includes(words)),
    );
  }, [data, sought]);
  return (
    <>
      <input
        type="search"
        data-search
        dir="auto"
        aria-label={t("find_node")}
        placeholder={t("find_node")}
        value={sought}
        onInput={(event) => setSought(event.currentTarget.value)}
        onKeyDown={(event) => {
          const first = found[0];
          if (event.key === "Enter" && first) choose(first.id);
        }}
      />
      <ul class="rows">
        {found.slice(0, LISTED).map((node) => (
          <Row key={node.id} keys={{ Enter: () => choose(node.id) }}>
            <button type="button" class="node" onClick={() => choose(node.id)}>
              <i class={node.ended_at ? "over" : shade(node.type).slice(2)} />
              <span class={node.ended_at ? "past ended" : ""}>
                <Name text={called(node)} />
              </span>
              <span class="muted small">{t("n_memories", { n: node.memories })}</span>
            </button>
          </Row>
        ))}
      </ul>
    </>
  );
}

function Chosen({
  data,
  node,
  choose,
}: {
  data: GraphData;
  node: NodeData;
  choose: (id: string) => void;
}) {
  const list = usePages<Memory>(`${route.value.space} ${node.id}`, (cursor, signal) =>
    get<Page<Memory>>(at("/memories"), { entity: node.name, limit: 15, cursor }, signal),
  );
  return (
    <>
      <button type="button" class="link back" onClick={() => choose("")}>
        <Icon name="back" /> {t("people")}
      </button>
      <h2 class={node.ended_at ? "past ended" : ""}>
        <Name text={called(node)} />
      </h2>
      <p class="muted small">
        {tOr(`type_${node.type}`)} · <span class={node.ended_at ? "gone" : ""}>{span(node)}</span>
        {node.aliases.length > 0 && (
          <>
            {" · "}
            <Name text={node.aliases.join(", ")} />
          </>
        )}
      </p>
      <Ties data={data} node={node} choose={choose} />
      <Shown from={list} rows={3}>
        {({ items }) => (
          <>
            <ul class="rows">
              {items.map((memory) => (
                <MemoryRow key={memory.id} memory={memory} />
              ))}
            </ul>
            <More more={list.more} loading={list.loadingMore} />
          </>
        )}
      </Shown>
      <p>
        <a href={to("search", "", { entity: node.name })}>{t("search")}</a>
      </p>
    </>
  );
}

/** Whom it is tied to, strongest first: each leads on. */
function Ties({
  data,
  node,
  choose,
}: {
  data: GraphData;
  node: NodeData;
  choose: (id: string) => void;
}) {
  const known = useMemo(() => new Map(data.nodes.map((one) => [one.id, one])), [data]);
  const ties = data.edges
    .filter(({ source, target }) => source === node.id || target === node.id)
    .sort((one, other) => other.weight - one.weight)
    .slice(0, 12);
  if (!ties.length) return null;
  return (
    <ul class="ties">
      {ties.map((edge) => {
        const other = known.get(edge.source === node.id ? edge.target : edge.source);
        if (!other) return null;
        return (
          <li key={other.id}>
            <button type="button" class="tag" onClick={() => choose(other.id)}>
              <span class={other.ended_at ? "past ended" : ""}>
                <Name text={called(other)} />
              </span>
              {tied(edge) && (
                <span class="muted">
                  <Name text={tied(edge)} />
                </span>
              )}
            </button>
          </li>
        );
      })}
    </ul>
  );
}
