/** Surroundings for tests: a machine with certain files. */

import type { Surroundings } from "../src/places";

export function machine(files: readonly string[], more: Partial<Surroundings> = {}): Surroundings {
  return {
    path: "",
    packed: undefined,
    prefersPacked: false,
    selected: [],
    defaults: [],
    folders: ["/project"],
    trusted: true,
    home: "/home/ada",
    environment: { PATH: "/usr/bin:/opt/bin" },
    platform: "linux",
    isFile: (path) => files.includes(path),
    ...more,
  };
}
