/** Editor: VS Code in a browser, as far as a user's hands and eyes need it. */

import type { Locator, Page } from "playwright-core";

export interface Point {
  readonly x: number;
  readonly y: number;
}

/** How long a glance takes, in milliseconds: the pointer rests, then a hover comes up. */
const GLANCE = 700;

export class Editor {
  constructor(readonly page: Page) {}

  /** What is underlined in the editor. */
  get squiggles(): Locator {
    return this.page.locator(".editor-instance :is(.squiggly-warning, .squiggly-error)");
  }

  get problems(): Locator {
    return this.page.locator('[id="status.problems"]');
  }

  get status(): Locator {
    return this.page.locator('.statusbar-item[id$="devfix.status"]');
  }

  async open(name: string): Promise<void> {
    await this.choose("Control+P", name, name);
    await this.page.locator(`.tab.active[data-resource-name="${name}"]`).waitFor();
  }

  async command(title: string): Promise<void> {
    await this.choose("F1", `>${title}`, title);
  }

  /** Waits until the server runs and has looked at everything. */
  async settled(): Promise<void> {
    await this.status.locator(".codicon-check").waitFor();
  }

  /** Where a word stands in the line that begins like this, for the last time. */
  async word(text: string, line: string): Promise<Point> {
    const found = this.page.locator(".editor-instance .view-line").filter({ hasText: line });
    return await found.first().evaluate((element: Element, word: string) => {
      const spans = [...element.querySelectorAll("span")].filter((each) => each.childElementCount === 0);
      const span = spans.filter((each) => each.textContent?.includes(word)).at(-1);
      const letters = span?.firstChild;
      if (!letters) {
        throw new Error(`${word} is not in ${element.textContent}`);
      }
      const start = (letters.textContent ?? "").lastIndexOf(word);
      const range = element.ownerDocument.createRange();
      range.setStart(letters, start);
      range.setEnd(letters, start + word.length);
      const box = range.getBoundingClientRect();
      return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
    }, text);
  }

  /** The hover that comes up where the pointer rests. */
  async hover(target: Locator | Point): Promise<Locator> {
    await this.page.mouse.move(0, 0);
    await this.point(target);
    const hover = this.page.locator(".monaco-resizable-hover .monaco-hover:not(.hidden)").first();
    await hover.waitFor();
    await this.page.waitForTimeout(GLANCE);
    return hover;
  }

  /** Opens the light bulb's menu of the line with a word. */
  async lightBulb({ x, y }: Point): Promise<Locator> {
    await this.page.mouse.click(x, y);
    const bulb = this.page
      .locator(":is(.lightBulbWidget, [class*=codicon-gutter-lightbulb]):visible")
      .first();
    await bulb.waitFor();
    const middleOfBulb = await middle(bulb);
    await this.page.mouse.click(middleOfBulb.x, middleOfBulb.y);
    const menu = this.page.locator(".action-widget");
    await menu.waitFor();
    // A menu lets itself be clicked once the pointer has moved in it.
    await this.point(menu);
    return menu;
  }

  /** Replaces the text of a file, as a user does. */
  async rewrite(name: string, text: string): Promise<void> {
    await this.open(name);
    await this.page.locator(".editor-instance .view-line").first().click();
    await this.page.keyboard.press("Control+A");
    await this.page.keyboard.insertText(text);
    // What VS Code closed of its own accord stands behind it.
    await this.page.keyboard.press("Control+Shift+End");
    await this.page.keyboard.press("Delete");
    await this.save();
  }

  /** Waits for something that is not on the screen. */
  async until(isSo: () => boolean): Promise<void> {
    for (let tries = 0; !isSo(); tries += 1) {
      if (tries > 300) {
        throw new Error("it did not come to that");
      }
      await this.page.waitForTimeout(100);
    }
  }

  async save(): Promise<void> {
    await this.page.keyboard.press("Control+S");
    await this.page.locator(".tab.active.dirty").waitFor({ state: "detached" });
  }

  /** Moves the pointer to a place, or to the middle of something, whatever lies over it. */
  async point(target: Locator | Point): Promise<void> {
    const { x, y } = "x" in target ? target : await middle(target);
    await this.page.mouse.move(x, y, { steps: 5 });
  }

  private async choose(key: string, typed: string, row: string): Promise<void> {
    await this.page.keyboard.press(key);
    await this.page.locator(".quick-input-widget input").fill(typed);
    await this.page.locator(".quick-input-list .monaco-list-row").filter({ hasText: row }).first().click();
  }
}

async function middle(element: Locator): Promise<Point> {
  const box = await element.boundingBox();
  if (box === null) {
    throw new Error("there is nothing to point at");
  }
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
}
