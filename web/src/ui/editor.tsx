// Other words for a memory. What was typed stays until it is saved: where somebody else was first,
// their version is shown beside it.
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { type ApiError, at, get, problemOf } from "../lib/api";
import type { Memory } from "../lib/types";
import { t } from "../lib/words";
import { Dialog } from "./dialog";
import { Trouble } from "./states";
import { Words } from "./text";

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
  const [content, setContent] = useState(memory.content);
  const [other, setOther] = useState<Memory>();
  const [failed, setFailed] = useState<ApiError>();
  const [busy, setBusy] = useState(false);
  const words = content.trim();
  const submit = async () => {
    if (!words || busy) return;
    setBusy(true);
    setFailed(undefined);
    try {
      await save(other ?? memory, words);
      close();
      saved();
    } catch (error) {
      await newest(problemOf(error), memory).then(setOther, setFailed);
      setBusy(false);
    }
  };
  const leave = () => {
    close();
    if (other) saved();
  };
  return (
    <Dialog title={title} close={leave}>
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
            onInput={(event) => setContent(event.currentTarget.value)}
            required
          />
        </label>
        {children}
        {other && (
          <section class="other" role="alert">
            <p>{t("stale_title")}</p>
            <blockquote>
              <Words text={other.content} />
            </blockquote>
          </section>
        )}
        {failed && <Trouble error={failed} />}
        <p class="choices">
          <button type="submit" class="main" disabled={!words || busy}>
            {t(other ? "save_over" : "save")} <kbd aria-hidden="true">Ctrl Enter</kbd>
          </button>
          <button type="button" onClick={leave}>
            {t(other ? "take_other" : "cancel")}
          </button>
        </p>
      </form>
    </Dialog>
  );
}

/** The memory as somebody else has left it, if that is why it could not be saved. */
async function newest(error: ApiError, memory: Memory): Promise<Memory> {
  if (error.code !== "stale_edit") throw error;
  try {
    return await get<Memory>(at(`/memories/${encodeURIComponent(memory.id)}`));
  } catch (another) {
    throw problemOf(another);
  }
}
