// The graph on a canvas: forces place it, and it is drawn only while something moves.
import {
  forceCollide,
  forceLink,
  forceManyBody,
  forceSimulation,
  forceX,
  forceY,
  type Simulation,
} from "d3-force";
import { quadtree } from "d3-quadtree";
import { select } from "d3-selection";
import { zoom, zoomIdentity, type ZoomBehavior, type ZoomTransform } from "d3-zoom";
import { colour } from "../../lib/colours";
import { type Dot, type GraphData, type Line, shade, TYPES } from "./types";

export interface Heard {
  hover: (dot: Dot | undefined, x: number, y: number) => void;
  choose: (dot: Dot | undefined) => void;
  name: (dot: Dot) => string;
  /** What stands on a line; empty for nothing. */
  label: (line: Line) => string;
}

const REACH = 8;
const SMALL = 160;
/** Nodes up to which every name and tie is written. */
const FEW = 60;

export class Drawing {
  private readonly context: CanvasRenderingContext2D;
  private readonly simulation: Simulation<Dot, Line>;
  private readonly zooming: ZoomBehavior<HTMLCanvasElement, unknown>;
  private readonly resized: ResizeObserver;
  private view: ZoomTransform = zoomIdentity;
  private dots: Dot[] = [];
  private lines: Line[] = [];
  private near = new Map<string, Set<string>>();
  private until = Infinity;
  private chosen = "";
  private hovered = "";
  private width = 1;
  private height = 1;
  private frame = 0;
  private colours = new Map<string, string>();

  constructor(
    private readonly canvas: HTMLCanvasElement,
    private readonly heard: Heard,
    private readonly still: boolean,
  ) {
    this.context = canvas.getContext("2d")!;
    this.simulation = forceSimulation<Dot, Line>()
      .stop()
      .on("tick", () => this.draw());
    this.zooming = zoom<HTMLCanvasElement, unknown>()
      .scaleExtent([0.1, 8])
      .on("zoom", (event: { transform: ZoomTransform }) => {
        this.view = event.transform;
        this.draw();
      });
    select(canvas).call(this.zooming).on("dblclick.zoom", null);
    canvas.addEventListener("pointermove", this.move);
    canvas.addEventListener("pointerleave", this.leave);
    canvas.addEventListener("click", this.click);
    this.resized = new ResizeObserver(() => this.resize());
    this.resized.observe(canvas);
    this.paint();
  }

  /** Show another graph. What was there before keeps its place. */
  show({ nodes, edges }: GraphData): void {
    const before = new Map(this.dots.map((dot) => [dot.data.id, dot]));
    const most = Math.max(1e-9, ...nodes.map(({ strength }) => strength));
    this.dots = nodes.map((data, at) => ({
      ...place(before.get(data.id), at),
      data,
      radius: 4 + 16 * Math.sqrt(data.strength / most),
      since: new Date(data.first_at).getTime(),
    }));
    const known = new Map(this.dots.map((dot) => [dot.data.id, dot]));
    this.lines = edges.flatMap((data) => {
      const [source, target] = [known.get(data.source), known.get(data.target)];
      if (!source || !target) return [];
      return [
        {
          data,
          source,
          target,
          width: Math.min(4, 1 + Math.floor(Math.log2(1 + data.size) / 2)),
          since: new Date(data.first_at).getTime(),
        },
      ];
    });
    this.near = neighbours(this.lines);
    this.settle();
  }

  /** Let the forces find a place for everything; without motion, at once. */
  private settle(): void {
    const many = this.dots.length > SMALL;
    this.simulation
      .nodes(this.dots)
      .force(
        "link",
        forceLink<Dot, Line>(this.lines)
          .distance((line) => 46 + ends(line).reduce((sum, dot) => sum + dot.radius, 0))
          .strength(many ? 0.25 : 0.4),
      )
      .force(
        "charge",
        forceManyBody<Dot>()
          .strength((dot) => -60 - 9 * dot.radius)
          .distanceMax(500)
          .theta(many ? 1.1 : 0.9),
      )
      .force("collide", forceCollide<Dot>((dot) => dot.radius + (many ? 3 : 14)).iterations(1))
      .force("x", forceX<Dot>().strength(0.06))
      .force("y", forceY<Dot>().strength(0.08))
      .alphaDecay(many ? 0.04 : 0.03)
      .alpha(1);
    // The first steps are the wildest: they are not shown.
    this.simulation.tick(this.still ? 200 : many ? 40 : 80);
    this.fit();
    if (this.still) this.draw();
    else this.simulation.restart();
  }

  /** Put all of it into view. */
  fit(): void {
    const seen = this.dots.filter((dot) => dot.since <= this.until);
    if (!seen.length || this.width < 2) return;
    const xs = seen.map((dot) => dot.x ?? 0);
    const ys = seen.map((dot) => dot.y ?? 0);
    const [left, right] = [Math.min(...xs), Math.max(...xs)];
    const [top, bottom] = [Math.min(...ys), Math.max(...ys)];
    const scale = Math.min(
      1.6,
      (this.width - 90) / (right - left + 20),
      (this.height - 90) / (bottom - top + 20),
    );
    this.look(Math.max(0.1, scale), (left + right) / 2, (top + bottom) / 2);
  }

