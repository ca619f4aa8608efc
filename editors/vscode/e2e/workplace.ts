/** Workplace: a folder with programs, a profile of VS Code, and the extension installed from its .vsix. */

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** What every picture and every test wants: nothing that moves, asks or goes to the network. */
const SETTINGS = {
  "breadcrumbs.enabled": false,
  "chat.commandCenter.enabled": false,
  "editor.cursorBlinking": "solid",
  "editor.fontSize": 15,
  "editor.hover.above": false,
  "editor.hover.delay": 100,
  "editor.minimap.enabled": false,
  "editor.occurrencesHighlight": "off",
  "editor.overviewRulerBorder": false,
  "editor.selectionHighlight": false,
  "editor.stickyScroll.enabled": false,
  "editor.lightbulb.enabled": "on",
  "extensions.autoCheckUpdates": false,
  "extensions.ignoreRecommendations": true,
  "files.autoSave": "off",
  "git.enabled": false,
  "security.workspace.trust.enabled": false,
  "telemetry.telemetryLevel": "off",
  "window.menuBarVisibility": "hidden",
  "workbench.activityBar.location": "hidden",
  "workbench.colorTheme": "Default Light Modern",
  "workbench.layoutControl.enabled": false,
  "workbench.startupEditor": "none",
  "workbench.tips.enabled": false,
};

/** How code-server is started: as it is on the PATH, or by node where its entry file is given. */
export function codeServer(): [command: string, ...args: string[]] {
  const given = process.env.CODE_SERVER || "code-server";
  return given.endsWith(".js") ? [process.execPath, given] : [given];
}

export class Workplace {
  private readonly root = mkdtempSync(join(tmpdir(), "devfix-vscode-"));
  readonly folder = join(this.root, "project");
  readonly profile = join(this.root, "profile");
  readonly extensions = join(this.root, "extensions");

  constructor(extensions: readonly string[], settings: Record<string, unknown>) {
    mkdirSync(this.folder);
    mkdirSync(this.extensions);
    this.put(join(this.profile, "User", "settings.json"), JSON.stringify({ ...SETTINGS, ...settings }));
    const [command, ...args] = codeServer();
    const options = ["--user-data-dir", this.profile, "--extensions-dir", this.extensions];
    for (const vsix of extensions) {
      execFileSync(command, [...args, ...options, "--install-extension", vsix], { stdio: "pipe" });
    }
  }

  write(name: string, text: string): string {
    const path = join(this.folder, name);
    this.put(path, text);
    return path;
  }

  read(name: string): string {
    return readFileSync(join(this.folder, name), "utf8");
  }

  has(name: string): boolean {
    return existsSync(join(this.folder, name));
  }

  remove(): void {
    rmSync(this.root, { recursive: true, force: true, maxRetries: 5 });
  }

  private put(path: string, text: string): void {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text, { mode: text.startsWith("#!") ? 0o755 : 0o644 });
  }
}
