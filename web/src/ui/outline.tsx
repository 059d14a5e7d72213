// Our own Markdown, laid out: headings, lists and quotes by how a line begins. The words of a line
// are text as they are.
import type { ComponentChildren } from "preact";
import { Words } from "./text";

const LINE = /^(#{1,4} |- |> |\d+\. )?(.*)$/s;

export function Outline({ text }: { text: string }) {
  const blocks: ComponentChildren[] = [];
  let items: ComponentChildren[] = [];
  const close = () => {
    if (items.length) blocks.push(<ul key={blocks.length}>{items}</ul>);
    items = [];
  };
  for (const line of text.split("\n")) {
    const [, start = "", rest = ""] = LINE.exec(line) ?? [];
    if (start === "- " || /^\d/.test(start)) {
      items.push(
        <li key={items.length}>
          <Words text={rest} />
        </li>,
      );
      continue;
    }
    close();
    if (!line.trim()) continue;
    const words = <Words text={rest} />;
    const key = blocks.length;
    if (start === "# ")
      blocks.push(
        <h3 key={key} class="outline-title">
          {words}
        </h3>,
      );
    else if (start.startsWith("#")) blocks.push(<h4 key={key}>{words}</h4>);
    else if (start === "> ")
      blocks.push(
        <p key={key} class="muted small">
          {words}
        </p>,
      );
    else blocks.push(<p key={key}>{words}</p>);
  }
  close();
  return <div class="outline">{blocks}</div>;
}
