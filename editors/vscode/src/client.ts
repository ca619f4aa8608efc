/** Client: the language client with what devfix's server needs to hear. */

import * as vscode from "vscode";
import {
  LanguageClient,
  type LanguageClientOptions,
  type Middleware,
  RevealOutputChannelOn,
  type ServerOptions,
} from "vscode-languageclient/node";
import type { Place } from "./places";
import { forServer, SECTION } from "./settings";
import type { Status } from "./status";

/** A page that is for reading. */
const PROOF = /devfix-proof-[^/]*\.md$/;

export interface Channels {
  readonly output: vscode.LogOutputChannel;
  readonly trace: vscode.LogOutputChannel;
}

/** A client for the server at a place. `folder` is where it starts: no module of the user's lies there. */
export function clientFor(
  place: Place,
  python: string | undefined,
  folder: string,
  channels: Channels,
  status: Status,
): LanguageClient {
  const server: ServerOptions = {
    command: place.command,
    args: [...place.args, "lsp"],
    options: { cwd: folder },
  };
  const options: LanguageClientOptions = {
    documentSelector: [
      { scheme: "file", language: "python" },
      { scheme: "untitled", language: "python" },
      { notebook: { notebookType: "jupyter-notebook", scheme: "file" }, language: "python" },
      { notebook: { notebookType: "jupyter-notebook", scheme: "untitled" }, language: "python" },
    ],
    outputChannel: channels.output,
    traceOutputChannel: channels.trace,
    revealOutputChannelOn: RevealOutputChannelOn.Never,
    initializationOptions: forServer(python),
    synchronize: { configurationSection: SECTION },
    middleware: middleware(python, status),
  };
  return new LanguageClient(SECTION, "devfix", server, options);
}

function middleware(python: string | undefined, status: Status): Middleware {
  return {
    workspace: {
      configuration: (params, token, next) => {
        const known = params.items.every((item) => item.section === SECTION);
        return known ? params.items.map(() => forServer(python)) : next(params, token);
      },
    },
    window: {
      showDocument: async (params, token, next) => {
        if (!PROOF.test(params.uri)) {
          return next(params, token);
        }
        await vscode.commands.executeCommand("markdown.showPreview", vscode.Uri.parse(params.uri));
        return { success: true };
      },
    },
    provideDiagnostics: (document, previous, token, next) =>
      status.checking(Promise.resolve(next(document, previous, token))),
  };
}
