// What waits for a person: one key each to confirm, correct or reject.
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { confirm, correct, edit, reject } from "../../lib/acts";
import { at, get, send } from "../../lib/api";
import { type Page, useLoad } from "../../lib/load";
import { mayAll, mayWrite } from "../../lib/me";
import { route, to } from "../../lib/router";
import { act } from "../../lib/toasts";
import type { Held, Memory, Review, Today } from "../../lib/types";
import { ago, t, tOr } from "../../lib/words";
import { Dialog } from "../../ui/dialog";
import { Editor } from "../../ui/editor";
import { Forget } from "../../ui/forget";
import { Count, Meta, pastClass, Row, When } from "../../ui/memory";
import { Words } from "../../ui/text";

export function Waiting({ today, reload }: { today: Today; reload: () => void }) {
  const { reviews, doubtful, reminders, held } = today;
  const others = doubtful.filter((one) => !reviews.some(({ belief }) => belief.id === one.id));
  const all = reviews.length + others.length + reminders.length + (mayAll.value ? held : 0);
  if (!all) return null;
  return (
    <section class="waiting">
      <h2>
        {t("waits")} <Count value={all} />
      </h2>
      <ul class="rows cards">
        {reminders.map((plan) => (
          <Plan key={plan.id} plan={plan} reload={reload} />
        ))}
        {reviews.map((review) => (
          <Doubt key={review.belief.id} memory={review.belief} review={review} reload={reload} />
        ))}
        {others.map((memory) => (
          <Doubt key={memory.id} memory={memory} reload={reload} />
        ))}
        {held > 0 && mayAll.value && <HeldBack reload={reload} />}
      </ul>
    </section>
  );
}

interface Choice {
  key: string;
  name: string;
  main?: boolean;
  doing: () => void;
}

/** A card with its choices, each with a key. */
function Card({
  href,
  choices,
  children,
}: {
  href?: string;
  choices: Choice[];
  children: ComponentChildren;
}) {
  const allowed = mayWrite.value ? choices : [];
  const keys = Object.fromEntries(allowed.map(({ key, doing }) => [key, doing]));
  return (
    <Row keys={keys} {...(href ? { href } : {})}>
      {children}
      {allowed.length > 0 && (
        <p class="choices">
          {allowed.map(({ key, name, main, doing }) => (
            <button key={key} type="button" class={main ? "main" : ""} onClick={doing}>
              {name} <kbd aria-hidden="true">{key}</kbd>
            </button>
          ))}
        </p>
      )}
    </Row>
  );
}

function Doubt({
  memory,
  review,
  reload,
}: {
  memory: Memory;
  review?: Review;
  reload: () => void;
}) {
  const [open, setOpen] = useState(false);
  const then = () => reload();
  // A belief is confirmed; of a fact that is getting old, one says whether it is still so.
  const old = memory.kind !== "belief";
  const choices = [
    {
      key: "y",
      name: t(old ? "still_so" : "confirm"),
      main: true,
      doing: () => void confirm(memory).then(then),
    },
    { key: "e", name: t("correct"), doing: () => setOpen(true) },
    {
      key: "n",
      name: t(old ? "no_longer" : "reject"),
      doing: () => void reject(memory, reload).then(then),
    },
  ];
  const href = to("memory", memory.id);
  return (
    <>
      <Card href={href} choices={choices}>
        <a class="row-words" href={href}>
          <Words text={memory.content} most={400} />
        </a>
        {old && <p class="label">{t("still_so_ask")}</p>}
        {review && (
          <p class="against">
            <span class="label">{t("contradicts")}</span>
            <a class={pastClass(review.against)} href={to("memory", review.against.id)}>
              <Words text={review.against.content} most={400} />
            </a>
          </p>
        )}
        <Meta memory={memory} />
      </Card>
      {open && (
        <Editor
          title={t("correct")}
          label={t("new_words")}
          memory={memory}
          save={correct}
          close={() => setOpen(false)}
          saved={then}
        >
          <p class="muted">{t("correct_hint")}</p>
        </Editor>
      )}
    </>
  );
}

