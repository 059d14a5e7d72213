import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";
import { t } from "../lib/words";
import { Icon } from "./icons";

/** A dialog over the page; Escape and a click beside it close it, and the focus goes back. */
export function Dialog({
  title,
  close,
  children,
}: {
  title: string;
  close: () => void;
  children: ComponentChildren;
}) {
  const at = useRef<HTMLDialogElement>(null);
  const name = useId();
  useEffect(() => {
    const before = document.activeElement;
    at.current?.showModal();
    return () => {
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  return (
    <dialog
      ref={at}
      aria-labelledby={name}
      onClose={close}
      onCancel={(event) => {
        event.preventDefault();
        close();
      }}
      onMouseDown={(event) => event.target === at.current && close()}
    >
      <div class="dialog">
        <header>
          <h2 id={name}>{title}</h2>
          <button type="button" class="plain" aria-label={t("close")} onClick={close}>
            <Icon name="close" />
          </button>
        </header>
        {children}
      </div>
    </dialog>
  );
}
