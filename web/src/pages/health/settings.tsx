// The settings as they are, with where each comes from.
import { useState } from "preact/hooks";
import { at, get } from "../../lib/api";
import { useLoad } from "../../lib/load";
import { route } from "../../lib/router";
import { language, t, tOr } from "../../lib/words";
import { Shown } from "../../ui/states";
import { Table } from "../../ui/table";
import { Name } from "../../ui/text";

interface Setting {
  name: string;
  value: unknown;
  default: unknown;
  source: "default" | "file" | "environment";
  variable: string;
  about: string;
}

export function Settings() {
  const [sought, setSought] = useState("");
  const [all, setAll] = useState(false);
  const settings = useLoad(`settings ${route.value.space} ${language.value}`, (signal) =>
    get<Setting[]>(at("/settings"), {}, signal),
  );
  const words = sought.trim().toLowerCase();
  const shown = (list: Setting[]) =>
    list.filter((one) =>
      words
        ? one.name.includes(words) || one.about.toLowerCase().includes(words)
        : all || one.source !== "default",
    );
  return (
    <section class="block-section">
      <div class="section-head">
        <h2>{t("settings")}</h2>
        <input
          type="search"
          aria-label={t("find_setting")}
          placeholder={t("find_setting")}
          value={sought}
          onInput={(event) => setSought(event.currentTarget.value)}
        />
      </div>
      <Shown from={settings} rows={3}>
        {(list) => (
          <>
            {shown(list).length ? (
              <Listed settings={shown(list)} />
            ) : (
              <p class="muted">{t(words ? "found_none" : "settings_default")}</p>
            )}
            {!words && (
              <button type="button" class="link small" onClick={() => setAll(!all)}>
                {all ? t("show_less") : t("settings_all", { n: list.length })}
              </button>
            )}
          </>
        )}
      </Shown>
    </section>
  );
}

function written(value: unknown): string {
  if (value === "" || value === null || (Array.isArray(value) && !value.length)) return "—";
  return typeof value === "string" ? value : JSON.stringify(value);
}

function Listed({ settings }: { settings: Setting[] }) {
  return (
    <Table name={t("settings")} columns={[t("setting"), t("value"), t("source")]}>
      {settings.map((one) => (
        <tr key={one.name}>
          <th scope="row">
            <code>{one.name}</code>
            <span class="muted small block">{one.about}</span>
          </th>
          <td>
            <Name text={written(one.value)} />
          </td>
          <td>
            {one.variable && one.source === "environment" ? (
              <code>{one.variable}</code>
            ) : (
              tOr(`source_${one.source}`, one.source)
            )}
          </td>
        </tr>
      ))}
    </Table>
  );
}
