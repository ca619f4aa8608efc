/** The extension in a real VS Code, from the underlined fault to the clean file; see README.md here. */

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { after, before, describe, it } from "node:test";
import type { Locator } from "playwright-core";
import { EVALUATE, EVALUATE_FIXED, NOTEBOOK, NOTEBOOK_FIXED, RUN, TRAIN, TRAIN_FIXED } from "./programs";
import { SELECTING, Window } from "./window";

const PYTHON = process.env.DEVFIX_PYTHON || "python3";
const PACKED = existsSync("bundled/any");

const text = async (element: Locator) => (await element.textContent()) ?? "";

describe("a folder with programs", () => {
  let window: Window;
  const settings = {
    "python.defaultInterpreterPath": PYTHON,
    "editor.codeActionsOnSave": { "source.fixAll.devfix": "explicit" },
  };

  before(async () => {
    const files = {
      "train.py": TRAIN,
      "baseline.py": TRAIN,
      "evaluate.py": EVALUATE,
      "run.py": RUN,
      "notes.ipynb": NOTEBOOK,
      "closed.py": EVALUATE,
      "closed.ipynb": NOTEBOOK,
    };
    window = await Window.open(files, settings);
  });
  after(() => window.close());

  it("shows what would fail, and the light bulb mends it", async () => {
    const { editor } = window;
    await editor.command("View: Close Primary Side Bar");
    await editor.open("train.py");
    await editor.squiggles.first().waitFor();
    await editor.settled();
    const hover = await editor.hover(editor.squiggles.first());
    await window.picture("finding", 590);
    assert.match(await text(hover), /`?labels`? is on the CPU and meets .* on the accelerator/);

    const menu = await editor.lightBulb(await editor.word("labels", "loss = criterion"));
    await window.picture("quick-fix", 430);
    await menu.getByText(/^Move `labels`.*\(DF102\)$/).click();
    await editor.squiggles.first().waitFor({ state: "detached" });
    await editor.save();
    assert.equal(window.place.read("train.py"), TRAIN_FIXED);
    await editor.settled();
    assert.equal(await editor.squiggles.count(), 0);
    assert.match((await editor.problems.getAttribute("aria-label")) ?? "", /No Problems/);
  });

  it("shows the device of what the pointer is on", async () => {
    const { editor } = window;
    const hover = await editor.hover(await editor.word("labels", "loss = criterion"));
    assert.match(await text(hover), /tensor int64 on cuda/);
    await window.picture("device", 430);
  });

  it("mends a file as it is saved", async () => {
    const { editor, page, place } = window;
    await editor.open("evaluate.py");
    await editor.squiggles.first().waitFor();
    await page.keyboard.press("Control+End");
    await page.keyboard.type("# done");
    await editor.save();
    assert.equal(place.read("evaluate.py"), `${EVALUATE_FIXED}# done`);
    await editor.squiggles.first().waitFor({ state: "detached" });
  });

  it("runs a program without a GPU and shows what it met", async () => {
    const { editor } = window;
    await editor.open("run.py");
    await editor.settled();
    assert.equal(await editor.squiggles.count(), 0);
    await editor.command("devfix: Run File on the Simulated Accelerator");
    await editor.squiggles.first().waitFor();
    const hover = await editor.hover(editor.squiggles.first());
    await window.picture("run", 600);
    assert.match(await text(hover), /Expected all tensors to be on the same device/);
  });

  it("shows the proof of a program", async () => {
    const { editor } = window;
    await editor.open("baseline.py");
    await editor.command("devfix: Run File Before and After the Fixes");
    const page = window.page.frameLocator("iframe.webview.ready").frameLocator("#active-frame");
    await page.getByRole("heading", { name: "baseline.py: fixed" }).waitFor();
    await window.page.mouse.move(470, 600);
    await window.picture("proof", 430);
  });

  it("mends a notebook in its cells", async () => {
    const { editor, page } = window;
    await editor.open("notes.ipynb");
    const squiggle = page.locator(".notebook-editor :is(.squiggly-warning, .squiggly-error)");
    await squiggle.first().waitFor();
    const cell = page.locator(".notebook-editor .view-lines").nth(2);
    await cell.getByText("noise", { exact: true }).last().click();
    await page.keyboard.press("Control+.");
    const menu = page.locator(".action-widget");
    await menu.waitFor();
    await editor.point(menu);
    await window.picture("notebook", 430);
    await menu.getByText(/^Move `noise`/).click();
    await squiggle.first().waitFor({ state: "detached" });
    await editor.save();
    assert.equal(window.place.read("notes.ipynb"), NOTEBOOK_FIXED);
  });

  it("mends all files of a folder, and saves them", async () => {
    const { editor, place } = window;
    assert.equal(place.read("closed.py"), EVALUATE);
    assert.equal(place.read("closed.ipynb"), NOTEBOOK);
    await editor.command("devfix: Fix All Files of the Workspace Folder");
    await editor.until(() => place.read("closed.ipynb") === NOTEBOOK_FIXED);
    await editor.until(() => place.read("closed.py") === EVALUATE_FIXED);
    await editor.until(() => place.read("baseline.py") === TRAIN_FIXED);
  });
});