function Plan({ plan, reload }: { plan: Memory; reload: () => void }) {
  const finish = () => void edit(plan, { done: true }, reload, t("marked_done")).then(reload);
  const href = to("memory", plan.id);
  return (
    <Card href={href} choices={[{ key: "y", name: t("mark_done"), main: true, doing: finish }]}>
      <a class="row-words" href={href}>
        <Words text={plan.content} most={400} />
      </a>
      <p class="meta">
        <span class="change">{t("reminder", { when: ago(plan.due_at ?? plan.created_at) })}</span>
      </p>
    </Card>
  );
}

function HeldBack({ reload }: { reload: () => void }) {
  const list = useLoad(`held ${route.value.space}`, (signal) =>
    get<Page<Held>>(at("/quarantine"), { state: "held", limit: 20 }, signal),
  );
  const held = list.data?.items ?? [];
  const reloadAll = () => {
    list.reload();
    reload();
  };
  const settle = (one: Held, how: "release" | "drop") =>
    void act(
      () => send("POST", at(`/quarantine/${encodeURIComponent(one.id)}/${how}`)),
      t(how === "release" ? "released" : "dropped"),
    ).then(reloadAll);
  // What a request to forget is about stands with the request.
  const heads = held.filter(({ reason }) => !reason.startsWith("forget "));
  const about = (one: Held) =>
    held.filter(({ reason, text }) => text && reason === `forget ${one.id}`);
  return (
    <>
      {heads.map((one) =>
        one.reason === "forget" ? (
          <Request
            key={one.id}
            one={one}
            about={about(one)}
            keep={() => settle(one, "release")}
            reload={reloadAll}
          />
        ) : (
          <Order key={one.id} one={one} settle={settle} />
        ),
      )}
    </>
  );
}

/** An instruction that somebody put into a text. */
function Order({
  one,
  settle,
}: {
  one: Held;
  settle: (one: Held, how: "release" | "drop") => void;
}) {
  const [asking, setAsking] = useState<"" | "release" | "drop">("");
  const words = (
    <blockquote>
      <Words text={one.text} most={400} />
    </blockquote>
  );
  return (
    <>
      <Card
        choices={[
          { key: "n", name: t("drop"), main: true, doing: () => setAsking("drop") },
          { key: "y", name: t("release"), doing: () => setAsking("release") },
        ]}
      >
        <p class="label">{t("held_from", { who: tOr(`origin_${one.origin}`, one.origin) })}</p>
        {words}
        <p class="meta">
          <span class="change">{t("held_back")}</span>
          <When at={one.at} time />
        </p>
      </Card>
      {asking && (
        <Sure
          title={t(asking === "drop" ? "drop_title" : "release_title")}
          hint={t(asking === "drop" ? "drop_hint" : "release_hint")}
          name={t(asking)}
          close={() => setAsking("")}
          doing={() => settle(one, asking)}
        >
          {words}
        </Sure>
      )}
    </>
  );
}

/** Asked before what cannot be undone. */
function Sure({
  title,
  hint,
  name,
  close,
  doing,
  children,
}: {
  title: string;
  hint: string;
  name: string;
  close: () => void;
  doing: () => void;
  children: ComponentChildren;
}) {
  return (
    <Dialog title={title} close={close}>
      {children}
      <p>{hint}</p>
      <p class="choices">
        <button
          type="button"
          class="main"
          autofocus
          onClick={() => {
            close();
            doing();
          }}
        >
          {name}
        </button>
        <button type="button" onClick={close}>
          {t("cancel")}
        </button>
      </p>
    </Dialog>
  );
}

/** Something that the user asked to have forgotten: put away until they say so again. */
function Request({
  one,
  about,
  keep,
  reload,
}: {
  one: Held;
  about: Held[];
  keep: () => void;
  reload: () => void;
}) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Card
        choices={[
          { key: "y", name: t("forget"), main: true, doing: () => setOpen(true) },
          { key: "n", name: t("keep"), doing: keep },
        ]}
      >
        <p class="label">{t("forget_request")}</p>
        <p class="row-words">
          <Words text={one.text} most={400} />
        </p>
        {about.map((part) => (
          <blockquote key={part.id}>
            <Words text={part.text} most={400} />
          </blockquote>
        ))}
        <p class="meta">
          <span class="change">{t("put_away")}</span>
          <When at={one.at} time />
        </p>
      </Card>
      {open && (
        <Forget
          id={one.id}
          words={[one.text, ...about.map(({ text }) => text)]}
          said={[]}
          close={() => setOpen(false)}
          then={reload}
        />
      )}
    </>
  );
}
