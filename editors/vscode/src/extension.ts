/** Extension: what VS Code calls, and what makes the server start again. */

import * as vscode from "vscode";
import { Programs } from "./programs";
import { onSelection } from "./pythonExtension";
import { Server } from "./server";
import { Status } from "./status";

/** Where devfix is found by settings, another value asks for another server. */
const PLACES = ["devfix.path", "devfix.importStrategy", "devfix.python", "python.defaultInterpreterPath"];

let server: Server | undefined;

export function activate(context: vscode.ExtensionContext): void {
  const output = vscode.window.createOutputChannel("devfix", { log: true });
  const trace = vscode.window.createOutputChannel("devfix trace", { log: true });
  const status = new Status();
  const started = new Server(context.extensionPath, { output, trace }, status);
  server = started;
  const programs = new Programs(started, context.workspaceState);
  const restart = () => started.restart();
  context.subscriptions.push(
    output,
    trace,
    status,
    vscode.commands.registerCommand("devfix.restart", restart),
    vscode.commands.registerCommand("devfix.showOutput", () => output.show()),
    vscode.commands.registerCommand("devfix.fixAllFiles", () => programs.fixAll()),
    vscode.commands.registerCommand("devfix.runFile", (uri?: vscode.Uri) => programs.run(uri)),
    vscode.commands.registerCommand("devfix.runFileWithArguments", (uri?: vscode.Uri) =>
      programs.runWithArguments(uri),
    ),
    vscode.commands.registerCommand("devfix.proveFile", (uri?: vscode.Uri) => programs.prove(uri)),
    vscode.workspace.onDidGrantWorkspaceTrust(restart),
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (PLACES.some((each) => change.affectsConfiguration(each))) {
        void restart();
      }
    }),
  );
  void restart();
  void onSelection(restart).then((selection) => selection && context.subscriptions.push(selection));
}

export async function deactivate(): Promise<void> {
  await server?.stop();
}
