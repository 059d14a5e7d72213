// The frame around every page: menu, space, language, theme, messages.
import { Component, type ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { locked, signedIn, signOut, problemOf } from "./lib/api";
import { addOpen, helpOpen } from "./lib/keys";
import { enter, me, meet, trouble } from "./lib/me";
import { route, to } from "./lib/router";
import { isDark, switchTheme, painted } from "./lib/theme";
import { language, speak, t } from "./lib/words";
import { pageNamed, PAGES } from "./pages";
import { Add, AddButton } from "./ui/add";
import { ReceiptShown } from "./ui/forget";
import { KeysHelp } from "./ui/help";
import { Icon, Mark } from "./ui/icons";
import { SignIn } from "./ui/signin";
import { Empty, Skeleton, Trouble } from "./ui/states";
import { Name } from "./ui/text";
import { Toasts } from "./ui/toasts";

export function App() {
  if (locked.value)
    return (
      <>
        <SignIn />
        <Toasts />
      </>
    );
  return (
    <>
      <button
        type="button"
        class="skip"
        onClick={() => document.querySelector<HTMLElement>("main")?.focus()}
      >
        {t("skip")}
      </button>
      <div class="frame">
        <Menu />
        <Main />
      </div>
      <Toasts />
      <ReceiptShown />
      {helpOpen.value && <KeysHelp />}
      {addOpen.value && <Add />}
    </>
  );
}

function Menu() {
  const here = route.value.page;
  return (
    <header class="side">
      <a class="brand" href={to("today")}>
        <Mark />
        <span>Loxodon</span>
      </a>
      <Space />
      <AddButton />
      <nav aria-label={t("pages")}>
        {PAGES.map(({ name, go }) => (
          <a key={name} href={to(name)} aria-current={here === name ? "page" : undefined}>
            <Icon name={name} />
            <span>{t(name)}</span>
            <kbd aria-hidden="true">g {go}</kbd>
          </a>
        ))}
      </nav>
      <Switches />
    </header>
  );
}

function Space() {
  const spaces = me.value?.spaces ?? [];
  const { space } = route.value;
  if (spaces.length < 2)
    return (
      <p class="space" title={t("space")}>
        <Name text={space} />
      </p>
    );
  return (
    <label class="space">
      <span class="unseen">{t("space")}</span>
      <select value={space} onChange={(event) => enter(event.currentTarget.value)}>
        {spaces.map((name) => (
          <option key={name} value={name} dir="auto">
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}

function Switches() {
  void painted.value;
  const other = language.value === "en" ? "zh" : "en";
  const name = isDark() ? t("theme_light") : t("theme_dark");
  return (
    <div class="switches">
      <button type="button" class="plain" lang={other} onClick={() => speak(other)}>
        {other === "zh" ? "中文" : "EN"}
      </button>
      <button type="button" class="plain" aria-label={name} title={name} onClick={switchTheme}>
        <Icon name={isDark() ? "sun" : "moon"} />
      </button>
      <button
        type="button"
        class="plain wide"
        aria-label={t("keys")}
        title={`${t("keys")} (?)`}
        onClick={() => (helpOpen.value = true)}
      >
        <Icon name="keys" />
      </button>
      {signedIn.value && (
        <button
          type="button"
          class="plain"
          aria-label={t("sign_out")}
          title={t("sign_out")}
          onClick={signOut}
        >
          <Icon name="leave" />
        </button>
      )}
    </div>
  );
}

function Main() {
  const { page, space, id } = route.value;
  const at = useRef<HTMLElement>(null);
  const info = pageNamed(page);
  const first = useRef(true);
  useEffect(() => {
    const taken = at.current?.contains(document.activeElement); // by a field of the page
    if (!first.current && !taken) at.current?.focus({ preventScroll: true });
    first.current = false;
    scrollTo(0, 0);
  }, [page, space, id]);
  useEffect(() => {
    document.title = `${info ? t(info.name) : t("not_found_title")} · Loxodon`;
  }, [info, language.value]);
  return (
    <main ref={at} tabIndex={-1} class={`page-${page}`}>
      {trouble.value ? (
        <Trouble error={trouble.value} retry={() => void meet()} />
      ) : !me.value ? (
        <Skeleton />
      ) : !space ? (
        <Empty title={t("no_spaces")} hint={t("no_spaces_hint")}>
          <AddButton />
        </Empty>
      ) : info ? (
        <Boundary key={`${space}/${page}/${id}`}>
          <info.show />
        </Boundary>
      ) : (
        <Empty title={t("not_found_title")}>
          <a href={to("today")}>{t("not_found_hint")}</a>
        </Empty>
      )}
    </main>
  );
}

/** A defect in one page leaves the others. */
class Boundary extends Component<{ children: ComponentChildren }, { error?: unknown }> {
  override state: { error?: unknown } = {};

  static override getDerivedStateFromError(error: unknown) {
    return { error };
  }

  override render() {
    return this.state.error ? (
      <Trouble error={problemOf(this.state.error)} retry={() => location.reload()} />
    ) : (
      this.props.children
    );
  }
}
