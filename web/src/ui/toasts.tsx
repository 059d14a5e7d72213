import { complain, dismiss, type Toast, toasts } from "../lib/toasts";
import { t } from "../lib/words";
import { Icon } from "./icons";
import { Sentence } from "./text";

export function Toasts() {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {toasts.value.map((toast) => (
        <One key={toast.no} toast={toast} />
      ))}
    </div>
  );
}

function One({ toast }: { toast: Toast }) {
  const undo = () => {
    dismiss(toast.no);
    toast.undo?.().catch(complain);
  };
  return (
    <div class={toast.bad ? "toast bad" : "toast"}>
      <p>
        <Sentence text={toast.text} />
        {toast.hint && (
          <small>
            <Sentence text={toast.hint} />
          </small>
        )}
      </p>
      {toast.undo && (
        <button type="button" class="link" onClick={undo}>
          {t("undo")}
        </button>
      )}
      <button type="button" class="plain" aria-label={t("close")} onClick={() => dismiss(toast.no)}>
        <Icon name="close" />
      </button>
    </div>
  );
}
