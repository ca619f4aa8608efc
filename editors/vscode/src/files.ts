/** Files: what is on disk. */

import { statSync } from "node:fs";

export function isFile(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    // Not there, within a file instead of a folder, or nothing we may look at.
    return false;
  }
}
