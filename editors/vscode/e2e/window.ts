/** Window: a workplace that is served and open in a browser, and pictures of it. */

import { mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { type Browser, chromium, type Page } from "playwright-core";
import { Editor } from "./editor";
import { type Served, serve } from "./serving";
import { Workplace } from "./workplace";

const VSIX = resolve("devfix.vsix");
/** A stand-in for the Python extension, which is not to be had everywhere. */
export const SELECTING = resolve("out/selecting.vsix");
/** Where pictures go: those of the README are made by `PICTURES=media npm run e2e`. */
const PICTURES = resolve(process.env.PICTURES || "out/pictures");
const FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run"];
const PATIENCE = 180_000;

export class Window {
  private constructor(
    readonly place: Workplace,
    readonly editor: Editor,
    private readonly browser: Browser,
    private readonly served: Served,
  ) {}

  /** Opens a folder with some files. */
  static async open(
    files: Record<string, string>,
    settings: Record<string, unknown>,
    ...more: string[]
  ): Promise<Window> {
    const place = new Workplace([VSIX, ...more], settings);
    for (const [name, text] of Object.entries(files)) {
      place.write(name, text);
    }
    const served = await serve(place);
    const browser = await chromium.launch({
      executablePath: process.env.CHROMIUM || "/usr/bin/chromium",
      args: FLAGS,
    });
    const context = await browser.newContext({
      viewport: { width: 940, height: 720 },
      deviceScaleFactor: 1.5,
    });
    const page = await context.newPage();
    page.setDefaultTimeout(PATIENCE);
    await page.goto(served.url);
    await page.locator(".monaco-workbench .explorer-folders-view .monaco-list-row").first().waitFor();
    return new Window(place, new Editor(page), browser, served);
  }

  get page(): Page {
    return this.editor.page;
  }

  /** A picture of the window below its title, or of what is below a place, as high as is said. */
  async picture(name: string, height: number, from = { x: 0, y: 35, width: 940 }): Promise<void> {
    mkdirSync(PICTURES, { recursive: true });
    await this.page.locator(".monaco-hover.workbench-hover").waitFor({ state: "hidden" });
    const clip = { ...from, height };
    await this.page.screenshot({ path: join(PICTURES, `${name}.png`), clip, animations: "disabled" });
  }

  async close(): Promise<void> {
    await this.browser.close();
    await this.served.stop();
    this.place.remove();
  }
}
