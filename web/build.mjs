// Builds the console into the Python package. The same sources give the same bytes: names carry a
// hash of what is in the file, nothing has a date, and every tool is pinned.
import { build } from "esbuild";
import { mkdir, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const here = fileURLToPath(new URL(".", import.meta.url));
const out = process.argv[2] ?? join(here, "../src/loxodon/http/web/dist");

await rm(out, { recursive: true, force: true });
await mkdir(out, { recursive: true });
process.chdir(here);

const { metafile } = await build({
  entryPoints: { main: "src/main.tsx", style: "src/style/main.css", theme: "src/theme.ts" },
  outdir: out,
  entryNames: "[name]-[hash]",
  chunkNames: "[name]-[hash]",
  bundle: true,
  splitting: true,
  minify: true,
  format: "esm",
  target: ["es2022", "chrome123", "firefox120", "safari17.5"],
  jsx: "automatic",
  jsxImportSource: "preact",
  charset: "utf8",
  legalComments: "none",
  metafile: true,
  logLevel: "warning",
});

const made = Object.keys(metafile.outputs).map((path) => path.split("/").at(-1));
const named = (start, end) => made.find((name) => name.startsWith(start) && name.endsWith(end));
const main = named("main-", ".js");
// What the first script needs is asked for with it, not after it.
const needed = [...imports(main)].map(
  (name) => `<link rel="modulepreload" href="console/${name}">\n`,
);
const page = (await readFile("src/index.html", "utf8"))
  .replace("{script}", main)
  .replace("{theme}", named("theme-", ".js"))
  .replace("{style}", named("style-", ".css"))
  .replace("{needed}\n", needed.join(""));
await writeFile(join(out, "index.html"), page);
await writeFile(join(out, "LICENSES.txt"), await licences(metafile));

/** The files that a script imports at once, and those that they do. */
function imports(name, found = new Set()) {
  const [, output] = Object.entries(metafile.outputs).find(([path]) => path.endsWith(`/${name}`));
  for (const { path, kind } of output.imports) {
    const next = path.split("/").at(-1);
    if (kind !== "import-statement" || found.has(next)) continue;
    found.add(next);
    imports(next, found);
  }
  return found;
}

/** The licences of the packages that are in the bundle. */
async function licences({ inputs }) {
  const names = new Set();
  for (const path of Object.keys(inputs)) {
    const found = /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path);
    if (found) names.add(found[1]);
  }
  const parts = ["The console contains parts of these packages.\n"];
  for (const name of [...names].sort()) {
    const folder = join("node_modules", name);
    const about = JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
    const file = (await readdir(folder)).find((entry) => /^licen[cs]e/i.test(entry));
    if (!file) throw new Error(`${name} has no file with its licence`);
    const text = (await readFile(join(folder, file), "utf8")).trim().replaceAll("\r\n", "\n");
    parts.push(`${"-".repeat(72)}\n${name} ${about.version} (${about.license})\n\n${text}\n`);
  }
  return parts.join("\n");
}
