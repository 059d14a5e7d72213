// Tabs of the console share the token: a link that is opened in a new tab need not ask for it.
const channel = new BroadcastChannel("loxodon");
const PATIENCE = 300;

type Said = { ask: true } | { token: string };

/** Tell other tabs the token when they ask. */
export function shareToken(token: () => string): void {
  channel.addEventListener("message", ({ data }: MessageEvent<Said>) => {
    if ("ask" in data && token()) channel.postMessage({ token: token() });
  });
}

/** The token of another tab; empty where no other has one. */
export function tokenOfAnotherTab(): Promise<string> {
  return new Promise((resolve) => {
    const heard = ({ data }: MessageEvent<Said>) => {
      if ("token" in data) finish(data.token);
    };
    const finish = (token: string) => {
      channel.removeEventListener("message", heard);
      clearTimeout(timer);
      resolve(token);
    };
    const timer = setTimeout(() => finish(""), PATIENCE);
    channel.addEventListener("message", heard);
    channel.postMessage({ ask: true });
  });
}
