/** Programs: the commands that fix a folder, or run a program of the user's. */

import * as vscode from "vscode";
import type { Server } from "./server";
import { wordsOf } from "./words";

const ARGUMENTS = "devfix.arguments";

export class Programs {
  constructor(
    private readonly server: Server,
    private readonly memory: vscode.Memento,
  ) {}

  /** Applies the safe fixes of all files of a folder. */
  async fixAll(): Promise<void> {
    const folder = await chosenFolder();
    if (folder !== undefined) {
      await this.execute("devfix.applyAll", [folder.uri.toString()]);
    }
  }

  async run(uri?: vscode.Uri): Promise<void> {
    await this.execute("devfix.run", await programAt(uri));
  }

  /** Asks for the program's arguments, those of the last time being there already. */
  async runWithArguments(uri?: vscode.Uri): Promise<void> {
    const program = await programAt(uri);
    const key = `${ARGUMENTS} ${program?.[0]}`;
    const given =
      program &&
      (await vscode.window.showInputBox({
        title: "Arguments of the program",
        placeHolder: "--epochs 1",
        value: this.memory.get(key, ""),
      }));
    if (program !== undefined && given !== undefined) {
      await this.memory.update(key, given);
      await this.execute("devfix.run", [...program, wordsOf(given)]);
    }
  }

  async prove(uri?: vscode.Uri): Promise<void> {
    await this.execute("devfix.showProof", await programAt(uri));
  }

  private async execute(command: string, args: readonly unknown[] | undefined): Promise<void> {
    if (args === undefined) {
      return;
    }
    const client = await this.server.running();
    if (client === undefined) {
      void vscode.window
        .showWarningMessage("devfix's server does not run; its output says why.", "Show Output")
        .then((choice) => choice && vscode.commands.executeCommand("devfix.showOutput"));
      return;
    }
    await client.sendRequest("workspace/executeCommand", { command, arguments: args });
  }
}

async function chosenFolder(): Promise<vscode.WorkspaceFolder | undefined> {
  const folders = vscode.workspace.workspaceFolders ?? [];
  if (folders.length > 1) {
    return vscode.window.showWorkspaceFolderPick({ placeHolder: "The folder whose files are fixed" });
  }
  if (folders[0] === undefined) {
    void vscode.window.showInformationMessage("Open a folder first: all of its files are fixed.");
  }
  return folders[0];
}

/** The program that is meant, saved: what is run is what is saved. */
async function programAt(uri: vscode.Uri | undefined): Promise<[string] | undefined> {
  const notebook = vscode.window.activeNotebookEditor?.notebook;
  const meant = uri ?? notebook?.uri ?? vscode.window.activeTextEditor?.document.uri;
  if (meant === undefined || meant.scheme !== "file") {
    void vscode.window.showInformationMessage("Open a Python file or a notebook first.");
    return undefined;
  }
  const open = [...vscode.workspace.textDocuments, ...vscode.workspace.notebookDocuments];
  await open.find((each) => each.uri.toString() === meant.toString())?.save();
  return [meant.toString()];
}
