/** Probe: whether devfix is where it may be, and can serve an editor. */

import { type ExecFileException, execFile } from "node:child_process";
import type { Place } from "./places";

/** What a place turned out to be. */
export type Outcome =
  | { readonly kind: "works"; readonly version: string }
  | { readonly kind: "no server"; readonly version: string }
  | { readonly kind: "nothing"; readonly reason: string };

export interface Tried {
  readonly place: Place;
  readonly outcome: Outcome;
}

/** How a command ended; `status` is null where it could not be started. */
export interface Ended {
  readonly status: number | null;
  readonly output: string;
  readonly errors: string;
}

export type Run = (command: string, args: readonly string[]) => Promise<Ended>;

/** Tries places until one works. What does not, is kept: the user has to be told. */
export async function firstThatWorks(places: readonly Place[], run: Run): Promise<Tried[]> {
  const tried: Tried[] = [];
  for (const place of places) {
    const outcome = await probe(place, run);
    tried.push({ place, outcome });
    if (outcome.kind === "works") {
      break;
    }
  }
  return tried;
}

async function probe(place: Place, run: Run): Promise<Outcome> {
  const told = await run(place.command, [...place.args, "--version"]);
  const version = /^devfix (\S+)/m.exec(told.output)?.[1];
  if (told.status !== 0 || version === undefined) {
    return { kind: "nothing", reason: reasonOf(told, place) };
  }
  // With nothing to read a server ends at once, and well if it could be started.
  const served = await run(place.command, [...place.args, "lsp"]);
  if (served.status === 0) {
    return { kind: "works", version };
  }
  if (served.errors.includes("devfix[lsp]")) {
    return { kind: "no server", version };
  }
  return { kind: "nothing", reason: reasonOf(served, place) };
}

function reasonOf(ended: Ended, place: Place): string {
  if (ended.status === null) {
    return "it cannot be started";
  }
  if (place.python !== undefined && /No module named '?devfix/.test(ended.errors)) {
    return "devfix is not installed there";
  }
  const lines = ended.errors.trim() || ended.output.trim();
  return lines.split(/\r?\n/).at(-1) || `it ended with status ${ended.status}`;
}

/** Runs a command in a folder where no module of somebody's lies, with nothing to read. */
export function runIn(folder: string, patience = 30_000): Run {
  return (command, args) =>
    new Promise((resolve) => {
      const options = { cwd: folder, timeout: patience, windowsHide: true };
      const child = execFile(command, [...args], options, (error, output, errors) => {
        resolve({ status: error === null ? 0 : statusOf(error), output, errors });
      });
      child.stdin?.on("error", () => undefined);
      child.stdin?.end();
    });
}

/** A command that was killed has a status all the same; one that never ran has none. */
function statusOf(error: ExecFileException): number | null {
  const code: unknown = error.code;
  return typeof code === "number" ? code : typeof code === "string" ? null : -1;
}
