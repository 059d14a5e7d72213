// Forgetting for good: first what would go, then a receipt.
import { signal } from "@preact/signals";
import { useState } from "preact/hooks";
import { at, send, problemOf } from "../lib/api";
import { useLoad } from "../lib/load";
import type { Receipt, Turn } from "../lib/types";
import { moment, number, t, tOr } from "../lib/words";
import { Dialog } from "./dialog";
import { Said } from "./memory";
import { Advance, Shown, Trouble } from "./states";
import { Words } from "./text";

/** Stands over whichever page is shown next: the one with the forgotten words is left at once. */
const receipt = signal<Receipt | undefined>(undefined);

export function Forget({
  id,
  words,
  said,
  close,
  then,
}: {
  id: string;
  words: string[];
  /** The messages that it comes from. */
  said: Turn[];
  close: () => void;
  /** Leave what shows the words. */
  then: () => void;
}) {
  const preview = useLoad(`forget ${id}`, (signal) =>
    send<Receipt>("POST", at("/forget"), { ids: [id], dry_run: true }, signal),
  );
  const [busy, setBusy] = useState(false);
  const [failed, setFailed] = useState<unknown>();
  const forget = async () => {
    setBusy(true);
    setFailed(undefined);
    try {
      receipt.value = await send<Receipt>("POST", at("/forget"), { ids: [id] });
      close();
      then();
    } catch (error) {
      setFailed(error);
      setBusy(false);
    }
  };
  return (
    <Dialog title={t("forget_title")} close={close}>
      {words.map((text, no) => (
        <blockquote key={no}>
          <Words text={text} most={200} />
        </blockquote>
      ))}
      <p>{t("forget_hint")}</p>
      {said.length > 0 && (
        <>
          <h3>{t("forget_said")}</h3>
          <ol class="talk">
            {said.map((turn) => (
              <Said key={turn.ref} turn={turn} />
            ))}
          </ol>
        </>
      )}
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
        <Advance label={t("forgetting")} />
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

export function ReceiptShown() {
  const shown = receipt.value;
  if (!shown) return null;
  const leave = () => (receipt.value = undefined);
  return (
    <Dialog title={t("forgotten")} close={leave}>
      <p>{t("receipt_hint")}</p>
      <p class="muted">
        {t("receipt")} {shown.id} · {moment(shown.at)}
      </p>
      <Erased receipt={shown} />
      <p class="choices">
        <button type="button" class="main" onClick={leave}>
          {t("close")}
        </button>
      </p>
    </Dialog>
  );
}

/** What a person knows of comes before what is made of it; the rest stays as it came. */
const FIRST = ["parts of turns", "turns", "memories"];
const rank = (place: string) => FIRST.indexOf(place);

function Erased({ receipt }: { receipt: Receipt }) {
  const places = Object.entries(receipt.erased).filter(([, count]) => count > 0);
  places.sort(([one], [other]) => rank(other) - rank(one));
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
