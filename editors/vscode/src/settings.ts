/** Settings: what the user has set, here and in the Python extension. */

import * as vscode from "vscode";

export const SECTION = "devfix";

export function setting(name: "path" | "python"): string {
  return vscode.workspace.getConfiguration(SECTION).get(name, "").trim();
}

/** Whether the devfix that is packed with the extension is wanted before one that is installed. */
export function prefersPacked(): boolean {
  return vscode.workspace.getConfiguration(SECTION).get("importStrategy") === "useBundled";
}

/** What the server reads; `python` is the interpreter for programs that are run. */
export function forServer(python: string | undefined): Record<string, unknown> {
  const configuration = vscode.workspace.getConfiguration(SECTION);
  return {
    debounce: configuration.get("debounce"),
    inlayHints: configuration.get("inlayHints"),
    python: setting("python") || python || "",
  };
}

/** The interpreters that somebody has set by hand; in a folder that is not trusted only the user's own counts. */
export function defaultInterpreters(trusted: boolean): string[] {
  const scopes: (vscode.Uri | undefined)[] = [
    undefined,
    ...(vscode.workspace.workspaceFolders ?? []).map((each) => each.uri),
  ];
  const found = scopes.flatMap((scope) => {
    const set = vscode.workspace.getConfiguration("python", scope).inspect<string>("defaultInterpreterPath");
    return trusted ? [set?.workspaceFolderValue, set?.workspaceValue, set?.globalValue] : [set?.globalValue];
  });
  return [...new Set(found.filter((each): each is string => Boolean(each)))];
}
