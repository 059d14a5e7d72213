// What an agent would be given before it replies, part by part, against its budget.
import { useState } from "preact/hooks";
import { at, send } from "../../lib/api";
import { useLoad } from "../../lib/load";
import { route } from "../../lib/router";
import type { Frame, LeftOut } from "../../lib/types";
import { type Key, number, t, tOr } from "../../lib/words";
import { Empty, Shown } from "../../ui/states";
import { Words } from "../../ui/text";

const BUDGETS = [500, 1000, 2000, 4000, 8000, 16000];
const TEXTS = ["soul", "profile", "memories", "recent", "message"] as const;

export function AgentView({ message }: { message: string }) {
  const [budget, setBudget] = useState(4000);
  const said = message.trim();
  if (!said) return <Empty title={t("agent_view")} hint={t("agent_prompt")} />;
  return (
    <>
      <label class="choose inline">
        <span>{t("budget")}</span>
        <select value={budget} onChange={(event) => setBudget(Number(event.currentTarget.value))}>
          {BUDGETS.map((value) => (
            <option key={value} value={value}>
              {number(value)}
            </option>
          ))}
        </select>
      </label>
      <Given message={said} budget={budget} />
    </>
  );
}

function Given({ message, budget }: { message: string; budget: number }) {
  const frame = useLoad(`${route.value.space} ${budget} ${message}`, (signal) =>
    send<Frame>("POST", at("/context"), { message, budget }, signal),
  );
  return (
    <Shown from={frame}>
      {(data) => (
        <div class={frame.loading ? "stale" : ""}>
          <Gate frame={data} />
          <Budget frame={data} />
          {TEXTS.filter((name) => data[name]).map((name) => (
            <section key={name} class="given">
              <h2>{t(`part_${name}`)}</h2>
              <div class="paper">
                <Words text={data[name]} most={4000} />
              </div>
            </section>
          ))}
        </div>
      )}
    </Shown>
  );
}

function Gate({ frame: { gate } }: { frame: Frame }) {
  const why = tOr(`gate_${gate.reason}`, gate.reason);
  return <p class="muted">{t(gate.recall ? "gate_recalls" : "gate_skipped", { why })}</p>;
}

/** What each part takes of the budget; what the text needs between them is its headings. */
function Budget({ frame }: { frame: Frame }) {
  const parts = frame.parts.filter(({ tokens }) => tokens > 0);
  const headings = frame.tokens - parts.reduce((sum, { tokens }) => sum + tokens, 0);
  if (headings > 0) parts.push({ name: "frame", tokens: headings });
  return (
    <figure class="budget">
      <div
        class="bar"
        role="img"
        aria-label={t("budget_of", { used: frame.tokens, budget: frame.budget })}
      >
        {parts.map(({ name, tokens }, at) => (
          <span
            key={name}
            class={`part part-${at % 7}`}
            style={{ width: `${(100 * tokens) / Math.max(frame.budget, frame.tokens)}%` }}
          />
        ))}
      </div>
      <figcaption>
        <ul class="legend">
          {parts.map(({ name, tokens }, at) => (
            <li key={name}>
              <i class={`part-${at % 7}`} />
              {tOr(`part_${name}`, name)} {number(tokens)}
            </li>
          ))}
          <li class="score">{t("budget_of", { used: frame.tokens, budget: frame.budget })}</li>
        </ul>
        {frame.left_out.length > 0 && (
          <p class="muted small">
            {t("left_out")}: {frame.left_out.map(left).join(", ")}
          </p>
        )}
      </figcaption>
    </figure>
  );
}

function left({ reason, number: n }: LeftOut): string {
  const key = `left_${reason}`;
  return tOr(key, reason) === reason ? `${reason} ${n}` : t(key as Key, { n });
}
