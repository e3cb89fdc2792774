// What a report must do in a browser. Fixtures are of closed form (source of values: analytic); reports of
// real runs are given as files.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { after, before, describe, it } from "node:test";
import { pathToFileURL } from "node:url";
import type { Browser, Page } from "playwright-core";
import { launch } from "./browser";
import { write_pages } from "./pages";

const viewer = process.env.HALTERE_VIEWER ?? "";
const folder = mkdtempSync(join(tmpdir(), "haltere-browser-"));
let browser: Browser;
let files: Record<string, string> = {};

interface Opened {
  page: Page;
  messages: string[];
  requests: string[];
}

async function open(
  file: string,
  options: { width?: number; height?: number; browser?: Browser; dark?: boolean; spy?: boolean } = {},
): Promise<Opened> {
  const page = await (options.browser ?? browser).newPage({
    viewport: { width: options.width ?? 1280, height: options.height ?? 800 },
    colorScheme: options.dark ? "dark" : "light",
  });
  const messages: string[] = [],
    requests: string[] = [];
  page.on("console", (message) => messages.push(`${message.type()}: ${message.text()}`));
  page.on("pageerror", (error) => messages.push(String(error)));
  page.on("request", (request) => {
    if (!request.url().startsWith("data:") && !request.url().startsWith("blob:"))
      requests.push(request.url());
  });
  if (options.spy) await page.addInitScript(spy);
  await page.goto(pathToFileURL(file).href);
  await page.evaluate(() => (window as any).haltere.ready.catch(() => {}));
  return { page, messages, requests };
}

interface Text {
  text: string;
  x: number;
  y: number;
}

/// Lets `window.drawn(canvas)` tell what was last written and drawn there by lines: runs in the page.
function spy(): void {
  const points = new WeakMap<Path2D, number[][]>(),
    canvases = new WeakMap<object, { texts: Text[]; paths: number[][][] }>();
  const of = (canvas: object): { texts: Text[]; paths: number[][][] } => {
    if (!canvases.has(canvas)) canvases.set(canvas, { texts: [], paths: [] });
    return canvases.get(canvas)!;
  };
  const hook = (proto: any, name: string, before: (self: any, args: any[]) => void): void => {
    const original = proto[name];
    proto[name] = function (...args: any[]) {
      before(this, args);
      return original.apply(this, args);
    };
  };
  for (const name of ["moveTo", "lineTo"])
    hook(Path2D.prototype, name, (path, [x, y]) => points.set(path, [...(points.get(path) ?? []), [x, y]]));
  const context = CanvasRenderingContext2D.prototype;
  hook(context, "clearRect", ({ canvas }) => canvases.delete(canvas));
  hook(context, "fillText", ({ canvas }, [text, x, y]) => of(canvas).texts.push({ text, x, y }));
  hook(context, "stroke", ({ canvas }, [path]) => {
    if (path && points.has(path)) of(canvas).paths.push(points.get(path)!);
  });
  (window as any).drawn = of;
}

/// Of the picture as it is seen: how many colours, and its bytes to compare.
async function picture(page: Page): Promise<Buffer> {
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  return page.locator(".canvas-host canvas").screenshot();
}
const seek = (page: Page, t: number): Promise<void> =>
  page.evaluate((at) => (window as any).haltere.seek(at), t);
const time = (page: Page): Promise<number> => page.evaluate(() => (window as any).haltere.time());

/// Waits until something holds: machines are slow at times, and no test shall depend on how slow.
async function until(holds: () => Promise<boolean>, what: string): Promise<void> {
  const end = Date.now() + 20_000;
  while (!(await holds())) {
    assert.ok(Date.now() < end, what);
    await new Promise((next) => setTimeout(next, 40));
  }
}

function quiet({ messages, requests }: Opened): void {
  assert.deepEqual(messages, []);
  assert.equal(requests.length, 1, `only the page itself: ${requests.join(" ")}`);
}

