/** Advice: what to tell a user who has no devfix that works. */

import type { Place } from "./places";
import type { Tried } from "./probe";

export interface Advice {
  readonly message: string;
  /** The command that would help, where one would. */
  readonly install?: string;
}

/** What to do, given what was tried in vain. */
export function adviceOn(tried: readonly Tried[], set: string): Advice {
  const bare = tried.find(({ outcome }) => outcome.kind === "no server");
  if (bare !== undefined) {
    const message =
      `devfix is in ${bare.place.command} (${bare.place.origin}), but not what it needs to serve an editor. ` +
      'Install "devfix[lsp]" there and restart the server.';
    return { message, install: installation(bare.place) };
  }
  const [first] = tried;
  if (set && first !== undefined && first.outcome.kind === "nothing") {
    return { message: `The setting devfix.path names ${first.place.command}: ${first.outcome.reason}.` };
  }
  const interpreter = tried.find(({ place }) => place.python !== undefined)?.place;
  const where =
    interpreter === undefined ? "your Python environment" : `${interpreter.command} (${interpreter.origin})`;
  const message =
    `devfix was not found. Install "devfix[lsp]" in ${where}, select an interpreter that has it, ` +
    "or name it in the setting devfix.path.";
  return { message, install: installation(interpreter) };
}

/** The account of a search, for the output channel. */
export function account(tried: readonly Tried[]): string[] {
  if (tried.length === 0) {
    return ["There is no interpreter to look in, and no devfix on the PATH."];
  }
  return tried.map(({ place, outcome }) => {
    const found = {
      works: () => `devfix ${"version" in outcome ? outcome.version : ""}`,
      "no server": () => 'devfix without "devfix[lsp]"',
      nothing: () => ("reason" in outcome ? outcome.reason : ""),
    }[outcome.kind]();
    return `${place.command} (${place.origin}): ${found}`;
  });
}

function installation(place: Place | undefined): string {
  const python = place?.python ?? "python";
  const word = /\s/.test(python) ? `"${python}"` : python;
  return `${word} -m pip install "devfix[lsp]"`;
}
