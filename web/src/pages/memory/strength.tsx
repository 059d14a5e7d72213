// How present a memory was, is and will be.
import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import { at, get } from "../../lib/api";
import { colour } from "../../lib/colours";
import { useLoad } from "../../lib/load";
import { route } from "../../lib/router";
import { painted } from "../../lib/theme";
import type { Memory } from "../../lib/types";
import { day, language, locale, number, t } from "../../lib/words";
import { Shown } from "../../ui/states";

interface Curve {
  now: string;
  strength: number;
  limit: number;
  fades_at: string | null;
  points: { at: string; strength: number }[];
  marks: { at: string; change: string; version: number; strength: number }[];
}

export default function Strength({ memory }: { memory: Memory }) {
  const path = at(`/memories/${encodeURIComponent(memory.id)}/strength`);
  const curve = useLoad(`${route.value.space} ${memory.id} ${memory.version}`, (signal) =>
    get<Curve>(path, { days: 180 }, signal),
  );
  return (
    <section>
      <h2>{t("strength_time")}</h2>
      <Shown from={curve} rows={3}>
        {(data) => (data.points.length > 1 ? <Plot curve={data} /> : null)}
      </Shown>
    </section>
  );
}

function said(curve: Curve): string {
  const now = `${t("strength")} ${number(curve.strength, 2)}`;
  return curve.fades_at ? `${now}, ${t("fades_at", { when: day(curve.fades_at) })}` : now;
}

function Plot({ curve }: { curve: Curve }) {
  const place = useRef<HTMLDivElement>(null);
  const look = `${painted.value} ${language.value}`;
  useEffect(() => {
    const div = place.current!;
    const plot = new uPlot(options(curve, div.clientWidth), table(curve), div);
    const resized = new ResizeObserver(() =>
      plot.setSize({ width: div.clientWidth, height: HEIGHT }),
    );
    resized.observe(div);
    return () => {
      resized.disconnect();
      plot.destroy();
    };
  }, [curve, look]);
  return (
    <figure class="curve">
      <div ref={place} role="img" aria-label={said(curve)} />
      <figcaption class="muted small">{said(curve)}</figcaption>
    </figure>
  );
}

const HEIGHT = 170;
const seconds = (iso: string) => new Date(iso).getTime() / 1000;

/** Times, what was, what will be, and where something was done to it. */
function table(curve: Curve): uPlot.AlignedData {
  const now = seconds(curve.now);
  const rows = [
    ...curve.points.map((point) => ({
      x: seconds(point.at),
      y: point.strength,
      mark: null as number | null,
    })),
    ...curve.marks.map((mark) => ({ x: seconds(mark.at), y: null, mark: mark.strength })),
  ].sort((one, other) => one.x - other.x);
  return [
    rows.map(({ x }) => x),
    rows.map(({ x, y }) => (x <= now ? y : null)),
    rows.map(({ x, y }) => (x >= now ? y : null)),
    rows.map(({ mark }) => mark),
  ];
}

function options(curve: Curve, width: number): uPlot.Options {
  const accent = colour("--accent");
  const axis = {
    stroke: colour("--soft"),
    grid: { stroke: colour("--line"), width: 1 },
    ticks: { show: false },
  };
  const months = new Intl.DateTimeFormat(locale(), { month: "short", day: "numeric" });
  return {
    width,
    height: HEIGHT,
    legend: { show: false },
    cursor: { show: false },
    scales: { y: { range: [0, 1] } },
    axes: [
      {
        ...axis,
        size: 30,
        space: 90,
        values: (_, ticks) => ticks.map((tick) => months.format(tick * 1000)),
      },
      { ...axis, size: 36, values: (_, ticks) => ticks.map((tick) => number(tick, 2)) },
    ],
    series: [
      {},
      { stroke: accent, width: 2, points: { show: false }, spanGaps: true },
      { stroke: accent, width: 1.5, dash: [4, 4], points: { show: false }, spanGaps: true },
      {
        stroke: "transparent",
        points: { show: true, size: 8, fill: accent, stroke: colour("--ground") },
      },
    ],
    hooks: {
      draw: [(plot) => limit(plot, curve.limit)],
    },
  };
}

/** The line below which it is archived. */
function limit(plot: uPlot, value: number): void {
  const { ctx, bbox } = plot;
  const y = plot.valToPos(value, "y", true);
  ctx.save();
  ctx.strokeStyle = colour("--gone");
  ctx.setLineDash([2, 4]);
  ctx.beginPath();
  ctx.moveTo(bbox.left, y);
  ctx.lineTo(bbox.left + bbox.width, y);
  ctx.stroke();
  ctx.fillStyle = colour("--soft");
  ctx.textAlign = "left";
  ctx.fillText(t("fades_below"), bbox.left + 4, y - 4);
  ctx.restore();
}
