// What a page shows, as it comes from the server.
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { type ApiError, problemOf } from "./api";
import { complain } from "./toasts";

export interface Loaded<T> {
  data: T | undefined;
  error: ApiError | undefined;
  loading: boolean;
  /** Ask again; what is shown stays until the answer is there. */
  reload: () => void;
  /** Show something else, for what was changed here. */
  set: (data: T) => void;
}

/** Ask whenever `key` changes. The last data stays while the next is on its way. */
export function useLoad<T>(key: string, ask: (signal: AbortSignal) => Promise<T>): Loaded<T> {
  const [state, setState] = useState<Omit<Loaded<T>, "reload" | "set">>(EMPTY);
  const [again, setAgain] = useState(0);
  const latest = useRef(ask);
  latest.current = ask;
  useEffect(() => {
    const stop = new AbortController();
    setState((now) => ({ ...now, loading: true }));
    latest.current(stop.signal).then(
      (data) => {
        if (!stop.signal.aborted) setState({ data, error: undefined, loading: false });
      },
      (error: unknown) => {
        if (stop.signal.aborted) return;
        setState((now) => ({ ...now, error: problemOf(error), loading: false }));
      },
    );
    return () => stop.abort();
  }, [key, again]);
  const reload = useCallback(() => setAgain((count) => count + 1), []);
  const set = useCallback((data: T) => setState({ data, error: undefined, loading: false }), []);
  return { ...state, reload, set };
}

const EMPTY = { data: undefined, error: undefined, loading: true };

export interface Page<T> {
  items: T[];
  next: string | null;
}

export interface Listed<T> extends Loaded<Page<T>> {
  more: (() => void) | undefined;
  loadingMore: boolean;
}

/** A list that comes page by page: `ask` gets the cursor of the page that is wanted. */
export function usePages<T>(
  key: string,
  ask: (cursor: string, signal?: AbortSignal) => Promise<Page<T>>,
): Listed<T> {
  const first = useLoad(key, (signal) => ask("", signal));
  const [loadingMore, setLoading] = useState(false);
  const next = first.data?.next;
  const more = useCallback(() => {
    if (!next || !first.data) return;
    const before = first.data.items;
    setLoading(true);
    ask(next)
      .then((page) => first.set({ items: [...before, ...page.items], next: page.next }))
      .catch(complain)
      .finally(() => setLoading(false));
  }, [next, first.data]);
  return { ...first, more: next ? more : undefined, loadingMore };
}
