// What happens by itself next, and whether anything failed.
import { useState } from "preact/hooks";
import { at, send } from "../../lib/api";
import { mayAll } from "../../lib/me";
import { complain, tell } from "../../lib/toasts";
import type { Job, Today } from "../../lib/types";
import { ago, moment, t, tOr } from "../../lib/words";
import { Advance } from "../../ui/states";

export function Next({ today, reload }: { today: Today; reload: () => void }) {
  return (
    <aside aria-labelledby="next-up">
      <h2 id="next-up">{t("next_up")}</h2>
      {today.pending > 0 && <Pending number={today.pending} reload={reload} />}
      <ul class="jobs">
        {today.jobs.map((job) => (
          <One key={job.name} job={job} />
        ))}
      </ul>
    </aside>
  );
}

function Pending({ number, reload }: { number: number; reload: () => void }) {
  const [busy, setBusy] = useState(false);
  const learn = async () => {
    setBusy(true);
    try {
      const done = await send<{ counts: Record<string, number> }>("POST", at("/consolidate"), {
        force: true,
      });
      tell(t("learned_now", { n: done.counts.added ?? 0 }));
      reload();
    } catch (error) {
      complain(error);
    } finally {
      setBusy(false);
    }
  };
  if (busy) return <Advance label={t("learning")} />;
  return (
    <div class="pending">
      <p>{t("pending", { n: number })}</p>
      {mayAll.value && (
        <button type="button" onClick={() => void learn()}>
          {t("learn_now")}
        </button>
      )}
    </div>
  );
}

function when(job: Job): string {
  if (job.due) return t("job_due");
  if (job.next_at) return t("job_next", { when: ago(job.next_at) });
  return job.name === "flush" ? t("job_quiet") : t("job_off");
}

function One({ job }: { job: Job }) {
  return (
    <li class={job.failures ? "failing" : ""}>
      <span>{tOr(`job_${job.name}`, job.name)}</span>
      <span class="muted" title={job.next_at ? moment(job.next_at) : undefined}>
        {when(job)}
      </span>
      {job.failures > 0 && job.failed_at && (
        <p class="bad">{t("job_failed", { when: ago(job.failed_at), error: job.error })}</p>
      )}
    </li>
  );
}
