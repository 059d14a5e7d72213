import { at, get } from "../../lib/api";
import { useLoad } from "../../lib/load";
import { type Fields, route } from "../../lib/router";
import type { Label, Labels } from "../../lib/types";
import { type Key, t } from "../../lib/words";

export const FILTERS = [
  "kind",
  "entity",
  "project",
  "topic",
  "tag",
  "state",
  "since",
  "until",
  "as_of",
];

export function Filters({ fields, change }: { fields: Fields; change: (edits: Fields) => void }) {
  const labels = useLoad(`labels ${route.value.space}`, (signal) =>
    get<Labels>(at("/labels"), { limit: 100 }, signal),
  ).data;
  const set = FILTERS.filter((name) => fields[name]);
  const clear = () => change(Object.fromEntries(set.map((name) => [name, ""])));
  const choose = { fields, change };
  return (
    <details class="filters" open={set.length > 0}>
      <summary>
        {t("filters")} {set.length > 0 && <span class="count">{set.length}</span>}
      </summary>
      <div class="fields">
        <Choice
          {...choose}
          name="kind"
          label="kind"
          values={[
            ["fact", t("fact")],
            ["belief", t("belief")],
            ["summary", t("summary")],
          ]}
        />
        <Choice {...choose} name="entity" label="person" values={named(labels?.entities)} />
        <Choice {...choose} name="project" label="project" values={named(labels?.projects)} />
        <Choice {...choose} name="topic" label="topic" values={named(labels?.topics)} />
        <Choice {...choose} name="tag" label="tag" values={named(labels?.tags)} />
        <Choice
          {...choose}
          name="state"
          label="state"
          values={[
            ["active", t("active")],
            ["archived", t("archived")],
          ]}
        />
        <Day {...choose} name="since" label="from_date" />
        <Day {...choose} name="until" label="to_date" />
        <Day {...choose} name="as_of" label="as_of" hint="as_of_hint" />
        {set.length > 0 && (
          <button type="button" class="link" onClick={clear}>
            {t("clear")}
          </button>
        )}
      </div>
    </details>
  );
}

function named(labels: Label[] = []): [string, string][] {
  return labels
    .filter(({ name }) => !name.startsWith("_"))
    .map(({ name, memories }) => [name, `${name} (${memories})`]);
}

interface Choosing {
  fields: Fields;
  change: (edits: Fields) => void;
  name: string;
  label: Key;
}

function Choice({
  fields,
  change,
  name,
  label,
  values,
}: Choosing & { values: [string, string][] }) {
  const chosen = fields[name] ?? "";
  const known = !chosen || values.some(([value]) => value === chosen);
  return (
    <label>
      <span>{t(label)}</span>
      <select value={chosen} onChange={(event) => change({ [name]: event.currentTarget.value })}>
        <option value="">{t("any")}</option>
        {!known && <option value={chosen}>{chosen}</option>}
        {values.map(([value, text]) => (
          <option key={value} value={value} dir="auto">
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}

function Day({ fields, change, name, label, hint }: Choosing & { hint?: Key }) {
  return (
    <label title={hint && t(hint)}>
      <span>{t(label)}</span>
      <input
        type="date"
        value={fields[name] ?? ""}
        onChange={(event) => change({ [name]: event.currentTarget.value })}
      />
    </label>
  );
}