  private look(scale: number, x: number, y: number): void {
    const view = zoomIdentity
      .translate(this.width / 2, this.height / 2)
      .scale(scale)
      .translate(-x, -y);
    select(this.canvas).call(this.zooming.transform, view);
  }

  zoomBy(factor: number): void {
    select(this.canvas).call(this.zooming.scaleBy, factor);
  }

  choose(id: string): void {
    if (id === this.chosen) return;
    this.chosen = id;
    const dot = this.dots.find(({ data }) => data.id === id);
    if (dot) this.look(Math.max(this.view.k, 0.9), dot.x ?? 0, dot.y ?? 0);
    this.draw();
  }

  /** Only what was known by a time. */
  showUntil(time: number): void {
    this.until = time;
    this.draw();
  }

  /** Read the colours again: the theme has changed. */
  paint(): void {
    for (const name of [
      "--ink",
      "--soft",
      "--line",
      "--strong-line",
      "--accent",
      "--ground",
      ...TYPES.map(shade),
    ])
      this.colours.set(name, colour(name));
    this.draw();
  }

  stop(): void {
    this.simulation.stop();
    this.resized.disconnect();
    cancelAnimationFrame(this.frame);
    select(this.canvas).on(".zoom", null);
  }

  private resize(): void {
    const { clientWidth, clientHeight } = this.canvas;
    const first = this.width < 2;
    this.width = clientWidth;
    this.height = clientHeight;
    this.canvas.width = clientWidth * devicePixelRatio;
    this.canvas.height = clientHeight * devicePixelRatio;
    if (first) this.fit();
    this.draw();
  }

  private at(event: MouseEvent): Dot | undefined {
    const [x, y] = this.view.invert([event.offsetX, event.offsetY]);
    const seen = this.dots.filter((dot) => dot.since <= this.until);
    const tree = quadtree(
      seen,
      (dot) => dot.x ?? 0,
      (dot) => dot.y ?? 0,
    );
    const found = tree.find(x, y, 28 / Math.min(1, this.view.k));
    if (!found) return undefined;
    const far = Math.hypot((found.x ?? 0) - x, (found.y ?? 0) - y);
    return far <= found.radius + REACH / this.view.k ? found : undefined;
  }

  private move = (event: PointerEvent): void => {
    const dot = this.at(event);
    this.canvas.classList.toggle("over", dot !== undefined);
    this.heard.hover(dot, event.offsetX, event.offsetY);
    if (this.hovered === (dot?.data.id ?? "")) return;
    this.hovered = dot?.data.id ?? "";
    this.draw();
  };

  private leave = (): void => {
    this.hovered = "";
    this.heard.hover(undefined, 0, 0);
    this.draw();
  };

  private click = (event: MouseEvent): void => this.heard.choose(this.at(event));

  private draw(): void {
    if (!this.frame)
      this.frame = requestAnimationFrame(() => {
        this.frame = 0;
        this.render();
      });
  }

  private render(): void {
    const { context, view } = this;
    const focus = this.hovered || this.chosen;
    const lit = focus ? new Set([focus, ...(this.near.get(focus) ?? [])]) : undefined;
    context.setTransform(devicePixelRatio, 0, 0, devicePixelRatio, 0, 0);
    context.clearRect(0, 0, this.width, this.height);
    context.translate(view.x, view.y);
    context.scale(view.k, view.k);
    this.renderLines(lit, focus);
    this.renderDots(lit);
    this.renderLabels(this.renderNames(lit), focus);
  }

  /** Lines of one width are one path, which is drawn much faster than each by itself. */
  private renderLines(lit: Set<string> | undefined, focus: string): void {
    const faint = Math.min(0.45, 8 / Math.sqrt(this.lines.length));
    const seen = this.lines.filter((line) => line.since <= this.until);
    const on = (line: Line) => ends(line).some((dot) => dot.data.id === focus);
    this.stroke(seen, "--strong-line", lit ? faint / 3 : faint);
    if (focus) this.stroke(seen.filter(on), "--accent", 1);
  }

  private stroke(lines: Line[], shade: string, alpha: number): void {
    const { context } = this;
    context.globalAlpha = alpha;
    context.strokeStyle = this.colours.get(shade)!;
    for (const [width, group] of Map.groupBy(lines, (line) => line.width)) {
      context.lineWidth = width / Math.max(0.6, this.view.k ** 0.5);
      context.beginPath();
      for (const line of group) {
        const [from, to] = ends(line);
        context.moveTo(from.x ?? 0, from.y ?? 0);
        context.lineTo(to.x ?? 0, to.y ?? 0);
      }
      context.stroke();
    }
  }

