import { render } from "preact";
import { App } from "./app";
import { listen } from "./lib/keys";
import { arrive } from "./lib/me";
import { route } from "./lib/router";
import { pageNamed } from "./pages";

listen();
void arrive();
// Loaded while the server says who we are; if that fails, the page says so when it is shown.
pageNamed(route.value.page)
  ?.load()
  .catch(() => undefined);
const place = document.getElementById("app")!;
place.replaceChildren(); // the empty frame that stood there until now
render(<App />, place);
