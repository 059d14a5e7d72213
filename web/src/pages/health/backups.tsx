import { useState } from "preact/hooks";
import { at, get, send } from "../../lib/api";
import { useLoad } from "../../lib/load";
import { route } from "../../lib/router";
import { complain, tell } from "../../lib/toasts";
import { bytes, moment, t } from "../../lib/words";
import { Advance, Shown } from "../../ui/states";
import { Name, Sentence } from "../../ui/text";

interface Found {
  path: string;
  at: string;
  size: number;
}

export function Backups() {
  const list = useLoad(`backups ${route.value.space}`, (signal) =>
    get<Found[]>(at("/backups"), {}, signal),
  );
  const [busy, setBusy] = useState(false);
  const make = async () => {
    setBusy(true);
    try {
      const made = await send<{ size: number }>("POST", at("/backup"));
      tell(t("backup_made", { size: bytes(made.size) }));
      list.reload();
    } catch (error) {
      complain(error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <section class="block-section">
      <div class="section-head">
        <h2>{t("backups")}</h2>
        {!busy && (
          <button type="button" onClick={() => void make()}>
            {t("backup_now")}
          </button>
        )}
      </div>
      {busy && <Advance label={t("backing_up")} />}
      <Shown from={list} rows={2}>
        {(found) =>
          found.length ? (
            <ul class="plainlist">
              {found.slice(0, 10).map((one) => (
                <li key={one.path}>
                  <time dateTime={one.at}>{moment(one.at)}</time>
                  <span>{bytes(one.size)}</span>
                  <span class="muted small">
                    <Name text={one.path} />
                  </span>
                </li>
              ))}
            </ul>
          ) : (
            <p class="muted">
              <Sentence text={t("backups_none")} />
            </p>
          )
        }
      </Shown>
    </section>
  );
}