  private renderDots(lit: Set<string> | undefined): void {
    const { context } = this;
    for (const dot of this.dots) {
      if (dot.since > this.until) continue;
      context.globalAlpha = lit && !lit.has(dot.data.id) ? 0.25 : 1;
      const type = this.colours.get(shade(dot.data.type))!;
      const past = dot.data.ended_at !== null;
      context.fillStyle = past ? this.colours.get("--ground")! : type;
      context.beginPath();
      context.arc(dot.x ?? 0, dot.y ?? 0, dot.radius, 0, 2 * Math.PI);
      context.fill();
      if (past) {
        context.lineWidth = 2 / this.view.k;
        context.strokeStyle = type;
        context.setLineDash([3 / this.view.k, 3 / this.view.k]);
        context.stroke();
        context.setLineDash([]);
      }
      if (dot.data.id !== this.chosen) continue;
      context.lineWidth = 3 / this.view.k;
      context.strokeStyle = this.colours.get("--ink")!;
      context.stroke();
    }
  }

  /** Names of what is large enough on the screen, or in the light: the strongest first, and none
   * over another. Where they stand. */
  private renderNames(lit: Set<string> | undefined): Box[] {
    const { view } = this;
    this.pen(12);
    const few = this.dots.length <= FEW;
    const focus = this.hovered || this.chosen;
    const named = this.dots.filter(
      (dot) =>
        dot.since <= this.until && (lit ? lit.has(dot.data.id) : few || dot.radius * view.k >= 9),
    );
    named.sort((one, other) => Number(other.data.id === focus) - Number(one.data.id === focus));
    const taken: Box[] = [];
    for (const dot of named) {
      const past = dot.data.ended_at !== null;
      this.context.fillStyle = this.colours.get(past ? "--soft" : "--ink")!;
      const top = (dot.y ?? 0) + dot.radius + 3 / view.k;
      this.write(this.heard.name(dot), dot.x ?? 0, top, 14, taken);
    }
    return taken;
  }

  /** What ties two, in the middle of their line: on few lines, or those in the light. */
  private renderLabels(taken: Box[], focus: string): void {
    if (!focus && this.dots.length > FEW) return;
    this.pen(10.5);
    this.context.fillStyle = this.colours.get("--soft")!;
    for (const dot of this.dots) {
      if (dot.since > this.until) continue;
      const [x, y] = [dot.x ?? 0, dot.y ?? 0];
      const half = 0.85 * dot.radius; // what is round has empty corners
      taken.push({ left: x - half, right: x + half, top: y - half, bottom: y + half });
    }
    for (const line of this.lines) {
      const [from, to] = ends(line);
      if (line.since > this.until) continue;
      if (focus && from.data.id !== focus && to.data.id !== focus) continue;
      const label = this.heard.label(line);
      if (!label) continue;
      // A little off the middle where that is taken already.
      for (const share of [0.5, 0.6, 0.4, 0.7, 0.3]) {
        const x = (from.x ?? 0) * (1 - share) + (to.x ?? 0) * share;
        const y = (from.y ?? 0) * (1 - share) + (to.y ?? 0) * share;
        if (this.write(label, x, y - 6 / this.view.k, 12, taken)) break;
      }
    }
  }

  /** Text of this size on the screen, however near one looks. */
  private pen(size: number): void {
    const { context, view } = this;
    context.font = `${size / view.k}px ${getComputedStyle(this.canvas).fontFamily}`;
    context.textAlign = "center";
    context.textBaseline = "top";
    context.lineJoin = "round";
    context.lineWidth = 3 / view.k;
    context.strokeStyle = this.colours.get("--ground")!;
    context.globalAlpha = 1;
  }

  /** Write where nothing is written yet; whether it was. */
  private write(text: string, x: number, top: number, height: number, taken: Box[]): boolean {
    const { context, view } = this;
    const half = context.measureText(text).width / 2;
    const box = { left: x - half, right: x + half, top, bottom: top + height / view.k };
    if (taken.some((other) => overlap(box, other))) return false;
    taken.push(box);
    context.strokeText(text, x, top);
    context.fillText(text, x, top);
    return true;
  }
}

interface Box {
  left: number;
  right: number;
  top: number;
  bottom: number;
}

function overlap(one: Box, other: Box): boolean {
  return (
    one.left < other.right &&
    other.left < one.right &&
    one.top < other.bottom &&
    other.top < one.bottom
  );
}

function ends(line: Line): [Dot, Dot] {
  return [line.source as Dot, line.target as Dot];
}

/** Where a dot was, or a place on a spiral: the same for the same graph each time. */
function place(before: Dot | undefined, at: number): { x: number; y: number } {
  if (before) return { x: before.x ?? 0, y: before.y ?? 0 };
  const far = 12 * Math.sqrt(at);
  const turned = at * 2.399963;
  return { x: far * Math.cos(turned), y: far * Math.sin(turned) };
}

function neighbours(lines: Line[]): Map<string, Set<string>> {
  const near = new Map<string, Set<string>>();
  const add = (one: string, other: string) => {
    const found = near.get(one);
    if (found) found.add(other);
    else near.set(one, new Set([other]));
  };
  for (const line of lines) {
    const [from, to] = ends(line);
    add(from.data.id, to.data.id);
    add(to.data.id, from.data.id);
  }
  return near;
}
