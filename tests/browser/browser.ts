// Debian's chromium, without a window and with graphics in software.
import { existsSync } from "node:fs";
import { chromium } from "playwright-core";
import type { Browser } from "playwright-core";

export function find_browser(): string {
  const places = [
    process.env.HALTERE_BROWSER,
    "/usr/bin/chromium",
    "/usr/bin/chromium-browser",
    "/usr/bin/google-chrome",
  ];
  const found = places.find((place) => place && existsSync(place));
  if (!found) throw new Error("there is no chromium; ./dev browser installs Debian's");
  return found;
}

export function launch(webgl = true): Promise<Browser> {
  const graphics = webgl
    ? ["--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist"]
    : ["--disable-gpu", "--disable-3d-apis"];
  return chromium.launch({
    executablePath: find_browser(),
    headless: true,
    args: ["--no-sandbox", "--disable-dev-shm-usage", ...graphics],
  });
}
