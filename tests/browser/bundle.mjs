// Bundles a file of tests with the esbuild of report/ and says where: node itself reads no TypeScript before
// version 22.
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const { build } = createRequire(join(here, "../../report/package.json"))("esbuild");

export async function bundle(name) {
  const file = join(here, "node_modules/.bundled", `${name}.mjs`);
  await build({
    entryPoints: [join(here, `${name}.ts`)],
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node18",
    packages: "external",
    outfile: file,
    logLevel: "warning",
  });
  return file;
}
