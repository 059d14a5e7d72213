// One memory: its words, what can be done with it, and where it comes from.
import { useState } from "preact/hooks";
import { archive, confirm, edit, reject, unarchive } from "../lib/acts";
import { at, get } from "../lib/api";
import { useKeys } from "../lib/keys";
import { useLoad } from "../lib/load";
import { mayAll, mayWrite } from "../lib/me";
import { go, replace, route, to } from "../lib/router";
import type { Memory, Related } from "../lib/types";
import { type Key, moment, number, t, tOr } from "../lib/words";
import { Forget } from "../ui/forget";
import { lazy } from "../ui/lazy";
import { Holds, KindSign, Memories, Meter, pastClass, Said, SessionName } from "../ui/memory";
import { Shown } from "../ui/states";
import { Name, Words } from "../ui/text";
import { Edit } from "./memory/edit";
import { History } from "./memory/history";
import { TagsField } from "./memory/tags";

const Strength = lazy(() => import("./memory/strength"), 3);

export default function MemoryPage() {
  const { id, space } = route.value;
  const [done, setDone] = useState(0);
  const related = useLoad(`${space} ${id} ${done}`, (signal) =>
    get<Related>(at(`/memories/${encodeURIComponent(id)}/related`), {}, signal),
  );
  return (
    <Shown from={related} rows={8}>
      {(data) => <One data={data} reload={() => setDone((count) => count + 1)} />}
    </Shown>
  );
}

function One({ data, reload }: { data: Related; reload: () => void }) {
  const memory = data.record;
  return (
    <article class="memory">
      <header>
        <p class="meta">
          <KindSign kind={memory.kind} />
          <Holds memory={memory} />
          <span class="muted id">{memory.id}</span>
        </p>
        <h1 class={pastClass(memory)}>
          <Words text={memory.content} most={600} />
        </h1>
        {mayWrite.value && <Actions memory={memory} said={data.said} reload={reload} />}
      </header>
      <div class="columns">
        <div>
          <SaidThere said={data.said} />
          <History memory={memory} />
          <Strength memory={memory} />
        </div>
        <aside>
          <Details memory={memory} reload={reload} />
          <Others title="replaced_by" of={data.replaced_by} />
          <Others title="replaced" of={data.replaced} />
          <Others title="made_of" of={data.made_of} />
          <Others title="made" of={data.made} />
          <Others title="beside" of={data.beside} />
        </aside>
      </div>
    </article>
  );
}

function Actions({
  memory,
  said,
  reload,
}: {
  memory: Memory;
  said: Related["said"];
  reload: () => void;
}) {
  const [open, setOpen] = useState<"" | "edit" | "forget">("");
  const active = memory.state === "active";
  // What could not be done was told; the page then shows what is so now.
  const then = (done: Memory | undefined) => {
    if (done && done.id !== memory.id) go(to("memory", done.id));
    else reload();
  };
  const choices: [string, Key, () => void][] = [
    ["e", "edit", () => setOpen("edit")],
    [
      "a",
      active ? "archive" : "unarchive",
      () => void (active ? archive(memory, reload) : unarchive(memory, reload)).then(then),
    ],
  ];
  if (memory.kind === "belief" && active)
    choices.unshift(
      ["y", "confirm", () => void confirm(memory).then(then)],
      ["n", "reject", () => void reject(memory, reload).then(then)],
    );
  useKeys(Object.fromEntries(choices.map(([key, , doing]) => [key, doing])));
  return (
    <>
      <p class="choices">
        {choices.map(([key, name, doing]) => (
          <button key={key} type="button" class={key === "y" ? "main" : ""} onClick={doing}>
            {t(name)} <kbd aria-hidden="true">{key}</kbd>
          </button>
        ))}
        {mayAll.value && (
          <button type="button" class="danger" onClick={() => setOpen("forget")}>
            {t("forget")}
          </button>
        )}
      </p>
      {open === "edit" && <Edit memory={memory} close={() => setOpen("")} reload={reload} />}
      {open === "forget" && (
        <Forget
          id={memory.id}
          words={[memory.content]}
          said={said.map(({ turn }) => turn)}
          close={() => setOpen("")}
          then={() => replace(to("today"))}
        />
      )}
    </>
  );
}

function Details({ memory, reload }: { memory: Memory; reload: () => void }) {
  const facts: [Key, string][] = [
    ["category", tOr(`category_${memory.category}`, memory.category)],
    ["project", memory.project.startsWith("_") ? "" : memory.project],
    ["topic", memory.topic.startsWith("_") ? "" : memory.topic],
    ["audience", tOr(`audience_${memory.audience}`, memory.audience)],
    ["origin", tOr(`origin_${memory.trust}`, memory.trust)],
    ["learned_at", moment(memory.created_at)],
    ["true_from", memory.valid_from ? moment(memory.valid_from) : ""],
    ["true_until", memory.valid_until ? moment(memory.valid_until) : ""],
    ["due", memory.due_at ? moment(memory.due_at) : ""],
    ["last_used", memory.accessed_at ? moment(memory.accessed_at) : t("never")],
  ];
  const shares: [Key, number][] = [
    ["strength", memory.strength],
    ["importance", memory.importance],
    ["confidence", memory.confidence],
  ];
  const save = (tags: string[]) => void edit(memory, { tags }, reload, t("tagged")).then(reload);
  return (
    <section class="details">
      <dl>
        {shares.map(([name, value]) => (
          <div key={name}>
            <dt>{t(name)}</dt>
            <dd>
              <Meter label={t(name)} value={value} /> {number(value, 2)}
            </dd>
          </div>
        ))}
        {facts
          .filter(([, value]) => value)
          .map(([name, value]) => (
            <div key={name}>
              <dt>{t(name)}</dt>
              <dd>
                <Name text={value} />
              </dd>
            </div>
          ))}
        {memory.entities.length > 0 && (
          <div>
            <dt>{t("about")}</dt>
            <dd class="tags">
              {memory.entities.map((name) => (
                <a key={name} class="tag" href={to("search", "", { entity: name })}>
                  <Name text={tOr(name === "user" ? "user" : "", name)} />
                </a>
              ))}
            </dd>
          </div>
        )}
        <div>
          <dt>{t("tags")}</dt>
          <dd>
            <TagsField tags={memory.tags} {...(mayWrite.value ? { save } : {})} />
          </dd>
        </div>
      </dl>
    </section>
  );
}

function SaidThere({ said }: { said: Related["said"] }) {
  return (
    <section>
      <h2>{t("said")}</h2>
      {said.length === 0 && <p class="muted">{t("said_none")}</p>}
      {said.map(({ turn, before, after }) => (
        <div key={turn.ref}>
          <p class="session muted small">
            <a href={to("timeline", "", { session: turn.session, turn: turn.ref })}>
              <SessionName name={turn.session} />
            </a>
          </p>
          <ol class="talk">
            {before.map((one) => (
              <Said key={one.ref} turn={one} />
            ))}
            <Said turn={turn} source />
            {after.map((one) => (
              <Said key={one.ref} turn={one} />
            ))}
          </ol>
        </div>
      ))}
    </section>
  );
}

function Others({ title, of }: { title: Key; of: Memory | Memory[] | null }) {
  const list = of === null ? [] : Array.isArray(of) ? of : [of];
  if (!list.length) return null;
  return (
    <section>
      <h2>{t(title)}</h2>
      <Memories of={list} />
    </section>
  );
}
