// Every version of a memory, newest first, as what changed in its words.
import { at, get } from "../../lib/api";
import { type Page, useLoad } from "../../lib/load";
import { route } from "../../lib/router";
import type { Memory, Version } from "../../lib/types";
import { t, tOr } from "../../lib/words";
import { When } from "../../ui/memory";
import { Shown } from "../../ui/states";
import { Diff, Words } from "../../ui/text";

export function History({ memory }: { memory: Memory }) {
  const path = at(`/memories/${encodeURIComponent(memory.id)}/history`);
  const history = useLoad(`${route.value.space} ${memory.id} ${memory.version}`, (signal) =>
    get<Page<Version>>(path, { limit: 100 }, signal),
  );
  return (
    <section>
      <h2>{t("history")}</h2>
      <Shown from={history} rows={3}>
        {({ items }) => (
          <ol class="history">
            {items
              .map((step, no) => <Step key={no} step={step} before={items[no - 1]} />)
              .reverse()}
          </ol>
        )}
      </Shown>
    </section>
  );
}

function Step({ step, before }: { step: Version; before: Version | undefined }) {
  const same = before?.record.content === step.record.content;
  return (
    <li>
      <p class="meta">
        <span class="change">{tOr(`change_${step.change}`, step.change)}</span>
        <When at={step.at} time />
      </p>
      {!before ? (
        <Words text={step.record.content} most={400} />
      ) : same ? null : (
        <Diff before={before.record.content} after={step.record.content} />
      )}
    </li>
  );
}
