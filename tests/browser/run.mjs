// The browser tests, and what helps with them:
//   node run.mjs                        tests of fixture pages, and of HALTERE_REPORTS=FOLDER
//   node run.mjs REPORT.html...         opens reports of real runs instead
//   node run.mjs pages FOLDER [NAME...] writes the fixture pages
//   node run.mjs shots FOLDER PAGE...   pictures of pages
import { spawnSync } from "node:child_process";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { bundle } from "./bundle.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const [what, ...rest] = process.argv.slice(2);
if (what === "pages") {
  const { write_pages } = await import(pathToFileURL(await bundle("pages")).href);
  const [folder, ...names] = rest;
  console.log(
    Object.values(
      write_pages(join(here, "../../report/dist/viewer.html"), folder, names.length ? names : undefined),
    ).join("\n"),
  );
} else if (what === "shots") {
  process.exit(
    spawnSync(process.execPath, [await bundle("shots"), ...rest], { stdio: "inherit" }).status ?? 1,
  );
} else {
  const file = await bundle("viewer_test");
  const reports = process.argv.slice(2).join("\n");
  const run = spawnSync(
    process.execPath,
    [
      "--test",
      "--test-reporter=spec",
      ...(process.env.ONLY ? ["--test-name-pattern", process.env.ONLY] : []),
      file,
    ],
    {
      stdio: "inherit",
      env: {
        ...process.env,
        HALTERE_VIEWER: join(here, "../../report/dist/viewer.html"),
        ...(reports ? { HALTERE_REPORT_FILES: reports } : {}),
      },
    },
  );
  process.exit(run.status ?? 1);
}