/// Colours of a PNG in the browser itself.
function colours(page: Page, png: Buffer): Promise<number> {
  return page.evaluate(
    async (url) => {
      const image = new Image();
      image.src = url;
      await image.decode();
      const canvas = document.createElement("canvas");
      canvas.width = image.width;
      canvas.height = image.height;
      const context = canvas.getContext("2d")!;
      context.drawImage(image, 0, 0);
      const data = new Uint32Array(context.getImageData(0, 0, image.width, image.height).data.buffer);
      return new Set(data).size;
    },
    `data:image/png;base64,${png.toString("base64")}`,
  );
}

before(async () => {
  files = write_pages(viewer, folder, process.env.HALTERE_REPORT_FILES ? ["arm"] : undefined);
  browser = await launch();
});
after(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true, force: true });
});

const given = [
  ...(process.env.HALTERE_REPORT_FILES ?? "").split("\n"),
  ...(process.env.HALTERE_REPORTS
    ? readdirSync(process.env.HALTERE_REPORTS)
        .filter((f) => f.endsWith(".html"))
        .map((f) => join(process.env.HALTERE_REPORTS!, f))
    : []),
].filter(Boolean);

describe("a report of a run", { skip: !given.length }, () => {
  for (const file of given) {
    it(`opens, moves and is quiet: ${basename(file)}`, async () => {
      const opened = await open(file),
        { page } = opened;
      assert.equal(await page.locator(".failure").count(), 0);
      const [from, to] = (await page.evaluate(() => (window as any).haltere.span())) as [number, number];
      // where its bodies are, by what was recorded: a body that is held does not move
      const places = (): Promise<string> =>
        page.evaluate(() => {
          const h = (window as any).haltere,
            names = (h.results().length ? h.channels() : []) as string[];
          return names
            .filter((name) => /^body\..*\.(position|orientation)\./.test(name))
            .map((name) => h.value(name).toPrecision(3))
            .join();
        });
      if ((await page.locator(".canvas-host canvas").count()) && to > from) {
        await seek(page, from + 0.2 * (to - from));
        const one = await picture(page),
          here = await places();
        await seek(page, from + 0.55 * (to - from));
        const two = await picture(page),
          there = await places();
        assert.ok((await colours(page, one)) > 50, "the picture is not blank");
        if (here !== there) assert.ok(!one.equals(two), "the picture changes with time");
      }
      quiet(opened);
      await page.close();
    });
  }
});

