// Runs before anything is painted, so that a page in the other theme does not flash.
try {
  const chosen = localStorage.getItem("loxodon.theme");
  if (chosen) document.documentElement.dataset.theme = chosen;
} catch {
  // no storage, so nothing was chosen
}
