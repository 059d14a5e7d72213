// Who read and wrote what, newest first. It has no content.
import { at, get } from "../../lib/api";
import { type Page, usePages } from "../../lib/load";
import { route } from "../../lib/router";
import { moment, t } from "../../lib/words";
import { More, Shown } from "../../ui/states";
import { Table } from "../../ui/table";
import { Name } from "../../ui/text";

interface Entry {
  n: number;
  at: string;
  surface: string;
  agent: string;
  caller: string;
  op: string;
  ids: string[];
  given: number | null;
  outcome: string;
}

export function Audit() {
  const list = usePages<Entry>(`audit ${route.value.space}`, async (cursor, signal) => {
    const page = await get<Page<Entry>>(at("/audit"), { limit: 20, cursor }, signal);
    return { ...page, items: page.items.toReversed() };
  });
  return (
    <section class="block-section">
      <h2>{t("audit")}</h2>
      <Shown from={list} rows={4}>
        {({ items }) =>
          items.length ? (
            <>
              <Listed entries={items} />
              <More more={list.more} loading={list.loadingMore} />
            </>
          ) : (
            <p class="muted">{t("audit_none")}</p>
          )
        }
      </Shown>
    </section>
  );
}

function Listed({ entries }: { entries: Entry[] }) {
  return (
    <Table
      name={t("audit")}
      columns={[t("when"), t("who"), t("operation"), t("what"), t("outcome")]}
    >
      {entries.map((one) => (
        <tr key={one.n}>
          <td>
            <time dateTime={one.at}>{moment(one.at)}</time>
          </td>
          <td>
            <Name text={[one.surface, one.agent, one.caller].filter(Boolean).join(" · ")} />
          </td>
          <td>{one.op}</td>
          <td>
            <Name text={one.ids.slice(0, 4).join(", ")} />
          </td>
          <td class={one.outcome === "ok" ? "" : "bad"}>{one.outcome}</td>
        </tr>
      ))}
    </Table>
  );
}