describe("the viewer", { skip: !!process.env.HALTERE_REPORT_FILES }, () => {
  for (const name of ["arm", "wing", "glider", "wheel"]) {
    it(`opens ${name} from disk, shows it and moves it, without message or request`, async () => {
      const opened = await open(files[name]),
        { page } = opened;
      const one = await picture(page);
      await seek(page, ((await page.evaluate(() => (window as any).haltere.span())) as number[])[1] * 0.4);
      const two = await picture(page);
      assert.ok((await colours(page, one)) > 100);
      assert.ok(!one.equals(two));
      quiet(opened);
      await page.close();
    });
  }

  for (const name of ["figures", "modes", "still", "empty", "overlaid"]) {
    it(`opens ${name}, in the dark, without message`, async () => {
      const opened = await open(files[name], { dark: true });
      assert.equal(await opened.page.locator(".failure").count(), 0);
      quiet(opened);
      await opened.page.close();
    });
  }

  it("advances while it plays, and stops", async () => {
    const { page } = await open(files.arm);
    await page.click("button.play");
    await until(async () => (await time(page)) > 0.1, "it plays");
    await page.click("button.play");
    const at = await time(page);
    await page.waitForTimeout(150);
    assert.equal(await time(page), at);
    await page.close();
  });

  it("reads the value at the cursor to 1e-6, at rows and between", async () => {
    const { page } = await open(files.arm);
    await page.evaluate(() =>
      [...document.querySelectorAll("button")].find((b) => b.textContent === "deg")!.click(),
    );
    for (const row of [0, 137, 600]) {
      const t = (6 * row) / 600,
        expected = -0.5 + 0.55 * Math.sin(1.7 * t);
      await seek(page, t);
      const value = (await page.evaluate(() =>
        (window as any).haltere.value("joint.shoulder.angle"),
      )) as number;
      assert.ok(
        Math.abs(value - expected) <= 1e-6 * Math.max(1, Math.abs(expected)),
        `${value} for ${expected}`,
      );
      await until(
        async () =>
          Math.abs(
            Number(await page.locator(".chip output").first().getAttribute("data-value")) - expected,
          ) <= 1e-6,
        `${expected} is shown`,
      );
    }
    await seek(page, 1.005); // in the middle of two rows
    const f = (t: number): number => Math.fround(-0.5 + 0.55 * Math.sin(1.7 * t));
    const between = (await page.evaluate(() =>
      (window as any).haltere.value("joint.shoulder.angle"),
    )) as number;
    assert.ok(Math.abs(between - (f(1) + f(1.01)) / 2) < 1e-9);
    await page.close();
  });

  it("shows degrees and radians", async () => {
    const { page } = await open(files.arm);
    const value = async (): Promise<number> =>
      Number(await page.locator(".chip output").first().getAttribute("data-value"));
    await until(async () => Math.abs((await value()) + (0.5 * 180) / Math.PI) < 1e-5, "degrees");
    await page.getByRole("button", { name: "angles in degrees or radians" }).click();
    await until(async () => Math.abs((await value()) + 0.5) < 1e-7, "radians");
    await page.close();
  });

  it("goes to the time that is clicked in a plot, and the picture follows", async () => {
    const { page } = await open(files.arm);
    const before_click = await picture(page);
    const box = (await page.locator(".u-over").first().boundingBox())!;
    await page.mouse.click(box.x + 0.75 * box.width, box.y + 0.5 * box.height);
    assert.ok(Math.abs((await time(page)) - 4.5) < 0.05, `${await time(page)}`);
    await page.mouse.move(5, 5);
    assert.ok(!before_click.equals(await picture(page)));
    await page.close();
  });

  it("zooms all plots by dragging in one, and back by a double click", async () => {
    const { page } = await open(files.arm);
    const box = (await page.locator(".u-over").first().boundingBox())!;
    await page.mouse.move(box.x + 0.25 * box.width, box.y + 40);
    await page.mouse.down();
    await page.mouse.move(box.x + 0.5 * box.width, box.y + 60, { steps: 4 });
    await page.mouse.up();
    const whole = page.getByRole("button", { name: "show all of the time" });
    assert.ok(await whole.isVisible());
    await page.mouse.dblclick(box.x + 0.5 * box.width, box.y + 40);
    assert.ok(await whole.isHidden());
    await page.close();
  });

  it("finds channels by glob and part, and adds them by a click", async () => {
    const { page } = await open(files.arm);
    const filter = page.getByRole("searchbox");
    await filter.fill("*.angle");
    assert.equal(await page.locator(".channel-list li").count(), 3);
    await filter.fill("grip.x");
    await page.locator(".channel-list button").click();
    assert.ok((await page.locator(".chip-name").allTextContents()).includes("force.grip.x"));
    await page.close();
  });

  it("draws a channel over a channel from a preset", async () => {
    const { page } = await open(files.arm);
    await page.getByLabel("presets").selectOption("1");
    const path = (await page.locator(".xy path").first().getAttribute("d")) ?? "";
    assert.ok(path.split("L").length > 100);
    await page.close();
  });

  it("shows two results over each other, and either alone", async () => {
    const opened = await open(files.overlaid),
      { page } = opened;
    const both = await picture(page);
    await page.getByLabel("show damaged").uncheck();
    const one = await picture(page);
    assert.ok(!both.equals(one));
    assert.equal(await page.locator(".chip").count(), 6); // three angles, three energies
    await page.getByLabel("show damaged").check();
    assert.equal(await page.locator(".chip").count(), 12);
    quiet(opened);
    await page.close();
  });

  it("saves a pane as picture, drawing and values", async () => {
    const opened = await open(files.arm),
      { page } = opened;
    const save = async (label: string): Promise<Buffer> => {
      const [download] = await Promise.all([
        page.waitForEvent("download"),
        page
          .getByRole("button", { name: `${label} of this pane` })
          .first()
          .click(),
      ]);
      return readFileSync(await download.path());
    };
    assert.deepEqual([...(await save("picture (PNG)")).subarray(1, 4)], [...Buffer.from("PNG")]);
    assert.match((await save("drawing (SVG)")).toString(), /^<svg [^]*joint\.shoulder\.angle[^]*<\/svg>$/);
    const rows = (await save("values (CSV)")).toString().trim().split("\n");
    assert.equal(rows.length, 602);
    assert.equal(
      rows[0],
      '"time [s]","joint.shoulder.angle [rad]","joint.elbow.angle [rad]","joint.yaw.angle [rad]"',
    );
    const [t, value] = rows[138].split(",").map(Number);
    assert.ok(Math.abs(t - 1.37) < 1e-12 && Math.abs(value - (-0.5 + 0.55 * Math.sin(1.7 * 1.37))) < 1e-6);
    quiet(opened);
    await page.close();
  });

  it("ends a curve where its channel does", async () => {
    const { page } = await open(files.arm);
    await page.evaluate(() => (window as any).haltere.seek(2));
    await page.getByRole("searchbox").fill("grip.x");
    await page.locator(".channel-list button").click(); // valid until 3 s
    const shown = (): Promise<string | null> =>
      page.locator(".chip", { hasText: "force.grip.x" }).locator("output").textContent();
    await until(async () => (await shown()) === "3.63719 N", "4 sin(2) at 2 s");
    await seek(page, 3.5);
    await until(async () => (await shown())!.startsWith("–"), "nothing at 3.5 s");
    await page.close();
  });

  it("makes as many frames as were asked for, each another one", async () => {
    const { page } = await open(files.arm);
    const { count, names, different } = await page.evaluate(async () => {
      const frames = await (window as any).haltere.exportFrames(7, { width: 320, height: 200 });
      const bytes = new Uint8Array(await frames.blob.arrayBuffer()),
        names: string[] = [],
        pictures = new Set<string>();
      const text = (at: number, n: number): string =>
        new TextDecoder().decode(bytes.subarray(at, at + n)).replace(/\0.*$/s, "");
      for (let at = 0; text(at, 100);) {
        const size = Number.parseInt(text(at + 124, 12), 8);
        names.push(text(at, 100));
        if (text(at, 100).endsWith(".png"))
          pictures.add(String.fromCharCode(...bytes.subarray(at + 512, at + 512 + Math.min(size, 9000))));
        at += 512 + Math.ceil(size / 512) * 512;
      }
      return { count: frames.count, names, different: pictures.size };
    });
    assert.equal(count, 7);
    assert.deepEqual(names, [...Array.from({ length: 7 }, (_, i) => `frame-000${i + 1}.png`), "times.csv"]);
    assert.equal(different, 7);
    await page.close();
  });

  it("makes a video of as many frames as were asked for", async () => {
    const { page } = await open(files.arm);
    const made = await page.evaluate(async () => {
      if (typeof VideoEncoder === "undefined") return null;
      const { count, blob } = await (window as any).haltere.exportVideo(12, 12, { width: 320, height: 200 });
      const video = document.createElement("video");
      video.muted = true;
      const bytes = new Uint8Array(await blob.arrayBuffer());
      let blocks = 0; // simple blocks of our writer: id A3, eight bytes of size, track 1
      for (let i = 0; i < bytes.length - 10; ++i)
        if (bytes[i] === 0xa3 && bytes[i + 1] === 1 && bytes[i + 9] === 0x81 && bytes[i + 2] === 0) ++blocks;
      return { count, blocks, head: [...bytes.subarray(0, 4)] };
    });
    if (made) assert.deepEqual(made, { count: 12, blocks: 12, head: [0x1a, 0x45, 0xdf, 0xa3] });
    await page.close();
  });

  it("comes back after the graphics were lost", async () => {
    const { page } = await open(files.arm);
    const one = await picture(page);
    await page.evaluate(() => {
      const canvas = document.querySelector<HTMLCanvasElement>(".canvas-host canvas")!;
      (window as any).lose = canvas.getContext("webgl2")!.getExtension("WEBGL_lose_context");
      (window as any).lose.loseContext();
    });
    const lost = page.getByText("The graphics were lost");
    await until(() => lost.isVisible(), "it says so");
    await page.evaluate(() => (window as any).lose.restoreContext());
    await until(() => lost.isHidden(), "it is back");
    assert.ok((await colours(page, await picture(page))) > 100);
    assert.ok((await colours(page, one)) > 100);
    await page.close();
  });

  it("shows hostile names as text and nothing else", async () => {
    const opened = await open(files.hostile),
      { page } = opened;
    for (const tab of ["tables", "plots", "audit", "model"]) {
      await page.click(`#tab-${tab}`);
      await page.waitForTimeout(100);
      assert.equal(
        await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth),
        true,
        `${tab} is not wider than the page`,
      );
    }
    assert.equal(await page.evaluate(() => (window as any).hurt), undefined);
    assert.equal(
      await page.evaluate(
        () => document.querySelectorAll("#app img, #app script, #app b:not(.node b)").length,
      ),
      0,
    );
    assert.ok((await page.locator("body").textContent())!.includes(`<img src=x onerror="window.hurt=1">`));
    assert.equal(await page.title(), "</script><script>window.hurt=2</script>");
    quiet(opened);
    await page.close();
  });

  for (const width of [360, 1280, 1920]) {
    it(`is not wider than a screen of ${width}`, async () => {
      for (const name of ["overlaid", "figures", "wing"]) {
        const { page } = await open(files[name], { width, height: 760 });
        for (const tab of await page.locator("[role=tab]").all()) {
          await tab.click();
          assert.ok(
            await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth),
            `${name} at ${width}`,
          );
        }
        await page.close();
      }
    });
  }

  it("has plots where there is no WebGL, and says so", async () => {
    const without = await launch(false);
    try {
      const opened = await open(files.arm, { browser: without });
      assert.ok(await opened.page.getByText("No 3-D here").isVisible());
      assert.equal(await opened.page.locator(".u-over").count(), 2);
      await seek(opened.page, 2);
      assert.equal(await time(opened.page), 2);
      quiet(opened);
    } finally {
      await without.close();
    }
  });

  it("sorts tables by numbers, goes to events, and puts the result of a point or row in front", async () => {
    const { page } = await open(files.modes);
    await page.click("#tab-tables");
    await page.getByRole("button", { name: "frequency [Hz]" }).click();
    assert.deepEqual(await page.locator("#panel-tables tbody td:nth-child(2)").allTextContents(), [
      "3.5",
      "12.25",
      "101",
    ]);
    await page.locator("#panel-tables tbody tr").nth(0).click();
    assert.ok(await page.getByLabel("show mode 2").isChecked());
    assert.ok(!(await page.getByLabel("show mode 1").isChecked()));
    await page.click("#tab-figures");
    await page.locator(".xy").nth(1).locator("circle[data-i='2']").click();
    assert.ok(await page.getByLabel("show mode 3").isChecked());
    await page.click("#tab-audit");
    await page.locator("#panel-audit tr.choose").first().click();
    assert.equal(await time(page), 1.5);
    await page.close();
  });

  it("gives every unit an axis: the first two share a plot, each further one has its own", async () => {
    const { page } = await open(files.units, { spy: true });
    const pane = page.locator(".pane").first();
    await until(async () => (await pane.locator(".u-over").count()) === 3, "three plots");
    const plots = await pane
      .locator(".uplot canvas")
      .evaluateAll((list) => list.map((c) => (window as any).drawn(c)));
    const labels = plots.map(({ texts }) => texts.map(({ text }: Text) => text));
    const with_units = labels.map((list) => list.filter((text: string) => text.startsWith("[")).sort());
    assert.deepEqual(with_units, [["[°/s]", "[°]"], ["[J]"], ["[N]"]]);
    assert.deepEqual(
      plots.map(({ paths }) => paths.length),
      [2, 1, 1],
    );
    const overs = await pane.locator(".u-over").all();
    const boxes = await Promise.all(overs.map(async (over) => (await over.boundingBox())!));
    assert.equal(new Set(boxes.map(({ x, width }) => `${x} ${width}`)).size, 1, "one axis of time");
    // the energy is 4 J: its curve lies where the axis has 4.0; the force is 3 cos t
    const [, energy, force] = plots;
    const four = energy.texts.find(({ text }: Text) => text === "4.0");
    for (const [, y] of energy.paths[0]) assert.ok(Math.abs(y - four.y) < 1, `${y} at ${four.y}`);
    const at = (text: string): number => // of the vertical axis: time has the same numbers further right
      force.texts.filter((t: Text) => t.text === text).sort((a: Text, b: Text) => a.x - b.x)[0].y;
    const top = Math.min(...force.paths[0].map(([, y]: number[]) => y));
    // 3 N lie above 2 N by a quarter of what is between -2 N and 2 N; labels stand at whole pixels
    const miss = at("2") - (at("−2") - at("2")) / 4 - top;
    assert.ok(Math.abs(miss) < 1, `the top, 3 N, is ${miss} pixels off`);
    await page.close();
  });

  it("draws a channel over a channel once for each unit, with one title", async () => {
    const { page } = await open(files.units);
    const pane = page.locator(".pane").nth(1);
    assert.equal(await pane.locator(".xy svg").count(), 2);
    assert.equal(await pane.getByText("Way", { exact: true }).count(), 1);
    assert.match((await pane.locator(".xy").nth(1).textContent())!, /energy\.kinetic \[J\]/);
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      pane.getByRole("button", { name: "drawing (SVG) of this pane" }).click(),
    ]);
    const text = readFileSync(await download.path()).toString();
    assert.equal(text.split(">Way<").length, 2);
    assert.equal(text.split("<svg").length, 4, "two charts in one drawing");
    await page.close();
  });

  it("draws curves between the pixels, not as stairs", async () => {
    const { page } = await open(files.arm, { spy: true });
    await until(async () => (await page.locator(".u-over").count()) === 2, "two plots");
    const paths = await page
      .locator(".uplot canvas")
      .evaluateAll((list) => list.flatMap((c) => (window as any).drawn(c).paths));
    const heights = paths[0].map(([, y]: number[]) => y);
    const whole = heights.filter((y: number) => Number.isInteger(y)).length;
    assert.ok(heights.length > 300 && whole < 0.1 * heights.length, `${whole} of ${heights.length} are whole`);
    await page.close();
  });

  it("labels two places or more of a logarithmic axis", async () => {
    const { page } = await open(files.narrow);
    for (const figure of await page.locator(".xy").all()) {
      for (const anchor of ["middle", "end"]) {
        const texts = await figure.locator(`g[font-size="11"] text[text-anchor=${anchor}]`).allTextContents();
        assert.ok(texts.length >= 2 && new Set(texts).size === texts.length, texts.join());
      }
    }
    await page.close();
  });

  it("shows the names of channels whole, under their body or joint", async () => {
    const { page } = await open(files.units);
    const seen = await page.locator(".channel-list li").evaluateAll((items) =>
      items.map((item) => {
        const heading = item.closest("section")!.querySelector("h4")!,
          entry = item.querySelector<HTMLElement>(".entry-name")!;
        return {
          name: `${heading.textContent}.${entry.textContent}`,
          title: item.querySelector("button")!.title.split(" ")[0].split(":")[0],
          cut: [heading, entry].some(
            (e) => e.scrollWidth > e.clientWidth || e.scrollHeight > e.clientHeight + 1,
          ),
        };
      }),
    );
    const names = (await page.evaluate(() => (window as any).haltere.channels())) as string[];
    assert.deepEqual(seen.map(({ name }) => name).sort(), [...names].sort());
    for (const { name, title, cut } of seen) assert.ok(title === name && !cut, `${name}, titled ${title}`);
    const cut_chips = await page
      .locator(".chip-name")
      .evaluateAll((list) => list.filter((e) => e.scrollWidth > e.clientWidth).map((e) => e.textContent));
    assert.deepEqual(cut_chips, []);
    await page.close();
  });

  it("has values and verdict of a validation in sight at 1280, and the rest behind them", async () => {
    const { page } = await open(files.validation);
    const box = (await page.locator("#panel-tables .table-box").boundingBox())!;
    const right = async (name: string): Promise<number> => {
      const c = await page.locator("#panel-tables th").allTextContents();
      const cells = await page.locator(`#panel-tables tbody td:nth-child(${c.indexOf(name) + 1})`).all();
      const ends = await Promise.all(cells.map(async (cell) => (await cell.boundingBox())!));
      return Math.max(...ends.map(({ x, width }) => x + width)) - box.x - box.width;
    };
    for (const name of ["case", "quantity", "expected", "ours", "difference", "verdict"])
      assert.ok((await right(name)) <= 0, `${name} ends ${await right(name)} px outside`);
    const heads = await page.locator("#panel-tables th").allTextContents();
    assert.deepEqual(heads.slice(-3), ["tolerance", "source", "where"]);
    await page.getByRole("button", { name: "ours" }).click();
    const first = (await page.locator("#panel-tables tbody tr").first().textContent())!;
    assert.match(first, /-0\.3910487916.*agrees/);
    await page.close();
  });

  it("fits the machine of a single row into its picture", async () => {
    const opened = await open(files.instant),
      { page } = opened;
    assert.equal(await page.locator(".timeline").count(), 0);
    // a beam as wide as the picture: no part of it is at the left or right edge, its middle is in the middle
    const picked = (): Promise<boolean[]> =>
      page.evaluate(async () => {
        const frame = (): Promise<unknown> => new Promise((done) => requestAnimationFrame(done));
        await frame();
        await frame();
        const canvas = document.querySelector<HTMLCanvasElement>(".canvas-host canvas")!,
          box = canvas.getBoundingClientRect();
        const hit = (x: number, y: number): boolean => {
          for (const type of ["pointerdown", "pointerup"])
            canvas.dispatchEvent(new PointerEvent(type, { clientX: x, clientY: y, pointerId: 1, button: 0 }));
          return !document.querySelector<HTMLElement>(".card")!.hidden;
        };
        const rows = Array.from({ length: 200 }, (_, i) => box.top + (box.height * (i + 0.5)) / 200);
        const any = (part: number): boolean => rows.some((y) => hit(box.left + part * box.width, y));
        return [any(0.002), any(0.5), any(0.85), any(0.998)];
      });
    assert.deepEqual(await picked(), [false, true, true, false]);
    await page.setViewportSize({ width: 900, height: 900 });
    assert.deepEqual(await picked(), [false, true, true, false]);
    quiet(opened);
    await page.close();
  });

  it("says nothing of an audit that was not made, but that a run was cut off", async () => {
    const cut = await open(files.units);
    await cut.page.click("#tab-audit");
    const words = (await cut.page.locator("#panel-audit").textContent())!;
    assert.match(words, /cut off: no audit was made/);
    assert.doesNotMatch(words, /audit holds|audit does not|Audit|Counts/);
    quiet(cut);
    await cut.page.close();
    const shape = await open(files.shape);
    await shape.page.click("#tab-audit");
    assert.doesNotMatch((await shape.page.locator("#panel-audit").textContent())!, /audit|cut off|Counts/i);
    quiet(shape);
    await shape.page.close();
  });

  it("obeys the keys", async () => {
    const { page } = await open(files.arm);
    await page.keyboard.press("End");
    assert.equal(await time(page), 6);
    await page.keyboard.press("ArrowLeft");
    assert.ok(Math.abs((await time(page)) - 5.99) < 1e-9);
    await page.keyboard.press("Home");
    assert.equal(await time(page), 0);
    await page.keyboard.press("?");
    assert.ok(await page.getByRole("dialog").isVisible());
    await page.keyboard.press("Escape");
    await until(() => page.getByRole("dialog").isHidden(), "Escape closes the window");
    await page.keyboard.press(" ");
    await until(async () => (await time(page)) > 0, "it plays");
    await page.close();
  });

  it("picks a body and tells its name and mass", async () => {
    const { page } = await open(files.wheel);
    const box = (await page.locator(".canvas-host canvas").boundingBox())!;
    await page.waitForTimeout(200);
    // somewhere on the wheel: along a line through its middle
    for (let k = 0; k < 60 && !(await page.locator(".card").isVisible()); ++k)
      await page.mouse.click(box.x + box.width * (0.2 + 0.01 * k), box.y + 0.5 * box.height);
    assert.ok((await page.locator(".card").textContent())!.includes("mass 2 kg"));
    await page.close();
  });

  it("labels every control", async () => {
    const { page } = await open(files.overlaid);
    const bare = await page.evaluate(() =>
      [...document.querySelectorAll("button, input, select")]
        .filter((e) => !(e.getAttribute("aria-label") || e.textContent?.trim() || e.closest("label")))
        .map((e) => e.outerHTML),
    );
    assert.deepEqual(bare, []);
    await page.close();
  });

  it("says what is wrong with broken or missing data", async () => {
    const text = readFileSync(files.arm, "utf8"),
      at = text.indexOf('class="haltere-data">') + 400;
    const cases: [string, string, RegExp][] = [
      ["bare", readFileSync(viewer, "utf8"), /no data/],
      ["cut", text.slice(0, at) + text.slice(at + 4000), /damaged/],
      ["letters", `${text.slice(0, at)}****${text.slice(at + 4)}`, /damaged/],
    ];
    for (const [name, broken, message] of cases) {
      const file = join(folder, `${name}.html`);
      writeFileSync(file, broken);
      const { page, messages } = await open(file);
      assert.match((await page.locator(".failure").textContent())!, message);
      assert.deepEqual(messages, []);
      await page.close();
    }
  });

  it("draws 50 channels of 100000 thinned rows, with every extreme, and keeps the script of a scrub short", async () => {
    const opened = await open(files.large, { width: 1920, height: 1080 }),
      { page } = opened;
    const shown = await page.evaluate(
      () => performance.getEntriesByName("haltere-shown")[0]?.startTime ?? Number.NaN,
    );
    const cost = await page.evaluate(async () => {
      const h = (window as any).haltere,
        list: number[] = [];
      const original = window.requestAnimationFrame.bind(window);
      for (let i = 0; i < 15; ++i) {
        let spent = 0;
        window.requestAnimationFrame = (f) =>
          original((t) => {
            const a = performance.now();
            f(t);
            spent += performance.now() - a;
          });
        const a = performance.now();
        h.seek(0.4 * i);
        spent += performance.now() - a;
        await new Promise((done) => original(() => original(done)));
        list.push(spent);
      }
      window.requestAnimationFrame = original;
      return list.sort((a, b) => a - b);
    });
    console.log(
      `large: all drawn after ${shown.toFixed(0)} ms; script of a scrub, median ${cost[7].toFixed(1)} ms, largest ${cost[14].toFixed(1)} ms`,
    );
    quiet(opened);
    await page.close();
  });
});
