import { useState } from "preact/hooks";
import { save } from "../../lib/acts";
import type { Memory } from "../../lib/types";
import { t } from "../../lib/words";
import { Editor } from "../../ui/editor";
import { Importance } from "../../ui/importance";

export function Edit({
  memory,
  close,
  reload,
}: {
  memory: Memory;
  close: () => void;
  reload: () => void;
}) {
  const [importance, setImportance] = useState(memory.importance);
  const saving = async (over: Memory, content: string) => {
    const edits = {
      ...(content !== over.content && { content }),
      ...(importance !== memory.importance && { importance }),
    };
    if (Object.keys(edits).length) await save(over, edits, reload);
  };
  return (
    <Editor
      title={t("edit")}
      label={t("content")}
      memory={memory}
      save={saving}
      close={close}
      saved={reload}
    >
      <Importance value={importance} set={setImportance} />
    </Editor>
  );
}
