import { useState } from "preact/hooks";
import { lockedWhy, useToken } from "../lib/api";
import { meet } from "../lib/me";
import { language, speak, t } from "../lib/words";
import { Mark } from "./icons";
import { Sentence } from "./text";

export function SignIn() {
  const [value, setValue] = useState("");
  const why = lockedWhy.value;
  const other = language.value === "en" ? "zh" : "en";
  const submit = (event: Event) => {
    event.preventDefault();
    useToken(value.trim());
    void meet();
  };
  return (
    <main class="signin">
      <form onSubmit={submit}>
        <Mark />
        <h1>Loxodon</h1>
        <p>
          <Sentence text={t("sign_in_hint")} />
        </p>
        <label>
          {t("token")}
          <input
            type="password"
            autocomplete="off"
            spellcheck={false}
            value={value}
            onInput={(event) => setValue(event.currentTarget.value)}
            aria-describedby={why ? "signin-why" : undefined}
            required
          />
        </label>
        {why && (
          <p id="signin-why" class="bad" role="alert">
            <Sentence text={why === "used" ? t("sign_in_used") : t("sign_in_wrong")} />
          </p>
        )}
        <button type="submit" class="main">
          {t("sign_in")}
        </button>
        <button type="button" class="link" lang={other} onClick={() => speak(other)}>
          {other === "zh" ? "中文" : "English"}
        </button>
      </form>
    </main>
  );
}
