// Words for a memory, new or other ones. What was typed stays until it is saved: where somebody else
// was first, their version is shown beside it.
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { type ApiError, at, get, problemOf } from "../lib/api";
import type { Memory } from "../lib/types";
import { t } from "../lib/words";
import { Dialog } from "./dialog";
import { Trouble } from "./states";
import { Words } from "./text";

/** A dialog that asks for words. `save` says whether they are saved: the dialog then closes. */
export function WordsDialog({
  title,
  label,
  hint = "",
  first = "",
  names = [t("save"), t("cancel")],
  save,
  close,
  children,
}: {
  title: string;
  label: string;
  hint?: string;
  first?: string;
  /** Of the two buttons. */
  names?: [string, string];
  save: (content: string) => Promise<boolean>;
  close: () => void;
  children?: ComponentChildren;
}) {
  const [content, setContent] = useState(first);
  const [failed, setFailed] = useState<ApiError>();
  const [busy, setBusy] = useState(false);
  const words = content.trim();
  const submit = async () => {
    if (!words || busy) return;
    setBusy(true);
    setFailed(undefined);
    try {
      if (await save(words)) return;
    } catch (error) {
      setFailed(problemOf(error));
    }
    setBusy(false);
  };
  return (
    <Dialog title={title} close={close}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
        onKeyDown={(event) => {
          if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) void submit();
        }}
      >
        <label>
          {label}
          <textarea
            rows={5}
            dir="auto"
            autofocus
            value={content}
            placeholder={hint}
            onInput={(event) => setContent(event.currentTarget.value)}
            required
          />
        </label>
        {children}
        {failed && <Trouble error={failed} />}
        <p class="choices">
          <button type="submit" class="main" disabled={!words || busy}>
            {names[0]} <kbd aria-hidden="true">Ctrl Enter</kbd>
          </button>
          <button type="button" onClick={close}>
            {names[1]}
          </button>
        </p>
      </form>
    </Dialog>
  );
}

export function Editor({
  title,
  label,
  memory,
  save,
  close,
  saved,
  children,
}: {
  title: string;
  label: string;
  memory: Memory;
  /** Save over this version of the memory. */
  save: (over: Memory, content: string) => Promise<unknown>;
  close: () => void;
  /** What comes after: it was saved, or the version of somebody else was taken. */
  saved: () => void;
  children?: ComponentChildren;
}) {
  const [other, setOther] = useState<Memory>();
  const saving = async (content: string) => {
    try {
      await save(other ?? memory, content);
    } catch (error) {
      setOther(await newest(problemOf(error), memory));
      return false;
    }
    close();
    saved();
    return true;
  };
  const leave = () => {
    close();
    if (other) saved();
  };
  return (
    <WordsDialog
      title={title}
      label={label}
      first={memory.content}
      {...(other && { names: [t("save_over"), t("take_other")] })}
      save={saving}
      close={leave}
    >
      {children}
      {other && (
        <section class="other" role="alert">
          <p>{t("stale_title")}</p>
          <blockquote>
            <Words text={other.content} />
          </blockquote>
        </section>
      )}
    </WordsDialog>
  );
}

/** The memory as somebody else has left it, if that is why it could not be saved. */
async function newest(error: ApiError, memory: Memory): Promise<Memory> {
  if (error.code !== "stale_edit") throw error;
  return get<Memory>(at(`/memories/${encodeURIComponent(memory.id)}`));
}
