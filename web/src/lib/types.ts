// The values of the API that the pages use.

export type Kind = "fact" | "belief" | "summary";

export interface Source {
  session?: string;
  turn?: string;
  file?: string;
  line?: number;
}

export interface Memory {
  id: string;
  kind: Kind;
  content: string;
  created_at: string;
  updated_at: string;
  strength: number;
  agent: string;
  audience: string;
  subject: string;
  attribute: string;
  value: string;
  category: string;
  project: string;
  topic: string;
  tags: string[];
  entities: string[];
  importance: number;
  confidence: number;
  sensitivity: string;
  trust: string;
  state: "active" | "archived";
  valid_from: string | null;
  valid_until: string | null;
  expires_at: string | null;
  due_at: string | null;
  done: boolean;
  accessed_at: string | null;
  confirmed_at: string | null;
  access_count: number;
  version: number;
  sources: Source[];
  derived_from: string[];
  replaces: string;
}

export interface Turn {
  session: string;
  id: string;
  role: string;
  content: string;
  at: string;
  speaker: string;
  origin: string;
  ref: string;
}

export interface Me {
  name: string;
  rights: "owner" | "write" | "read";
  agent: string;
  owns_all: boolean;
  spaces: string[];
  version: string;
  home: string;
}

export interface Job {
  name: string;
  when?: string;
  due: boolean;
  next_at: string | null;
  last_at: string | null;
  seconds: number;
  counts: Record<string, number>;
  succeeded_at: string | null;
  failed_at: string | null;
  error: string;
  failures: number;
  runs: number;
}

export interface Change {
  at: string;
  change: string;
  before: Memory;
  after: Memory;
}

export interface Ended {
  at: string;
  change: string;
  record: Memory;
}

export interface Review {
  belief: Memory;
  against: Memory;
  asked_at: string;
}

export interface Held {
  id: string;
  text: string;
  reason: string;
  origin: string;
  at: string;
  state: string;
  turn: string;
  memory: string;
}

export interface Today {
  now: string;
  since: string;
  learned: Memory[];
  changed: Change[];
  ended: Ended[];
  counts: { learned: number; changed: number; ended: number };
  reviews: Review[];
  doubtful: Memory[];
  reminders: Memory[];
  held: number;
  pending: number;
  jobs: Job[];
}

export interface Item {
  id: string;
  kind: Kind | "turn" | "note";
  content: string;
  score: number;
  at: string;
  state: "active" | "archived";
  sources: Source[];
  why: {
    words?: string[];
    routes?: Record<string, number>;
    factors?: Record<string, number>;
    route?: string;
    speaker?: string;
    origin?: string;
  };
  tags?: string[];
  valid_until?: string | null;
  due_at?: string | null;
  done?: boolean;
  confidence?: number;
}

export interface LeftOut {
  reason: string;
  number: number;
}

export interface Recall {
  query: string;
  gate: { recall: boolean; reason: string };
  items: Item[];
  left_out: LeftOut[];
  context: string;
  tokens: number;
  elapsed_ms: number;
  unsure: boolean;
}

export interface Frame {
  message: string;
  gate: { recall: boolean; reason: string };
  soul: string;
  profile: string;
  memories: string;
  recent: string;
  text: string;
  tokens: number;
  budget: number;
  parts: { name: string; tokens: number }[];
  recall: Recall | null;
  left_out: LeftOut[];
}

export interface Label {
  name: string;
  memories: number;
}

export interface Labels {
  projects: Label[];
  topics: Label[];
  tags: Label[];
  entities: Label[];
}

export interface Version {
  version: number;
  at: string;
  change: string;
  record: Memory;
}

export interface Related {
  record: Memory;
  said: { turn: Turn; before: Turn[]; after: Turn[] }[];
  replaced: Memory | null;
  replaced_by: Memory | null;
  made_of: Memory[];
  made: Memory[];
  beside: Memory[];
}

export interface Receipt {
  id: string;
  at: string;
  by: string;
  what: string;
  erased: Record<string, number>;
  files: { file: string; line: number; what: string; hint: string }[];
  names: string[];
  near: string[];
}
