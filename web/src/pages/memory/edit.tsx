import { useState } from "preact/hooks";
import { edit } from "../../lib/acts";
import type { Memory } from "../../lib/types";
import { number, t } from "../../lib/words";
import { Dialog } from "../../ui/dialog";

export function Edit({
  memory,
  close,
  reload,
}: {
  memory: Memory;
  close: () => void;
  reload: () => void;
}) {
  const [content, setContent] = useState(memory.content);
  const [importance, setImportance] = useState(memory.importance);
  const submit = (event: Event) => {
    event.preventDefault();
    close();
    const edits = {
      ...(content.trim() !== memory.content && { content: content.trim() }),
      ...(importance !== memory.importance && { importance }),
    };
    if (Object.keys(edits).length)
      void edit(memory, edits, reload).then((done) => done && reload());
  };
  return (
    <Dialog title={t("edit")} close={close}>
      <form onSubmit={submit}>
        <label>
          {t("content")}
          <textarea
            rows={5}
            dir="auto"
            autofocus
            value={content}
            onInput={(event) => setContent(event.currentTarget.value)}
            required
          />
        </label>
        <label>
          <span>
            {t("importance")} {number(importance, 2)}
          </span>
          <input
            type="range"
            min="0"
            max="1"
            step="0.05"
            value={importance}
            onInput={(event) => setImportance(Number(event.currentTarget.value))}
          />
        </label>
        <p class="choices">
          <button type="submit" class="main" disabled={!content.trim()}>
            {t("save")}
          </button>
          <button type="button" onClick={close}>
            {t("cancel")}
          </button>
        </p>
      </form>
    </Dialog>
  );
}
