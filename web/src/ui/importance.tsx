// How much a memory matters, as a slider.
import { number, t } from "../lib/words";

export function Importance({ value, set }: { value: number; set: (value: number) => void }) {
  return (
    <label>
      <span>
        {t("importance")} {number(value, 2)}
      </span>
      <input
        type="range"
        min="0"
        max="1"
        step="0.05"
        value={value}
        onInput={(event) => set(Number(event.currentTarget.value))}
      />
    </label>
  );
}
