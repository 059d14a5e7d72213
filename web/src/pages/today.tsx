// What was learned and changed since one last looked, and what waits.
import { useState } from "preact/hooks";
import { at, get } from "../lib/api";
import { useLoad } from "../lib/load";
import { replace, route, to } from "../lib/router";
import { lasting, tab } from "../lib/store";
import type { Change, Ended, Today } from "../lib/types";
import { moment, t, tOr } from "../lib/words";
import { AddButton } from "../ui/add";
import { Count, Memories, MemoryRow, Row, When } from "../ui/memory";
import { Empty, Shown } from "../ui/states";
import { Diff } from "../ui/text";
import { Next } from "./today/next";
import { Waiting } from "./today/waiting";

const DAY = 86_400_000;

/** Since when: a number of days, or the last visit, which stays the same while the tab is open. */
function start(space: string, days: string): string {
  if (days) return new Date(Date.now() - Number(days) * DAY).toISOString();
  const visit = `since.${space}`;
  if (!tab.get(visit)) {
    const week = new Date(Date.now() - 7 * DAY).toISOString();
    tab.set(visit, lasting.get(`looked.${space}`) || week);
    lasting.set(`looked.${space}`, new Date().toISOString());
  }
  return tab.get(visit);
}

export default function TodayPage() {
  const { space, fields } = route.value;
  const days = fields.days ?? "";
  const since = start(space, days);
  const [done, setDone] = useState(0);
  const day = useLoad(`${space} ${days} ${done}`, (signal) =>
    get<Today>(at("/today"), { since, limit: 50 }, signal),
  );
  const reload = () => setDone((count) => count + 1);
  return (
    <>
      <header class="head">
        <div>
          <h1>{t("today")}</h1>
          <p class="muted">{t("today_since", { when: moment(since) })}</p>
        </div>
        <label class="choose">
          <span class="unseen">{t("since_label")}</span>
          <select
            value={days}
            onChange={(event) => replace(to("today", "", { days: event.currentTarget.value }))}
          >
            <option value="">{t("since_looked")}</option>
            <option value="1">{t("since_day_1")}</option>
            <option value="7">{t("since_day_7")}</option>
            <option value="30">{t("since_day_30")}</option>
          </select>
        </label>
      </header>
      <Shown from={day} rows={6}>
        {(data) => <Day data={data} reload={reload} />}
      </Shown>
    </>
  );
}

function Day({ data, reload }: { data: Today; reload: () => void }) {
  const { counts } = data;
  const nothing = !counts.learned && !counts.changed && !counts.ended;
  return (
    <div class="columns">
      <div>
        <Waiting today={data} reload={reload} />
        {nothing && <Quiet />}
        {counts.learned > 0 && (
          <section>
            <h2>
              {t("learned")} <Count value={counts.learned} />
            </h2>
            <Memories of={data.learned} />
            <Beyond shown={data.learned.length} all={counts.learned} since={data.since} />
          </section>
        )}
        {counts.changed > 0 && (
          <section>
            <h2>
              {t("changed")} <Count value={counts.changed} />
            </h2>
            <ul class="rows">
              {data.changed.map((change) => (
                <Changed key={`${change.after.id} ${change.at}`} change={change} />
              ))}
            </ul>
          </section>
        )}
        {counts.ended > 0 && (
          <section>
            <h2>
              {t("ended")} <Count value={counts.ended} />
            </h2>
            <ul class="rows">
              {data.ended.map((ended) => (
                <Over key={`${ended.record.id} ${ended.at}`} ended={ended} />
              ))}
            </ul>
          </section>
        )}
      </div>
      <Next today={data} reload={reload} />
    </div>
  );
}

/** Nothing new; in a memory that has nothing at all, how to begin. */
function Quiet() {
  const { space, fields } = route.value;
  const status = useLoad(`quiet ${space}`, (signal) =>
    get<{ active: number; archived: number; turns: number }>(at("/status"), {}, signal),
  );
  return (
    <Shown from={status} rows={2}>
      {({ active, archived, turns }) =>
        active + archived + turns === 0 ? (
          <Empty title={t("no_spaces")} hint={t("no_spaces_hint")}>
            <AddButton />
          </Empty>
        ) : (
          <Empty title={t("nothing_new")} hint={t("nothing_new_hint")}>
            {fields.days !== "30" && (
              <p>
                <a href={to("today", "", { days: "30" })}>{t("look_back")}</a>
              </p>
            )}
          </Empty>
        )
      }
    </Shown>
  );
}

function Beyond({ shown, all, since }: { shown: number; all: number; since: string }) {
  if (all <= shown) return null;
  return (
    <p class="more">
      <a href={to("search", "", { since: since.slice(0, 10) })}>
        {t("n_more", { n: all - shown })}
      </a>
    </p>
  );
}

function Changed({ change: { at: when, change, before, after } }: { change: Change }) {
  const href = to("memory", after.id);
  return (
    <Row href={href}>
      <a class="row-words" href={href}>
        <Diff before={before.content} after={after.content} />
      </a>
      <p class="meta">
        <span class="change">{tOr(`change_${change}`, change)}</span>
        <When at={when} time />
      </p>
    </Row>
  );
}

function Over({ ended: { at: when, change, record } }: { ended: Ended }) {
  return (
    <MemoryRow memory={record}>
      <span class="change">{tOr(`change_${change}`, change)}</span>
      <When at={when} />
    </MemoryRow>
  );
}
