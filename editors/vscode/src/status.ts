/** Status: the item in the status bar that says what the server does. */

import * as vscode from "vscode";

const SELECTOR: vscode.DocumentSelector = [
  { scheme: "file", language: "python" },
  { scheme: "untitled", language: "python" },
  { notebookType: "jupyter-notebook", language: "python" },
];

export class Status implements vscode.Disposable {
  private readonly item = vscode.window.createStatusBarItem(
    "devfix.status",
    vscode.StatusBarAlignment.Right,
    50,
  );
  private readonly watching: vscode.Disposable;
  private checks = 0;
  private up = false;
  private server = "";
  private failed = false;

  constructor() {
    this.item.name = "devfix";
    this.item.command = "devfix.showOutput";
    this.watching = vscode.window.onDidChangeActiveTextEditor(() => this.show());
    this.starting();
  }

  starting(): void {
    this.up = false;
    this.set("$(loading~spin) devfix", "devfix is starting.");
  }

  /** The server runs; `server` says which one. */
  running(server: string): void {
    this.server = server;
    this.up = true;
    this.settled();
  }

  failing(message: string): void {
    this.up = false;
    this.set("$(error) devfix", message, true);
  }

  /** Shows that something is looked at until it is done. */
  async checking<Result>(work: Promise<Result>): Promise<Result> {
    this.checks += 1;
    this.settled();
    try {
      return await work;
    } finally {
      this.checks -= 1;
      this.settled();
    }
  }

  dispose(): void {
    this.watching.dispose();
    this.item.dispose();
  }

  /** Checks that a server leaves behind when it ends say nothing of how it is. */
  private settled(): void {
    if (!this.up) {
      return;
    }
    if (this.checks > 0) {
      this.set("$(sync~spin) devfix", `devfix is checking.\n\n${this.server}`);
    } else {
      this.set("$(check) devfix", this.server);
    }
  }

  private set(text: string, about: string, failed = false): void {
    this.failed = failed;
    this.item.text = text;
    this.item.accessibilityInformation = { label: about };
    this.item.tooltip = new vscode.MarkdownString(`${about}\n\n[Restart](command:devfix.restart)`);
    this.item.tooltip.isTrusted = { enabledCommands: ["devfix.restart"] };
    this.item.backgroundColor = failed ? new vscode.ThemeColor("statusBarItem.errorBackground") : undefined;
    this.show();
  }

  private show(): void {
    const document = vscode.window.activeTextEditor?.document;
    if (this.failed || (document !== undefined && vscode.languages.match(SELECTOR, document) > 0)) {
      this.item.show();
    } else {
      this.item.hide();
    }
  }
}
