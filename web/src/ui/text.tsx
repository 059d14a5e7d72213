// Words of a memory or a message. They are data: text nodes only, each isolated, so that marks for
// the direction of writing in one cannot turn what stands beside it.
import { useState } from "preact/hooks";
import { bytes, t } from "../lib/words";
import { diff } from "../lib/diff";
import { marked } from "../lib/marks";

const LONG = 1200;
const HIDDEN = 200;

/** Cut between characters, not within one. */
function cut(text: string, most: number): string {
  const code = text.charCodeAt(most - 1);
  return text.slice(0, code >= 0xd800 && code < 0xdc00 ? most - 1 : most);
}

/** Words as they were said; very long ones are cut, with a button for the rest. */
export function Words({ text, most = LONG }: { text: string; most?: number }) {
  const [open, setOpen] = useState(false);
  const long = text.length > most + HIDDEN;
  return (
    <>
      <bdi dir="auto" class="words">
        {long && !open ? `${cut(text, most)}…` : text}
      </bdi>
      {long && (
        <button
          type="button"
          class="link small"
          onClick={(event) => {
            event.preventDefault();
            event.stopPropagation();
            setOpen(!open);
          }}
        >
          {open ? t("show_less") : t("show_all", { size: bytes(new Blob([text]).size) })}
        </button>
      )}
    </>
  );
}

/** A short name: a tag, an entity, a session. */
export function Name({ text }: { text: string }) {
  return <bdi dir="auto">{text.length > 80 ? `${cut(text, 80)}…` : text}</bdi>;
}

/** What changed, old words struck through. */
export function Diff({ before, after }: { before: string; after: string }) {
  const pieces = diff(cut(before, 20_000), cut(after, 20_000));
  return (
    <bdi dir="auto" class="words diff">
      {pieces.map(({ what, text }, at) =>
        what === "same" ? (
          <span key={at}>{text}</span>
        ) : what === "gone" ? (
          <del key={at}>{text}</del>
        ) : (
          <ins key={at}>{text}</ins>
        ),
      )}
    </bdi>
  );
}

/** A sentence of ours with `commands` in it. */
export function Sentence({ text }: { text: string }) {
  return <>{text.split("`").map((part, at) => (at % 2 ? <code key={at}>{part}</code> : part))}</>;
}

/** Words with those that matched a question marked, whatever their case and accents. */
export function Marked({ text, words }: { text: string; words: string[] }) {
  const shown = text.length > 600 ? `${cut(text, 600)}…` : text;
  return (
    <bdi dir="auto" class="words">
      {marked(shown, words).map((part, at) => (at % 2 ? <mark key={at}>{part}</mark> : part))}
    </bdi>
  );
}
