// Where the words of a question stand in a text, whatever their case and accents.

const plain = (text: string) => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();

/** The text in pieces: every second one is one of `words`. */
export function marked(text: string, words: string[]): string[] {
  const pattern = words
    .map((word) => plain(word).replace(/[.*+?^${}()|[\]\\]/g, "\\$&"))
    .filter(Boolean)
    .join("|");
  if (!pattern) return [text];
  let folded = "";
  const places: number[] = []; // of each unit of `folded`, in `text`
  let place = 0;
  for (const character of text) {
    const bare = plain(character);
    folded += bare;
    for (let unit = 0; unit < bare.length; unit++) places.push(place);
    place += character.length;
  }
  const parts: string[] = [];
  let done = 0;
  for (const { index, 0: found } of folded.matchAll(new RegExp(pattern, "gu"))) {
    const start = places[index]!;
    const end = places[index + found.length] ?? text.length;
    parts.push(text.slice(done, start), text.slice(start, end));
    done = end;
  }
  return [...parts, text.slice(done)];
}
