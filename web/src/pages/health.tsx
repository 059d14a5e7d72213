// How the memory does: size, cost, jobs, backups, the audit log and the settings.
import { at, get, send } from "../lib/api";
import { useLoad } from "../lib/load";
import { mayAll } from "../lib/me";
import { route } from "../lib/router";
import { act } from "../lib/toasts";
import { ago, bytes, language, number, t, tOr } from "../lib/words";
import { Shown } from "../ui/states";
import { Sentence } from "../ui/text";
import { Audit } from "./health/audit";
import { Backups } from "./health/backups";
import { Jobs } from "./health/jobs";
import { Settings } from "./health/settings";

interface Status {
  turns: number;
  sessions: number;
  active: number;
  archived: number;
  bytes: number;
  last_turn_at: string | null;
  last_consolidation: string | null;
  pending: number;
  waiting: number;
  failed: number;
  reviews: number;
  error: string;
  paused: { since: string; until: string | null } | null;
}

export interface Spent {
  day: string;
  phase: string;
  calls: number;
  tokens_in: number;
  tokens_out: number;
}

interface Stats {
  kinds: Record<string, number>;
  importance: Record<string, number>;
  ledger: Spent[];
}

interface Condition {
  status: string;
  reasons?: { code: string; space: string; message: string }[];
}

export default function HealthPage() {
  const { space } = route.value;
  const state = useLoad(`health ${space} ${language.value}`, async (signal) => {
    const [status, stats, graph, health] = await Promise.all([
      get<Status>(at("/status"), {}, signal),
      get<Stats>(at("/stats"), {}, signal),
      get<{ total: number }>(at("/graph"), { limit: 1 }, signal),
      condition(signal),
    ]);
    return { status, stats, people: graph.total, health };
  });
  return (
    <>
      <header class="head">
        <h1>{t("health")}</h1>
      </header>
      <Shown from={state} rows={6}>
        {({ status, stats, people, health }) => (
          <>
            <Well health={health} status={status} reload={state.reload} />
            <Numbers status={status} people={people} />
            <div class="pair">
              <Bands stats={stats} />
              <Tokens ledger={stats.ledger} />
            </div>
          </>
        )}
      </Shown>
      <Jobs />
      {mayAll.value && (
        <>
          <Backups />
          <Settings />
          <Audit />
        </>
      )}
    </>
  );
}

/** What the server says of itself: with 503 too, where something fails. */
function condition(signal: AbortSignal): Promise<Condition> {
  return get<Condition>("/health", {}, signal, [503]);
}

function Well({
  health,
  status,
  reload,
}: {
  health: Condition;
  status: Status;
  reload: () => void;
}) {
  const reasons = health.reasons ?? [];
  return (
    <div class={health.status === "ok" ? "well" : "well failing"} role="status">
      <p>{t(health.status === "ok" ? "health_ok" : "health_failing")}</p>
      {reasons.map(({ code, space, message }) => (
        <p key={`${code} ${space}`}>
          {space && `${space}: `}
          <Sentence text={message} />
        </p>
      ))}
      {status.paused && <p>{t("health_paused")}</p>}
      {mayAll.value && <PauseButton paused={status.paused !== null} reload={reload} />}
    </div>
  );
}

function PauseButton({ paused, reload }: { paused: boolean; reload: () => void }) {
  const turn = (on: boolean) => send("POST", at(on ? "/pause" : "/resume"));
  const press = async () => {
    const back = async () => {
      await turn(paused);
      reload();
    };
    await act(() => turn(!paused), t(paused ? "resumed_done" : "paused_done"), back);
    reload();
  };
  return (
    <button type="button" class="small" onClick={() => void press()}>
      {t(paused ? "resume" : "pause")}
    </button>
  );
}

function Numbers({ status, people }: { status: Status; people: number }) {
  const last = (when: string | null) => (when ? ago(when) : t("never"));
  const shown: [string, string, string][] = [
    [t("count_memories"), number(status.active), t("count_archived", { n: status.archived })],
    [t("count_turns"), number(status.turns), t("count_sessions", { n: status.sessions })],
    [t("people_title"), number(people), ""],
    [t("size"), bytes(status.bytes), ""],
    [t("last_message"), last(status.last_turn_at), ""],
    [
      t("last_learned"),
      last(status.last_consolidation),
      status.pending ? t("pending", { n: status.pending }) : "",
    ],
  ];
  return (
    <dl class="numbers">
      {shown.map(([name, value, more]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
          {more && <dd class="muted small">{more}</dd>}
        </div>
      ))}
    </dl>
  );
}

const BANDS = ["critical", "high", "medium", "low"];
const KINDS = ["fact", "belief", "summary"];

function Bands({ stats }: { stats: Stats }) {
  return (
    <section>
      <h2>{t("by_importance")}</h2>
      <Shares names={BANDS} of={stats.importance} />
      <h2>{t("by_kind")}</h2>
      <Shares names={KINDS} of={stats.kinds} />
    </section>
  );
}

function Shares({ names, of }: { names: string[]; of: Record<string, number> }) {
  const most = Math.max(1, ...names.map((name) => of[name] ?? 0));
  return (
    <ul class="shares">
      {names.map((name) => (
        <li key={name}>
          <span>{tOr(name)}</span>
          <span class="track">
            <span style={{ width: `${(100 * (of[name] ?? 0)) / most}%` }} />
          </span>
          <span class="amount">{number(of[name] ?? 0)}</span>
        </li>
      ))}
    </ul>
  );
}

/** Tokens that a model took, by day. */
function Tokens({ ledger }: { ledger: Spent[] }) {
  const days = new Map<string, number>();
  for (const { day, tokens_in, tokens_out } of ledger)
    days.set(day, (days.get(day) ?? 0) + tokens_in + tokens_out);
  const shown = [...days].slice(0, 14);
  return (
    <section>
      <h2>{t("tokens_spent")}</h2>
      {shown.length ? (
        <Shares names={shown.map(([day]) => day)} of={Object.fromEntries(shown)} />
      ) : (
        <p class="muted">{t("tokens_none")}</p>
      )}
    </section>
  );
}
