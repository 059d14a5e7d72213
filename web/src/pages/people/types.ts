import type { SimulationLinkDatum, SimulationNodeDatum } from "d3-force";

export interface NodeData {
  id: string;
  name: string;
  type: string;
  strength: number;
  memories: number;
  first_at: string;
  last_at: string;
  aliases: string[];
  /** Since when what tied it to somebody is over: a pet that died, a former employer. */
  ended_at: string | null;
}

export interface EdgeData {
  source: string;
  target: string;
  weight: number;
  labels: string[];
  memories: string[];
  size: number;
  first_at: string;
}

export interface GraphData {
  nodes: NodeData[];
  edges: EdgeData[];
  total: number;
  first_at: string | null;
  last_at: string | null;
}

export interface Dot extends SimulationNodeDatum {
  data: NodeData;
  radius: number;
  since: number;
}

export interface Line extends SimulationLinkDatum<Dot> {
  data: EdgeData;
  width: number;
  since: number;
}

export const TYPES = ["person", "place", "organisation", "project", "product", "pet", "other"];
/** The colour of a type of node, as a property of the theme. */
export function shade(type: string): string {
  const at = TYPES.indexOf(type);
  return `--part-${at < 0 ? 6 : at}`;
}
