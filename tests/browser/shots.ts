// Pictures of pages to look at: node run.mjs shots FOLDER PAGE.html...
import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";
import { launch } from "./browser";

const [folder, ...files] = process.argv.slice(2);
const sizes = (process.env.SIZES ?? "1280x800,1920x1080,360x740")
  .split(",")
  .map((s) => s.split("x").map(Number));
const themes = (process.env.THEMES ?? "light,dark").split(",") as ("light" | "dark")[];
const at = Number(process.env.AT ?? 0.4);
const browser = await launch();
for (const file of files) {
  for (const theme of themes) {
    for (const [width, height] of sizes) {
      const page = await browser.newPage({ viewport: { width, height }, colorScheme: theme });
      page.on("console", (m) => console.log(`${basename(file)}: ${m.type()}: ${m.text()}`));
      page.on("pageerror", (e) => console.log(`${basename(file)}: ${e}`));
      await page.goto(pathToFileURL(file).href);
      await page.evaluate(async (part) => {
        const h = (window as any).haltere;
        await h.ready;
        const [a, b] = h.span();
        h.seek(a + part * (b - a));
      }, at);
      if (process.env.TAB) await page.click(`#tab-${process.env.TAB}`);
      if (process.env.RUN) await page.evaluate(process.env.RUN);
      await page.waitForTimeout(700);
      await page.screenshot({
        path: join(
          folder,
          `${basename(file, ".html")}-${width}-${theme}${process.env.TAB ? `-${process.env.TAB}` : ""}.png`,
        ),
      });
      await page.close();
    }
  }
}
await browser.close();
