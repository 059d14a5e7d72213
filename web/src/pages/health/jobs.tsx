import { useState } from "preact/hooks";
import { at, get, send } from "../../lib/api";
import { useLoad } from "../../lib/load";
import { mayAll } from "../../lib/me";
import { route } from "../../lib/router";
import { act } from "../../lib/toasts";
import type { Job } from "../../lib/types";
import { ago, moment, t, tOr } from "../../lib/words";
import { Shown } from "../../ui/states";

export function Jobs() {
  const jobs = useLoad(`jobs ${route.value.space}`, (signal) =>
    get<Job[]>(at("/schedule"), {}, signal),
  );
  return (
    <section>
      <h2>{t("schedule")}</h2>
      <Shown from={jobs} rows={4}>
        {(list) => (
          <ul class="jobs">
            {list.map((job) => (
              <One key={job.name} job={job} reload={jobs.reload} />
            ))}
          </ul>
        )}
      </Shown>
    </section>
  );
}

function One({ job, reload }: { job: Job; reload: () => void }) {
  const [busy, setBusy] = useState(false);
  const name = tOr(`job_${job.name}`, job.name);
  const run = async () => {
    setBusy(true);
    await act(() => send("POST", at(`/schedule/${job.name}`)), t("job_ran", { name }));
    setBusy(false);
    reload();
  };
  return (
    <li class={job.failures ? "failing" : ""}>
      <span>
        {name}
        <span class="muted small block" title={job.last_at ? moment(job.last_at) : undefined}>
          {job.last_at ? t("job_last", { when: ago(job.last_at) }) : t("never_ran")}
          {job.next_at && ` · ${t("job_next", { when: ago(job.next_at) })}`}
        </span>
      </span>
      {mayAll.value && (
        <button type="button" class="small" disabled={busy} onClick={() => void run()}>
          {t(busy ? "running" : "run_now")}
        </button>
      )}
      {job.failures > 0 && job.failed_at && (
        <p class="bad">{t("job_failed", { when: ago(job.failed_at), error: job.error })}</p>
      )}
    </li>
  );
}
