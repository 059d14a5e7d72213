// The profile and the snapshot, as an agent gets them.
import { useState } from "preact/hooks";
import { at, get, send } from "../lib/api";
import { useLoad } from "../lib/load";
import { mayAll } from "../lib/me";
import { route } from "../lib/router";
import { act, complain, tell } from "../lib/toasts";
import { language, t } from "../lib/words";
import { Outline } from "../ui/outline";
import { Empty, Shown } from "../ui/states";
import { Words } from "../ui/text";

export default function ProfilePage() {
  const [raw, setRaw] = useState(false);
  const { space } = route.value;
  const spoken = language.value;
  const profile = useLoad(`profile ${space} ${spoken}`, (signal) =>
    get<{ profile: string }>(at("/profile"), { language: spoken }, signal),
  );
  const snapshot = useLoad(`snapshot ${space} ${spoken}`, (signal) =>
    get<{ snapshot: string }>(at("/snapshot"), { language: spoken }, signal),
  );
  const refresh = () =>
    void act(
      async () =>
        profile.set(await send<{ profile: string }>("POST", at("/profile"), { language: spoken })),
      t("refreshed"),
    );
  return (
    <>
      <header class="head">
        <h1>{t("profile")}</h1>
        <p class="choices">
          <button type="button" aria-pressed={raw} onClick={() => setRaw(!raw)}>
            {t("as_text")}
          </button>
          {mayAll.value && (
            <button type="button" onClick={refresh}>
              {t("refresh")}
            </button>
          )}
        </p>
      </header>
      <div class="pair">
        <section aria-labelledby="profile-title">
          <h2 id="profile-title">{t("profile")}</h2>
          <p class="muted">{t("profile_intro")}</p>
          <Shown from={profile}>{(data) => <Paper text={data.profile} raw={raw} />}</Shown>
        </section>
        <section aria-labelledby="snapshot-title">
          <h2 id="snapshot-title">{t("snapshot")}</h2>
          <p class="muted">{t("snapshot_intro")}</p>
          <Shown from={snapshot}>{(data) => <Paper text={data.snapshot} raw={raw} />}</Shown>
        </section>
      </div>
    </>
  );
}

function Paper({ text, raw }: { text: string; raw: boolean }) {
  if (!text.trim()) return <Empty title={t("profile_none")} hint={t("profile_none_hint")} />;
  const copy = () => navigator.clipboard.writeText(text).then(() => tell(t("copied")), complain);
  return (
    <div class="paper">
      <button type="button" class="link small copy" onClick={() => void copy()}>
        {t("copy")}
      </button>
      {raw ? <Words text={text} most={20_000} /> : <Outline text={text} />}
    </div>
  );
}
