// Drawn here: a few lines each.
const PATHS: Record<string, string> = {
  today:
    "M12 3v2M12 19v2M3 12h2M19 12h2M5.6 5.6 7 7M17 17l1.4 1.400M5.6 18.4 7 17M17 7l1.4-1.400M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8",
  search: "M10.5 4a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13M15.5 15.5 20 20",
  people:
    "M6 8a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5M18 11a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5M9 21a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5M6.6 8l1.9 8M8.4 6.200l7.2 1.900M16.5 10.600l-6 6",
  timeline: "M6 3v18M6 6.500h0M6 12h0M6 17.500h0M10 6.500h10M10 12h7M10 17.500h9",
  profile: "M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8M4.5 20c.8-3.8 3.7-5.5 7.5-5.500s6.7 1.7 7.5 5.5",
  health: "M3 12h4l2.5-6 4.5 12 2.5-6H21",
  keys: "M4 6h16v12H4zM7.5 10h0M11 10h0M14.5 10h0M8 14h8",
  sun: "M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8M12 3v1.500M12 19.500V21M3 12h1.500M19.5 12H21",
  moon: "M19.5 14.500A8 8 0 0 1 9.5 4.500a8 8 0 1 0 10 10z",
  plus: "M12 5v14M5 12h14",
  close: "M6 6l12 12M18 6 6 18",
  back: "M14 6l-6 6 6 6",
  next: "M10 6l6 6-6 6",
  check: "M5 12.500l4.5 4.500L19 7.5",
  pen: "M5 19l1-4L16 5l3 3L9 18z",
  fit: "M4 9V4h5M15 4h5v5M20 15v5h-5M9 20H4v-5",
  play: "M8 5.5v13l10.5-6.5z",
  stop: "M8 6v12M16 6v12",
  leave: "M14 4h5v16h-5M4 12h10M10 8l4 4-4 4",
};

export function Icon({ name }: { name: string }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
      <path d={PATHS[name] ?? ""} />
    </svg>
  );
}

/** The elephant. */
export function Mark() {
  return (
    <svg class="mark" viewBox="0 0 32 32" aria-hidden="true">
      <path d="M4 15C4 8 9 4 16 4c6 0 10 3 11 8 2 1 3 3 3 6v4a3 3 0 0 1-3 3 1.2 1.2 0 0 1 0-2.400c.5 0 .7-.3.7-.8V19c-.9 1.4-2.2 2-3.7 2v7h-4.500v-5h-7v5H8v-6c-2.5-1.3-4-4-4-7z" />
      <path class="ear" d="M17 8c-3.5.5-5 3-4.5 6.5.4 2.6 2.4 4 4.3 3.2 2.2-.9 3.2-3.3 3.2-6" />
      <circle class="eye" cx="23" cy="12.5" r="1.1" />
    </svg>
  );
}
