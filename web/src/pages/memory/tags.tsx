import { useState } from "preact/hooks";
import { to } from "../../lib/router";
import { t } from "../../lib/words";
import { Icon } from "../../ui/icons";
import { Name } from "../../ui/text";

export function TagsField({ tags, save }: { tags: string[]; save?: (tags: string[]) => void }) {
  const [typed, setTyped] = useState("");
  const add = (event: Event) => {
    event.preventDefault();
    const more = typed
      .split(/[,，、]/)
      .map((tag) => tag.trim())
      .filter(Boolean);
    setTyped("");
    if (more.length) save?.([...new Set([...tags, ...more])]);
  };
  return (
    <div class="tags">
      {tags.map((tag) => (
        <span key={tag} class="tag">
          <a href={to("search", "", { tag })}>
            <Name text={tag} />
          </a>
          {save && (
            <button
              type="button"
              class="plain"
              aria-label={t("remove_tag", { tag })}
              onClick={() => save(tags.filter((one) => one !== tag))}
            >
              <Icon name="close" />
            </button>
          )}
        </span>
      ))}
      {save && (
        <form onSubmit={add}>
          <input
            type="text"
            dir="auto"
            aria-label={t("add_tag")}
            placeholder={t("add_tag")}
            value={typed}
            onInput={(event) => setTyped(event.currentTarget.value)}
          />
        </form>
      )}
    </div>
  );
}
