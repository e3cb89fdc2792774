// Writes fixture pages: node run.mjs pages FOLDER [NAME...]
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { make_page } from "./encode";
import { fixtures } from "./fixtures";

export function write_pages(
  viewer: string,
  folder: string,
  names = Object.keys(fixtures),
): Record<string, string> {
  const text = readFileSync(viewer, "utf8"),
    files: Record<string, string> = {};
  mkdirSync(folder, { recursive: true });
  for (const name of names) {
    const { page, encoder } = fixtures[name]();
    files[name] = join(folder, `${name}.html`);
    writeFileSync(files[name], make_page(text, encoder.elements(page, name === "wing" ? 10_000 : undefined)));
  }
  return files;
}
