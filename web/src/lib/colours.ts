// Colours of the theme for what is drawn on a canvas.

const probe = document.createElement("span");
probe.hidden = true;

/** The colour that a custom property has now. */
export function colour(name: string): string {
  if (!probe.isConnected) document.body.append(probe);
  probe.style.color = `var(${name})`;
  return getComputedStyle(probe).color;
}