describe("a folder for which devfix is not found", () => {
  let window: Window;

  before(async () => {
    const files = { "evaluate.py": EVALUATE, ".vscode/settings.json": '{"devfix.path": "/nowhere/devfix"}' };
    window = await Window.open(files, {});
  });
  after(() => window.close());

  it("is told what is wrong, and works as soon as that is mended", async () => {
    const { editor, page } = window;
    await editor.command("View: Close Primary Side Bar");
    await editor.open("evaluate.py");
    const message = page.locator(".notification-toast").filter({ hasText: "devfix" });
    await message.waitFor();
    assert.match(
      await text(message),
      /The setting devfix\.path names \/nowhere\/devfix: it cannot be started/,
    );
    await editor.status.locator(".codicon-error").waitFor();
    await window.picture("missing", 150, { x: 460, y: 570, width: 480 });
    await editor.rewrite("settings.json", JSON.stringify({ "devfix.path": PYTHON }));
    await editor.open("evaluate.py");
    await editor.squiggles.first().waitFor();
    await editor.settled();
  });
});

describe("a folder whose interpreter has no devfix", { skip: PACKED && "the packed one is found" }, () => {
  let window: Window;

  before(async () => {
    window = await Window.open({ "evaluate.py": EVALUATE }, {}, SELECTING);
  });
  after(() => window.close());

  it("is told to select another, and works as soon as one is selected", async () => {
    const { editor, page } = window;
    await editor.open("evaluate.py");
    const message = page.locator(".notification-toast").filter({ hasText: "devfix" });
    await message.waitFor();
    const where = /Install "devfix\[lsp\]" in \/nowhere\/python \(selected in the Python extension\)/;
    assert.match(await text(message), where);
    await message.getByRole("button", { name: "Select Interpreter" }).click();
    await editor.squiggles.first().waitFor();
    await editor.settled();
  });
});

describe(
  "an extension with devfix packed in it",
  { skip: !PACKED && "nothing is packed: npm run bundle" },
  () => {
    let window: Window;

    before(async () => {
      const settings = {
        "devfix.importStrategy": "useBundled",
        "python.defaultInterpreterPath": PYTHON,
        "editor.codeActionsOnSave": { "source.fixAll.devfix": "explicit" },
      };
      window = await Window.open({ "evaluate.py": EVALUATE }, settings);
    });
    after(() => window.close());

    it("needs no other", async () => {
      const { editor, page, place } = window;
      await editor.open("evaluate.py");
      await editor.squiggles.first().waitFor();
      await editor.settled();
      const label = await editor.status.locator("a").getAttribute("aria-label");
      assert.match(label ?? "", /packed with the extension/);
      await page.keyboard.press("Control+End");
      await page.keyboard.type("# done");
      await editor.save();
      assert.equal(place.read("evaluate.py"), `${EVALUATE_FIXED}# done`);
    });
  },
);

describe("a folder that is not trusted", () => {
  let window: Window;

  before(async () => {
    const files = {
      "evaluate.py": EVALUATE,
      "evil.sh": "#!/bin/sh\ntouch started\n",
      ".venv/bin/python": "#!/bin/sh\ntouch started\n",
      ".vscode/settings.json": JSON.stringify({
        "devfix.path": "${workspaceFolder}/evil.sh",
        "python.defaultInterpreterPath": "${workspaceFolder}/evil.sh",
      }),
    };
    const settings = {
      "security.workspace.trust.enabled": true,
      "security.workspace.trust.startupPrompt": "never",
      "security.workspace.trust.banner": "never",
      "python.defaultInterpreterPath": PYTHON,
    };
    window = await Window.open(files, settings);
  });
  after(() => window.close());

  it("is read by the devfix of the user, and nothing of it is started", async () => {
    const { editor, page, place } = window;
    await editor.open("evaluate.py");
    await editor.squiggles.first().waitFor();
    await editor.settled();
    await page.keyboard.press("F1");
    await page.locator(".quick-input-widget input").fill(">devfix: R");
    const rows = page.locator(".quick-input-list .monaco-list-row");
    await rows.filter({ hasText: "devfix: Restart Server" }).waitFor();
    assert.equal(await rows.filter({ hasText: "devfix: Run File" }).count(), 0);
    await page.keyboard.press("Escape");
    await editor.command("devfix: Restart Server");
    await editor.status.locator(".codicon-loading").waitFor();
    await editor.settled();
    assert.ok(!place.has("started"));
  });
});
