// Forgetting for good: first what would go, then a receipt.
import { useState } from "preact/hooks";
import { at, send, problemOf } from "../lib/api";
import { useLoad } from "../lib/load";
import type { Receipt } from "../lib/types";
import { moment, number, t, tOr } from "../lib/words";
import { Dialog } from "./dialog";
import { Advance, Shown, Trouble } from "./states";
import { Words } from "./text";

export function Forget({
  id,
  words,
  close,
  then,
}: {
  id: string;
  words: string;
  close: () => void;
  /** What comes after it was forgotten and the receipt was read. */
  then: () => void;
}) {
  const preview = useLoad(`forget ${id}`, (signal) =>
    send<Receipt>("POST", at("/forget"), { ids: [id], dry_run: true }, signal),
  );
  const [busy, setBusy] = useState(false);
  const [failed, setFailed] = useState<unknown>();
  const [receipt, setReceipt] = useState<Receipt>();
  const forget = async () => {
    setBusy(true);
    setFailed(undefined);
    try {
      setReceipt(await send<Receipt>("POST", at("/forget"), { ids: [id] }));
    } catch (error) {
      setFailed(error);
    } finally {
      setBusy(false);
    }
  };
  if (receipt) return <Done receipt={receipt} leave={then} />;
  return (
    <Dialog title={t("forget_title")} close={close}>
      <blockquote>
        <Words text={words} most={200} />
      </blockquote>
      <p>{t("forget_hint")}</p>
      <Shown from={preview} rows={2}>
        {(data) => (
          <>
            <h3>{t("forget_preview")}</h3>
            <Erased receipt={data} />
          </>
        )}
      </Shown>
      {failed !== undefined && <Trouble error={problemOf(failed)} />}
      {busy ? (
        <Advance label={t("forgetting")} progress={undefined} />
      ) : (
        <p class="choices">
          <button
            type="button"
            class="danger"
            disabled={!preview.data}
            onClick={() => void forget()}
          >
            {t("forget_now")}
          </button>
          <button type="button" onClick={close}>
            {t("cancel")}
          </button>
        </p>
      )}
    </Dialog>
  );
}

function Done({ receipt, leave }: { receipt: Receipt; leave: () => void }) {
  return (
    <Dialog title={t("forgotten")} close={leave}>
      <p>{t("receipt_hint")}</p>
      <p class="muted">
        {t("receipt")} {receipt.id} · {moment(receipt.at)}
      </p>
      <Erased receipt={receipt} />
      <p class="choices">
        <button type="button" class="main" onClick={leave}>
          {t("close")}
        </button>
      </p>
    </Dialog>
  );
}

function Erased({ receipt }: { receipt: Receipt }) {
  const places = Object.entries(receipt.erased).filter(([, count]) => count > 0);
  return (
    <>
      <dl class="erased">
        {places.map(([place, count]) => (
          <div key={place}>
            <dt>{tOr(`place_${place.replaceAll(" ", "_")}`, place)}</dt>
            <dd>{number(count)}</dd>
          </div>
        ))}
      </dl>
      {receipt.files.length > 0 && (
        <>
          <h3>{t("still_in")}</h3>
          <ul>
            {receipt.files.map(({ file, line }) => (
              <li key={`${file}:${line}`}>
                <Words text={line ? `${file}:${line}` : file} />
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  );
}
