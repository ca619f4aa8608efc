/** Places: where devfix may be, the likeliest first. Nothing here looks at VS Code or starts anything. */

import * as nodePath from "node:path";

/** A command that may be devfix, and why it is thought to be. */
export interface Place {
  readonly command: string;
  readonly args: readonly string[];
  readonly origin: string;
  /** The interpreter that devfix would run in, where it is known. */
  readonly python?: string;
}

/** What the search goes by. */
export interface Surroundings {
  /** The setting `devfix.path`. */
  readonly path: string;
  /** What starts the devfix that is packed with the extension, where one is. */
  readonly packed: string | undefined;
  /** Whether the packed one is wanted wherever it can run, and not only where there is no other. */
  readonly prefersPacked: boolean;
  /** The interpreters selected in the Python extension, by workspace folder. */
  readonly selected: readonly string[];
  /** The values of `python.defaultInterpreterPath` that somebody has set. */
  readonly defaults: readonly string[];
  readonly folders: readonly string[];
  /** Whether what lies in the folders may be started. */
  readonly trusted: boolean;
  readonly home: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
  readonly isFile: (path: string) => boolean;
}

const ENVIRONMENTS = [".venv", "venv"];
const PYTHONS = ["python3", "python"];
const INTERPRETER = /^(python|pypy)[\d.]*(\.exe)?$/i;

/** All places worth a try. What the user has set is the only one: to go on elsewhere would hide a mistake. */
export function places(around: Surroundings): Place[] {
  const set = around.path.trim();
  if (set) {
    const place = placeOf(commandOf(set, around), "the setting devfix.path");
    return isAllowed(place.command, around) ? [place] : [];
  }
  const installed = [
    ...interpreters(around).map(([path, origin]) => ofInterpreter(path, origin)),
    ...onPath(around),
  ];
  const found = around.prefersPacked ? [...packed(around), ...installed] : [...installed, ...packed(around)];
  return found.filter((place, index) => found.findIndex((other) => isSame(place, other)) === index);
}

function isSame(place: Place, other: Place): boolean {
  return place.command === other.command && place.args.join() === other.args.join();
}

/** The devfix of the extension, in each interpreter that is known. */
function packed(around: Surroundings): Place[] {
  const { packed: start } = around;
  if (start === undefined) {
    return [];
  }
  const paths = [
    ...interpreters(around).map(([path]) => path),
    ...PYTHONS.map((name) => onSearchPath(name, around)),
  ];
  return paths
    .filter((path) => path !== undefined)
    .map((path) => ({ command: path, args: [start], origin: "packed with the extension" }));
}

function interpreters(around: Surroundings): [path: string, origin: string][] {
  const found: [string, string][] = [
    ...around.selected.map((path): [string, string] => [path, "selected in the Python extension"]),
    ...around.defaults.map((path): [string, string] => [
      commandOf(path, around),
      "the setting python.defaultInterpreterPath",
    ]),
  ];
  if (around.trusted) {
    for (const folder of around.folders) {
      for (const name of ENVIRONMENTS) {
        const path = interpreterIn(join(around, folder, name), around);
        if (path !== undefined) {
          found.push([path, `the environment ${name} of the workspace`]);
        }
      }
    }
    return found;
  }
  return found.filter(([path]) => isAllowed(path, around));
}

function onPath(around: Surroundings): Place[] {
  const found = onSearchPath("devfix", around);
  return found === undefined ? [] : [{ command: found, args: [], origin: "on the PATH" }];
}

/** The interpreter of an environment folder, if it is one. */
export function interpreterIn(environment: string, around: Surroundings): string | undefined {
  const inside =
    around.platform === "win32" ? ["Scripts/python.exe", "python.exe"] : ["bin/python", "bin/python3"];
  return inside.map((name) => join(around, environment, name)).find(around.isFile);
}

function placeOf(command: string, origin: string): Place {
  const name = command.split(/[\\/]/).at(-1) ?? "";
  return INTERPRETER.test(name) ? ofInterpreter(command, origin) : { command, args: [], origin };
}

function ofInterpreter(path: string, origin: string): Place {
  return { command: path, args: ["-m", "devfix"], origin, python: path };
}

/** A path as a setting has it, made one that can be started. */
export function commandOf(setting: string, around: Surroundings): string {
  const filled = substituted(setting.trim(), around);
  const paths = pathsOf(around);
  if (!/[\\/]/.test(filled)) {
    return onSearchPath(filled, around) ?? filled;
  }
  const [folder] = around.folders;
  const path = paths.isAbsolute(filled) || folder === undefined ? filled : paths.join(folder, filled);
  return interpreterIn(path, around) ?? path;
}

function substituted(text: string, around: Surroundings): string {
  return text
    .replace(/^~(?=$|[\\/])/, () => around.home)
    .replace(/\$\{([^}:]+)(?::([^}]+))?\}/g, (whole, name: string, of?: string) => {
      return variable(name, of, around) ?? whole;
    });
}

function variable(name: string, of: string | undefined, around: Surroundings): string | undefined {
  switch (name) {
    case "userHome":
      return around.home;
    case "env":
      return of === undefined ? undefined : (around.environment[of] ?? "");
    case "workspaceFolder":
      return around.folders.find((each) => of === undefined || pathsOf(around).basename(each) === of);
    default:
      return undefined;
  }
}

function onSearchPath(name: string, around: Surroundings): string | undefined {
  const windows = around.platform === "win32";
  const search = (windows ? around.environment.Path : undefined) ?? around.environment.PATH ?? "";
  const names = windows && !/\.[a-z]+$/i.test(name) ? [`${name}.exe`] : [name];
  return search
    .split(windows ? ";" : ":")
    .filter((folder) => folder && pathsOf(around).isAbsolute(folder) && isAllowed(folder, around))
    .flatMap((folder) => names.map((each) => join(around, folder, each)))
    .find(around.isFile);
}

function isAllowed(path: string, around: Surroundings): boolean {
  return around.trusted || !around.folders.some((folder) => isInside(path, folder, around));
}

function isInside(path: string, folder: string, around: Surroundings): boolean {
  const way = pathsOf(around).relative(folder, path);
  return !way.startsWith("..") && !pathsOf(around).isAbsolute(way);
}

function join(around: Surroundings, ...parts: string[]): string {
  return pathsOf(around).join(...parts);
}

function pathsOf(around: Surroundings): nodePath.PlatformPath {
  return around.platform === "win32" ? nodePath.win32 : nodePath.posix;
}
