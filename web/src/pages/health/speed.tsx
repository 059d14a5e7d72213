import { get } from "../../lib/api";
import { useLoad } from "../../lib/load";
import { ago, number, operation, t } from "../../lib/words";
import { Shown } from "../../ui/states";
import { Table } from "../../ui/table";

interface Operation {
  requests: number;
  errors: number;
  mean_ms: number;
  p50_ms: number;
  p95_ms: number;
}

interface Server {
  version: string;
  up_s: number;
  operations: Record<string, Operation>;
}

const LISTED = 8;

/** How long requests took since the server was started, recalls first. */
export function Speed() {
  const server = useLoad("server", (signal) => get<Server>("/v1/server", {}, signal));
  return (
    <section>
      <h2>{t("speed")}</h2>
      <Shown from={server} rows={3}>
        {({ version, up_s, operations }) => (
          <>
            <p class="muted small">
              Loxodon {version} ·{" "}
              {t("running_since", { when: ago(new Date(Date.now() - up_s * 1000).toISOString()) })}
            </p>
            <Table
              name={t("speed")}
              columns={[t("operation"), t("calls"), "p50 ms", "p95 ms", t("errors")]}
            >
              {ranked(operations).map(([name, one]) => (
                <tr key={name}>
                  <th scope="row">{operation(name)}</th>
                  <td>{number(one.requests)}</td>
                  <td>{number(one.p50_ms, 1)}</td>
                  <td>{number(one.p95_ms, 1)}</td>
                  <td>{number(one.errors)}</td>
                </tr>
              ))}
            </Table>
          </>
        )}
      </Shown>
    </section>
  );
}

function ranked(operations: Record<string, Operation>): [string, Operation][] {
  const weight = ([name, { requests }]: [string, Operation]) =>
    name.startsWith("recall") || name === "context" ? Infinity : requests;
  return Object.entries(operations)
    .sort((one, other) => weight(other) - weight(one))
    .slice(0, LISTED);
}
