// A component that is loaded when it is first shown.
import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { problemOf } from "../lib/api";
import { Skeleton, Trouble } from "./states";

type Load<P> = () => Promise<{ default: ComponentType<P> }>;

export function lazy<P extends object>(load: Load<P>, rows = 5): ComponentType<P> {
  let found: ComponentType<P> | undefined;
  return function Lazy(given: P) {
    const [, setReady] = useState(false);
    const [failed, setFailed] = useState<unknown>();
    const fetch = () => {
      setFailed(undefined);
      load().then((module) => {
        found = module.default;
        setReady(true);
      }, setFailed);
    };
    useEffect(() => {
      if (!found) fetch();
    }, []);
    if (failed) return <Trouble error={problemOf(failed)} retry={fetch} />;
    const Found = found;
    return Found ? <Found {...given} /> : <Skeleton rows={rows} />;
  };
}
