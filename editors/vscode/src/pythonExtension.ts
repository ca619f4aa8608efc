/** The Python extension, as far as it is there: which interpreter is selected. */

import * as vscode from "vscode";

interface Environments {
  getActiveEnvironmentPath(resource?: vscode.Uri): { readonly path: string };
  resolveEnvironment(path: {
    readonly path: string;
  }): Promise<{ executable: { uri?: vscode.Uri } } | undefined>;
  readonly onDidChangeActiveEnvironmentPath: vscode.Event<unknown>;
}

export const PYTHON_EXTENSION = "ms-python.python";

/** The selected interpreters: of the folders in their order, or without a folder the window's. */
export async function selectedInterpreters(): Promise<string[]> {
  const environments = await api();
  if (environments === undefined) {
    return [];
  }
  const folders = vscode.workspace.workspaceFolders ?? [];
  const scopes = folders.length > 0 ? folders.map((each) => each.uri) : [undefined];
  const paths = await Promise.all(scopes.map((scope) => selectedIn(environments, scope)));
  return [...new Set(paths.filter((path): path is string => Boolean(path)))];
}

/** Calls back when another interpreter is selected. */
export async function onSelection(changed: () => unknown): Promise<vscode.Disposable | undefined> {
  return (await api())?.onDidChangeActiveEnvironmentPath(changed);
}

async function selectedIn(environments: Environments, scope?: vscode.Uri): Promise<string | undefined> {
  const environment = await environments.resolveEnvironment(environments.getActiveEnvironmentPath(scope));
  return environment?.executable.uri?.fsPath;
}

async function api(): Promise<Environments | undefined> {
  const extension = vscode.extensions.getExtension<{ environments?: Environments }>(PYTHON_EXTENSION);
  try {
    return extension === undefined ? undefined : (await extension.activate())?.environments;
  } catch {
    // It tells of its own troubles, and we look elsewhere.
    return undefined;
  }
}
