/** Files: what is on disk. */

import { statSync } from "node:fs";
import { join } from "node:path";

export function isFile(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    // Not there, within a file instead of a folder, or nothing we may look at.
    return false;
  }
}

/** What starts the devfix that is packed with the extension in a folder; undefined where none is. */
export function packedIn(extension: string): string | undefined {
  const folder = join(extension, "bundled");
  return isFile(join(folder, "any", "devfix", "__init__.py")) ? join(folder, "start.py") : undefined;
}
