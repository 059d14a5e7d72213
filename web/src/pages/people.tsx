// People and things as a graph: click to walk, hover to read, search to find, a slider for time.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { at, get } from "../lib/api";
import { useLoad } from "../lib/load";
import { go, replace, route, to } from "../lib/router";
import { painted } from "../lib/theme";
import { day, language, number, t } from "../lib/words";
import { AddButton } from "../ui/add";
import { Icon } from "../ui/icons";
import { Empty, Shown } from "../ui/states";
import { Name } from "../ui/text";
import { Drawing } from "./people/drawing";
import { called, Panel, span, tied } from "./people/panel";
import { type Dot, type GraphData, type Line, type NodeData, shade, TYPES } from "./people/types";
import { tOr } from "../lib/words";

const FIRST = 150;
const MOST = 2000;

export default function PeoplePage() {
  const { space, fields } = route.value;
  const limit = fields.all ? MOST : FIRST;
  const graph = useLoad(`${space} ${limit}`, (signal) =>
    get<GraphData>(at("/graph"), { limit }, signal),
  );
  return (
    <>
      <header class="head">
        <h1>{t("people_title")}</h1>
        {graph.data && graph.data.total > FIRST && (
          <button
            type="button"
            aria-pressed={Boolean(fields.all)}
            onClick={() => replace(to("people", "", { ...fields, all: fields.all ? "" : "1" }))}
          >
            {t("show_all_nodes", { n: Math.min(MOST, graph.data.total) })}
          </button>
        )}
      </header>
      <Shown from={graph}>
        {(data) =>
          data.nodes.length ? (
            <Graph data={data} chosen={fields.node ?? ""} />
          ) : (
            <Empty title={t("people_none")} hint={t("people_none_hint")}>
              <AddButton />
            </Empty>
          )
        }
      </Shown>
    </>
  );
}

function Graph({ data, chosen }: { data: GraphData; chosen: string }) {
  const choose = (id: string) => go(to("people", "", { ...route.value.fields, node: id }));
  const node = data.nodes.find(({ id }) => id === chosen);
  const [until, setUntil] = useState(Infinity);
  return (
    <div class="graph">
      <div class="stage">
        <Canvas data={data} chosen={chosen} until={until} choose={choose} />
        <Legend nodes={data.nodes} />
        <Slider data={data} until={until} change={setUntil} />
      </div>
      <Panel data={data} node={node} choose={choose} />
    </div>
  );
}

interface Hovered {
  node: NodeData;
  x: number;
  y: number;
}

function Canvas({
  data,
  chosen,
  until,
  choose,
}: {
  data: GraphData;
  chosen: string;
  until: number;
  choose: (id: string) => void;
}) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const drawing = useRef<Drawing>(undefined);
  const [hovered, setHovered] = useState<Hovered>();
  useEffect(() => {
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    const heard = {
      hover: (dot: Dot | undefined, x: number, y: number) =>
        setHovered(dot && { node: dot.data, x, y }),
      choose: (dot: Dot | undefined) => choose(dot?.data.id ?? ""),
      name: (dot: Dot) => called(dot.data),
      label: (line: Line) => tied(line.data),
    };
    drawing.current = new Drawing(canvas.current!, heard, still);
    return () => drawing.current?.stop();
  }, []);
  useEffect(() => drawing.current?.show(data), [data]);
  useEffect(() => drawing.current?.choose(chosen), [chosen, data]);
  useEffect(() => drawing.current?.showUntil(until), [until]);
  useEffect(() => drawing.current?.paint(), [painted.value, language.value]);
  return (
    <>
      <canvas ref={canvas} role="img" aria-label={t("graph_label", { n: data.nodes.length })} />
      <p class="zooms">
        <button
          type="button"
          aria-label={t("zoom_in")}
          onClick={() => drawing.current?.zoomBy(1.4)}
        >
          +
        </button>
        <button
          type="button"
          aria-label={t("zoom_out")}
          onClick={() => drawing.current?.zoomBy(1 / 1.4)}
        >
          −
        </button>
        <button type="button" aria-label={t("zoom_fit")} onClick={() => drawing.current?.fit()}>
          <Icon name="fit" />
        </button>
      </p>
      {hovered && (
        <p class="tip" style={{ left: `${hovered.x}px`, top: `${hovered.y}px` }}>
          <strong>
            <Name text={called(hovered.node)} />
          </strong>
          <span>
            {tOr(`type_${hovered.node.type}`)} · {t("n_memories", { n: hovered.node.memories })}
          </span>
          <span>{span(hovered.node)}</span>
        </p>
      )}
    </>
  );
}

function Legend({ nodes }: { nodes: NodeData[] }) {
  const types = useMemo(
    () => TYPES.filter((type) => nodes.some((node) => node.type === type)),
    [nodes],
  );
  return (
    <ul class="legend">
      {types.map((type) => (
        <li key={type}>
          <i class={shade(type).slice(2)} />
          {tOr(`type_${type}`)}
        </li>
      ))}
      {nodes.some((node) => node.ended_at) && (
        <li>
          <i class="over" />
          {t("ended")}
        </li>
      )}
    </ul>
  );
}

const STEPS = 200;
const PLAY_MS = 6000;

/** Time, from the first memory to now; it can play. */
function Slider({
  data,
  until,
  change,
}: {
  data: GraphData;
  until: number;
  change: (until: number) => void;
}) {
  const [playing, setPlaying] = useState(false);
  const first = new Date(data.first_at ?? 0).getTime();
  const last = new Date(data.last_at ?? 0).getTime();
  const span = last - first;
  useEffect(() => {
    if (!playing) return;
    const start = performance.now();
    let frame = requestAnimationFrame(function step(now) {
      const share = (now - start) / PLAY_MS;
      change(share >= 1 ? Infinity : first + share * span);
      if (share >= 1) setPlaying(false);
      else frame = requestAnimationFrame(step);
    });
    return () => cancelAnimationFrame(frame);
  }, [playing]);
  if (!data.first_at || span <= 0) return null;
  const value = until === Infinity ? STEPS : Math.round(((until - first) / span) * STEPS);
  const shown = until === Infinity ? last : until;
  const count = data.nodes.filter((node) => new Date(node.first_at).getTime() <= shown).length;
  return (
    <div class="slider">
      <button
        type="button"
        onClick={() => setPlaying(!playing)}
        aria-label={t(playing ? "stop" : "play")}
      >
        <Icon name={playing ? "stop" : "play"} />
      </button>
      <label>
        <span class="unseen">{t("graph_until")}</span>
        <input
          type="range"
          min="0"
          max={STEPS}
          value={value}
          aria-valuetext={day(new Date(shown).toISOString())}
          onInput={(event) => {
            const at = Number(event.currentTarget.value);
            setPlaying(false);
            change(at >= STEPS ? Infinity : first + (at / STEPS) * span);
          }}
        />
      </label>
      <span class="muted small">
        {day(new Date(shown).toISOString())} · {number(count)}
      </span>
    </div>
  );
}
