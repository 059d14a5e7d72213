// A memory that somebody writes down here.
import { useState } from "preact/hooks";
import { send } from "../lib/api";
import { addOpen } from "../lib/keys";
import { mayWrite, meet } from "../lib/me";
import { go, route, to } from "../lib/router";
import { tell } from "../lib/toasts";
import type { Kind, Memory } from "../lib/types";
import { t } from "../lib/words";
import { WordsDialog } from "./editor";
import { Icon } from "./icons";
import { Importance } from "./importance";

export function AddButton() {
  if (!mayWrite.value) return null;
  return (
    <button type="button" class="main add" onClick={() => (addOpen.value = true)}>
      <Icon name="plus" />
      <span>{t("add_memory")}</span>
    </button>
  );
}

export function Add() {
  const [kind, setKind] = useState<Kind>("fact");
  const [importance, setImportance] = useState(0.5);
  const [tags, setTags] = useState("");
  const close = () => (addOpen.value = false);
  const save = async (content: string) => {
    // In a home without a space, the first memory makes one.
    const space = route.value.space || "main";
    const named = tags.split(/[,，、]/).map((tag) => tag.trim());
    const made = await send<Memory>("POST", `/v1/spaces/${encodeURIComponent(space)}/memories`, {
      content,
      kind,
      importance,
      tags: named.filter(Boolean),
    });
    if (!route.value.space) await meet();
    close();
    tell(t("edited"));
    go(to("memory", made.id, {}, space));
    return true;
  };
  return (
    <WordsDialog
      title={t("add_memory")}
      label={t("content")}
      hint={t("add_example")}
      save={save}
      close={close}
    >
      <div class="fields">
        <label>
          <span>{t("kind")}</span>
          <select value={kind} onChange={(event) => setKind(event.currentTarget.value as Kind)}>
            <option value="fact">{t("add_fact")}</option>
            <option value="belief">{t("add_belief")}</option>
          </select>
        </label>
        <label>
          <span>{t("tags")}</span>
          <input
            type="text"
            dir="auto"
            value={tags}
            onInput={(event) => setTags(event.currentTarget.value)}
          />
        </label>
        <Importance value={importance} set={setImportance} />
      </div>
    </WordsDialog>
  );
}
