"""Write the characters of src/loxodon/text/wordlists.txt: `python tools/make_variants.py`.

OpenCC takes 15 ms to load, a third of a cold recall; its one-character mappings are all that
search needs. A test compares the lists with what OpenCC says today.
"""

from __future__ import annotations

import os

TARGET = os.path.join(os.path.dirname(__file__), "..", "src", "loxodon", "text", "wordlists.txt")


def pairs() -> list[tuple[str, str]]:
    """(traditional, simplified) for every character that OpenCC changes when it stands alone."""
    import opencc

    characters = [chr(c) for c in (*range(0x3400, 0x4DC0), *range(0x4E00, 0xA000))]
    converted = opencc.OpenCC("t2s").convert("\n".join(characters)).split("\n")
    return [(a, b) for a, b in zip(characters, converted, strict=True) if a != b and len(b) == 1]


def main() -> None:
    found = pairs()
    with open(TARGET, encoding="utf-8") as file:
        others = file.read().partition("[traditional]\n")[0]
    with open(TARGET, "w", encoding="utf-8") as file:
        file.write(others)
        for name, side in (("traditional", 0), ("simplified", 1)):
            text = "".join(pair[side] for pair in found)
            file.write(f"[{name}]\n")
            for start in range(0, len(text), 60):
                file.write(text[start : start + 60] + "\n")


if __name__ == "__main__":
    main()
