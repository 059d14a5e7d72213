// The journal by day and conversation, with the memories beside the messages that gave them.
import { useEffect, useMemo } from "preact/hooks";
import { at, get } from "../lib/api";
import { type Listed, type Page, usePages } from "../lib/load";
import { type Fields, replace, route, to } from "../lib/router";
import type { Memory, Turn } from "../lib/types";
import { clock, dayOf, t, tOr, weekday } from "../lib/words";
import { AddButton } from "../ui/add";
import { Icon } from "../ui/icons";
import { Holds, KindSign, pastClass, SessionName } from "../ui/memory";
import { Empty, More, Shown } from "../ui/states";
import { Name, Words } from "../ui/text";

interface Moment {
  turn: Turn;
  memories: Memory[];
}

interface Talk {
  session: string;
  moments: Moment[];
}

interface Day {
  date: string;
  talks: Talk[];
}

const HOUR = 3_600_000;
const PER_PAGE = 50;

/** Where to begin: a day that was chosen, or a little after a message that was asked for. */
async function beginning({ day, turn }: Fields, signal?: AbortSignal): Promise<string> {
  if (turn) {
    const found = await get<Turn>(at(`/turns/${encodeURIComponent(turn)}`), {}, signal);
    return new Date(new Date(found.at).getTime() + HOUR).toISOString();
  }
  return day ? new Date(`${day}T23:59:59.999`).toISOString() : "";
}

export default function TimelinePage() {
  const { space, fields } = route.value;
  const key = JSON.stringify([space, fields.session, fields.turn, fields.day]);
  const list = usePages<Moment>(key, async (cursor, signal) => {
    const until = cursor ? "" : await beginning(fields, signal);
    const asked = { session: fields.session, until, cursor, limit: PER_PAGE };
    return get<Page<Moment>>(at("/timeline"), asked, signal);
  });
  const change = (edits: Fields) => replace(to("timeline", "", { ...edits }));
  return (
    <>
      <header class="head">
        <div>
          <h1>{t("timeline")}</h1>
          {fields.session && (
            <p class="chosen">
              <SessionName name={fields.session} />
              <button
                type="button"
                class="plain"
                aria-label={t("clear")}
                onClick={() => change({})}
              >
                <Icon name="close" />
              </button>
            </p>
          )}
        </div>
        <label class="choose inline">
          <span>{t("jump_to")}</span>
          <input
            type="date"
            value={fields.day ?? ""}
            onChange={(event) =>
              change({ session: fields.session ?? "", day: event.currentTarget.value })
            }
          />
        </label>
      </header>
      <Shown from={list} rows={8}>
        {({ items }) =>
          items.length ? (
            <Days items={items} list={list} sought={fields.turn ?? ""} />
          ) : fields.day ? (
            <Empty title={t("timeline_before", { day: dayOf(`${fields.day}T12:00`) })}>
              <button type="button" onClick={() => change({ session: fields.session ?? "" })}>
                {t("timeline_latest")}
              </button>
            </Empty>
          ) : (
            <Empty title={t("timeline_none")} hint={t("nothing_ever_hint")}>
              <AddButton />
            </Empty>
          )
        }
      </Shown>
    </>
  );
}

function Days({ items, list, sought }: { items: Moment[]; list: Listed<Moment>; sought: string }) {
  const days = useMemo(() => grouped(items), [items]);
  useEffect(() => {
    document.getElementById(`turn-${sought}`)?.scrollIntoView({ block: "center" });
  }, [sought]);
  return (
    <>
      {days.map(({ date, talks }) => (
        <section key={date} class="day">
          <h2>
            {weekday(date)} <span class="muted">{dayOf(date)}</span>
          </h2>
          {talks.map(({ session, moments }) => (
            <div key={session} class="talk-block">
              <p class="session small">
                <a href={to("timeline", "", { session })}>
                  <SessionName name={session} />
                </a>
              </p>
              <ol>
                {moments.map((moment) => (
                  <One key={moment.turn.ref} moment={moment} sought={moment.turn.ref === sought} />
                ))}
              </ol>
            </div>
          ))}
        </section>
      ))}
      <More more={list.more} loading={list.loadingMore} />
    </>
  );
}

/** Days and conversations, newest first; within a conversation, as it was said. */
function grouped(items: Moment[]): Day[] {
  const days: Day[] = [];
  for (const moment of items) {
    const date = new Date(moment.turn.at).toDateString();
    if (days.at(-1)?.date !== date) days.push({ date, talks: [] });
    const { talks } = days.at(-1)!;
    let talk = talks.find(({ session }) => session === moment.turn.session);
    if (!talk) talks.push((talk = { session: moment.turn.session, moments: [] }));
    talk.moments.unshift(moment);
  }
  return days;
}

function One({ moment: { turn, memories }, sought }: { moment: Moment; sought: boolean }) {
  return (
    <li
      id={`turn-${turn.ref}`}
      class={`moment said-${turn.role}${sought ? " sought" : ""}`}
      data-row
      tabIndex={-1}
    >
      <div>
        <p class="who">
          <Name text={turn.speaker || tOr(turn.role)} />
          <time dateTime={turn.at}>{clock(turn.at)}</time>
        </p>
        <Words text={turn.content} most={600} />
      </div>
      {memories.length > 0 && (
        <ul class="gave" aria-label={t("gave")}>
          {memories.map((memory) => (
            <li key={memory.id} class={pastClass(memory)}>
              <a href={to("memory", memory.id)}>
                <Words text={memory.content} most={200} />
              </a>
              <p class="meta">
                <KindSign kind={memory.kind} />
                <Holds memory={memory} />
              </p>
            </li>
          ))}
        </ul>
      )}
    </li>
  );
}
