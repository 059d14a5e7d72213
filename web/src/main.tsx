import { render } from "preact";
import { App } from "./app";
import { listen } from "./lib/keys";
import { arrive } from "./lib/me";

listen();
void arrive();
render(<App />, document.getElementById("app")!);
