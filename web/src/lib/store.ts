// Small things that are kept in the browser. It may refuse (private windows, full disks); then they
// last as long as the page.

function kept(storage: () => Storage) {
  const fallback = new Map<string, string>();
  return {
    get(name: string): string {
      try {
        return storage().getItem(`loxodon.${name}`) ?? fallback.get(name) ?? "";
      } catch {
        return fallback.get(name) ?? "";
      }
    },
    set(name: string, value: string): void {
      fallback.set(name, value);
      try {
        if (value) storage().setItem(`loxodon.${name}`, value);
        else storage().removeItem(`loxodon.${name}`);
      } catch {
        // kept in `fallback`
      }
    },
  };
}

/** As long as the tab: the token. */
export const tab = kept(() => sessionStorage);
/** Between visits: language, theme, when one last looked. */
export const lasting = kept(() => localStorage);
