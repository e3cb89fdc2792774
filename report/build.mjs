// Bundles the viewer into one file: dist/viewer.html. Usage: node build.mjs [--check]
import { createHash } from "node:crypto";
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const mostBytes = 800_000;

const bundle = async (entry) => {
  const result = await build({
    entryPoints: [join(here, entry)],
    bundle: true,
    write: false,
    minify: true,
    format: "iife",
    platform: "browser",
    target: ["chrome100", "firefox113", "safari16.4"], // the first ones with DecompressionStream, or newer
    charset: "utf8",
    legalComments: "eof",
    logLevel: "warning",
  });
  return result.outputFiles[0].text;
};

const script = await bundle("src/main.ts");
const style = await bundle("src/style.css");
for (const [name, text] of [
  ["script", script],
  ["style", style],
]) {
  if (new RegExp(`</${name}`, "i").test(text)) throw new Error(`the ${name} would end itself`);
}
const hash = (text) => `'sha256-${createHash("sha256").update(text, "utf8").digest("base64")}'`;
// nothing from outside, and no script but this one: hostile data could not even run if it became markup
const policy = [
  "default-src 'none'",
  `script-src ${hash(script)}`,
  `style-src ${hash(style)}`,
  "img-src data: blob:",
  "base-uri 'none'",
  "form-action 'none'",
].join("; ");

// the licences of what is bundled go with every page
const licences = (
  await Promise.all(
    ["three", "uplot"].map(
      async (name) =>
        `${name}\n\n${(await readFile(join(here, "node_modules", name, "LICENSE"), "utf8")).trim()}\n`,
    ),
  )
).join("\n");
if (licences.includes("--")) throw new Error("the licences would end their comment");

// functions, since "$&" in the script would mean something to replace()
const page = (await readFile(join(here, "src/page.html"), "utf8"))
  .replace("{{policy}}", () => policy)
  .replace("{{style}}", () => style)
  .replace("{{script}}", () => script)
  .replace("{{licences}}", () => licences);
const bytes = Buffer.byteLength(page);
if (bytes > mostBytes) throw new Error(`the viewer has ${bytes} bytes, more than ${mostBytes}`);
if (page.split("\n<!-- haltere:data -->\n").length !== 2)
  throw new Error("the page needs one line for the data");

await mkdir(join(here, "dist"), { recursive: true });
const file = join(here, "dist/viewer.html");
const old = await readFile(file, "utf8").catch(() => "");
if (old !== page) {
  await writeFile(`${file}.new`, page); // whole or not at all
  await rename(`${file}.new`, file);
}
console.log(`${file}: ${bytes} bytes${old === page ? ", as before" : ""}`);
