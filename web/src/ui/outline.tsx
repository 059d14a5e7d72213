// Our own Markdown, laid out: headings, lists and quotes by how a line begins. The words of a line
// are text as they are.
import type { ComponentChildren } from "preact";
import { Words } from "./text";

const LINE = /^( *)(#{1,4} |- |> |\d+\. )?(.*)$/s;

interface Item {
  words: string;
  /** What stands below it, further in. */
  below: string[];
}

export function Outline({ text }: { text: string }) {
  const blocks: ComponentChildren[] = [];
  let items: Item[] = [];
  const close = () => {
    if (items.length) blocks.push(<List key={blocks.length} of={items} />);
    items = [];
  };
  for (const line of text.split("\n")) {
    const [, indent = "", start = "", rest = ""] = LINE.exec(line) ?? [];
    if (start === "- " || /^\d/.test(start)) {
      const above = indent ? items.at(-1) : undefined;
      if (above) above.below.push(rest);
      else items.push({ words: rest, below: [] });
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

function List({ of }: { of: Item[] }) {
  return (
    <ul>
      {of.map(({ words, below }, no) => (
        <li key={no}>
          <Words text={words} />
          {below.length > 0 && <List of={below.map((one) => ({ words: one, below: [] }))} />}
        </li>
      ))}
    </ul>
  );
}
