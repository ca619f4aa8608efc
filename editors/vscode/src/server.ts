/** Server: finds devfix, starts its language server, and starts it again when that is called for. */

import * as os from "node:os";
import * as vscode from "vscode";
import { type LanguageClient, State } from "vscode-languageclient/node";
import { account, adviceOn } from "./advice";
import { type Channels, clientFor } from "./client";
import { isFile, packedIn } from "./files";
import { commandOf, places, type Surroundings } from "./places";
import { firstThatWorks, runIn, type Tried } from "./probe";
import { PYTHON_EXTENSION, selectedInterpreters } from "./pythonExtension";
import { defaultInterpreters, prefersPacked, setting } from "./settings";
import type { Status } from "./status";

const INSTALL = "Copy Install Command";
const SELECT = "Select Interpreter";
const SETTINGS = "Open Settings";
const OUTPUT = "Show Output";

export class Server {
  private client: LanguageClient | undefined;
  /** One start after the other: they share a client. */
  private work: Promise<unknown> = Promise.resolve();
  private waiting = false;

  constructor(
    /** Where the extension is installed. */
    private readonly folder: string,
    private readonly channels: Channels,
    private readonly status: Status,
  ) {}

  /** The client of the server that runs, if one does. */
  async running(): Promise<LanguageClient | undefined> {
    await this.work;
    return this.client?.state === State.Running ? this.client : undefined;
  }

  /** Starts the server, the one that runs being stopped first. Of several calls in a row one counts. */
  restart(): Promise<unknown> {
    if (!this.waiting) {
      this.waiting = true;
      this.work = this.work.then(async () => {
        this.waiting = false;
        await this.stopNow();
        await this.startNow().catch((error) => this.fail(`The server could not be started: ${error}`));
      });
    }
    return this.work;
  }

  stop(): Promise<unknown> {
    this.work = this.work.then(() => this.stopNow());
    return this.work;
  }

  private async stopNow(): Promise<void> {
    const client = this.client;
    this.client = undefined;
    try {
      await client?.dispose();
    } catch (error) {
      this.channels.output.warn(`The server did not stop in good order: ${error}`);
    }
  }

  private async startNow(): Promise<void> {
    this.status.starting();
    const around = await surroundings(this.folder);
    const tried = await firstThatWorks(places(around), runIn(this.folder));
    for (const line of account(tried)) {
      this.say(line);
    }
    const found = tried.at(-1);
    if (found?.outcome.kind !== "works") {
      this.tellOfFailure(tried);
      return;
    }
    const name = `devfix ${found.outcome.version}, ${found.place.command} (${found.place.origin})`;
    await this.serve(found, around, name);
  }

  private async serve({ place }: Tried, around: Surroundings, name: string): Promise<void> {
    const set = setting("python");
    const python = set ? commandOf(set, around) : around.selected[0];
    const client = clientFor(place, python, this.folder, this.channels, this.status);
    this.client = client;
    client.onDidChangeState(({ newState }) => {
      if (this.client === client) {
        this.tell(newState, name);
      }
    });
    await client.start();
  }

  private tell(state: State, name: string): void {
    if (state === State.Running) {
      this.status.running(name);
    } else if (state === State.Starting) {
      this.status.starting();
    } else {
      this.status.failing("The server has stopped.");
    }
  }

  private tellOfFailure(tried: readonly Tried[]): void {
    const advice = adviceOn(tried, setting("path"));
    this.status.failing(advice.message);
    const selectable = vscode.extensions.getExtension(PYTHON_EXTENSION) !== undefined;
    const choices = [...(advice.install ? [INSTALL] : []), ...(selectable ? [SELECT] : []), SETTINGS, OUTPUT];
    // Nobody waits for the answer: the user may leave the message where it is.
    void vscode.window.showWarningMessage(advice.message, ...choices).then(async (choice) => {
      if (choice === INSTALL && advice.install !== undefined) {
        await vscode.env.clipboard.writeText(advice.install);
      } else if (choice === SELECT) {
        await vscode.commands.executeCommand("python.setInterpreter");
      } else if (choice === SETTINGS) {
        await vscode.commands.executeCommand("workbench.action.openSettings", "devfix.path");
      } else if (choice === OUTPUT) {
        this.channels.output.show();
      }
    });
  }

  private fail(message: string): void {
    this.status.failing(message);
    this.channels.output.error(message);
  }

  private say(line: string): void {
    this.channels.output.info(line);
  }
}

async function surroundings(extension: string): Promise<Surroundings> {
  const trusted = vscode.workspace.isTrusted;
  return {
    path: setting("path"),
    packed: packedIn(extension),
    prefersPacked: prefersPacked(),
    selected: await selectedInterpreters(),
    defaults: defaultInterpreters(trusted),
    folders: (vscode.workspace.workspaceFolders ?? []).map((each) => each.uri.fsPath),
    trusted,
    home: os.homedir(),
    environment: process.env,
    platform: process.platform,
    isFile,
  };
}
