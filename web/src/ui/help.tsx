import { helpOpen } from "../lib/keys";
import { type Key, t } from "../lib/words";
import { PAGES } from "../pages";
import { Dialog } from "./dialog";

const GROUPS: [Key, [string, Key][]][] = [
  ["keys_go", PAGES.map(({ go, name }) => [`g ${go}`, name])],
  [
    "keys_lists",
    [
      ["j", "key_next"],
      ["k", "key_previous"],
      ["Enter", "key_open"],
    ],
  ],
  [
    "keys_review",
    [
      ["y", "confirm"],
      ["e", "correct"],
      ["n", "reject"],
    ],
  ],
  [
    "memory",
    [
      ["e", "edit"],
      ["a", "key_archive"],
      ["Ctrl Enter", "save"],
    ],
  ],
  [
    "keys_general",
    [
      ["/", "key_search"],
      ["c", "add_memory"],
      ["?", "key_help"],
      ["Esc", "key_close"],
      ["D", "key_theme"],
      ["L", "key_language"],
    ],
  ],
];

export function KeysHelp() {
  return (
    <Dialog title={t("keys")} close={() => (helpOpen.value = false)}>
      <div class="keys">
        {GROUPS.map(([title, keys]) => (
          <section key={title}>
            <h3>{t(title)}</h3>
            <dl>
              {keys.map(([key, about]) => (
                <div key={key}>
                  <dt>
                    {key.split(" ").map((one) => (
                      <kbd key={one}>{one}</kbd>
                    ))}
                  </dt>
                  <dd>{t(about)}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  );
}
