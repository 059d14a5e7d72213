// What changed between two texts: by words, and by characters where words are not spaced.

export interface Piece {
  what: "same" | "gone" | "new";
  text: string;
}

const TOKEN = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|[\p{L}\p{N}_]+|\s+|./gsu;
/** Cells of the table of a comparison; beyond it, what differs is shown as a whole. */
const MOST = 1_000_000;

export function diff(before: string, after: string): Piece[] {
  const old = before.match(TOKEN) ?? [];
  const now = after.match(TOKEN) ?? [];
  let start = 0;
  while (start < old.length && start < now.length && old[start] === now[start]) start += 1;
  let end = 0;
  while (
    end < old.length - start &&
    end < now.length - start &&
    old[old.length - 1 - end] === now[now.length - 1 - end]
  )
    end += 1;
  const pieces: Piece[] = [];
  push(pieces, "same", old.slice(0, start));
  compare(pieces, old.slice(start, old.length - end), now.slice(start, now.length - end));
  push(pieces, "same", old.slice(old.length - end));
  return pieces;
}

function push(pieces: Piece[], what: Piece["what"], tokens: string[]): void {
  const text = tokens.join("");
  const last = pieces.at(-1);
  if (!text) return;
  if (last?.what === what) last.text += text;
  else pieces.push({ what, text });
}

/** The longest common sequence, by the usual table. */
function compare(pieces: Piece[], old: string[], now: string[]): void {
  if (old.length * now.length > MOST) {
    push(pieces, "gone", old);
    push(pieces, "new", now);
    return;
  }
  const width = now.length + 1;
  const common = new Uint16Array((old.length + 1) * width);
  for (let i = old.length - 1; i >= 0; i--)
    for (let j = now.length - 1; j >= 0; j--)
      common[i * width + j] =
        old[i] === now[j]
          ? common[(i + 1) * width + j + 1]! + 1
          : Math.max(common[(i + 1) * width + j]!, common[i * width + j + 1]!);
  let i = 0;
  let j = 0;
  while (i < old.length || j < now.length) {
    if (i < old.length && j < now.length && old[i] === now[j]) {
      push(pieces, "same", [old[i++]!]);
      j += 1;
    } else if (
      i < old.length &&
      (j === now.length || common[(i + 1) * width + j]! >= common[i * width + j + 1]!)
    )
      push(pieces, "gone", [old[i++]!]);
    else push(pieces, "new", [now[j++]!]);
  }
}
