// Search as you type, with the reason of each result; and what an agent would be given.
import { useEffect, useRef, useState } from "preact/hooks";
import { type Fields, replace, route, to } from "../lib/router";
import { t } from "../lib/words";
import { Icon } from "../ui/icons";
import { AgentView } from "./search/agent";
import { Browse, Results } from "./search/results";
import { Filters } from "./search/filters";

const PAUSE = 150;

export default function SearchPage() {
  const { fields } = route.value;
  const query = fields.q ?? "";
  const agent = fields.view === "agent";
  const change = (edits: Fields) => replace(to("search", "", { ...route.value.fields, ...edits }));
  return (
    <>
      <h1 class="unseen">{t("search")}</h1>
      <Field query={query} change={(q) => change({ q })} />
      <div class="tabs" role="tablist">
        <Tab name={t("results")} chosen={!agent} choose={() => change({ view: "" })} />
        <Tab name={t("agent_view")} chosen={agent} choose={() => change({ view: "agent" })} />
      </div>
      <div role="tabpanel" aria-label={t(agent ? "agent_view" : "results")}>
        {agent ? (
          <AgentView message={query} />
        ) : (
          <>
            <Filters fields={fields} change={change} />
            {query.trim() ? <Results fields={fields} /> : <Browse fields={fields} />}
          </>
        )}
      </div>
    </>
  );
}

function Tab({ name, chosen, choose }: { name: string; chosen: boolean; choose: () => void }) {
  return (
    <button type="button" role="tab" aria-selected={chosen} onClick={choose}>
      {name}
    </button>
  );
}

/** The field keeps what is typed; the address, and with it the question, follows after a pause. */
function Field({ query, change }: { query: string; change: (query: string) => void }) {
  const [typed, setTyped] = useState(query);
  const at = useRef<HTMLInputElement>(null);
  const timer = useRef(0);
  useEffect(() => at.current?.focus(), []);
  useEffect(() => setTyped(query), [query]);
  const type = (value: string, composing: boolean) => {
    setTyped(value);
    clearTimeout(timer.current);
    // Letters from which a character is still being made are no question yet.
    if (!composing) timer.current = setTimeout(() => change(value), PAUSE);
  };
  return (
    <form class="searchbar" role="search" onSubmit={(event) => event.preventDefault()}>
      <Icon name="search" />
      <input
        ref={at}
        type="search"
        data-search
        dir="auto"
        aria-label={t("search")}
        placeholder={t("search_placeholder")}
        value={typed}
        spellcheck={false}
        autocomplete="off"
        onInput={(event) => type(event.currentTarget.value, event.isComposing)}
        onCompositionEnd={(event) => type(event.currentTarget.value, false)}
      />
    </form>
  );
}
