/** Serving: code-server with a workplace, as long as a test lasts. */

import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { createServer } from "node:net";
import { delimiter, join } from "node:path";
import { codeServer, type Workplace } from "./workplace";

export interface Served {
  readonly url: string;
  stop(): Promise<void>;
}

export async function serve(place: Workplace): Promise<Served> {
  const port = await freePort();
  const [command, ...args] = codeServer();
  const options = ["--auth", "none", "--bind-addr", `127.0.0.1:${port}`, "--disable-telemetry"];
  const folders = ["--user-data-dir", place.profile, "--extensions-dir", place.extensions];
  // A group of its own: code-server leaves children behind when it alone is ended.
  const child = spawn(command, [...args, ...options, "--disable-update-check", ...folders, place.folder], {
    detached: true,
    env: { ...process.env, PATH: withoutDevfix(process.env.PATH ?? "") },
    stdio: "ignore",
  });
  const url = `http://127.0.0.1:${port}/`;
  await answering(url, child);
  return { url: `${url}?folder=${encodeURIComponent(place.folder)}`, stop: () => ended(child) };
}

/** Where devfix is on the PATH nobody has to look for it. */
function withoutDevfix(path: string): string {
  const folders = path.split(delimiter).filter((folder) => !existsSync(join(folder, "devfix")));
  return folders.join(delimiter);
}

async function answering(url: string, child: ChildProcess): Promise<void> {
  for (let tries = 0; tries < 240; tries += 1) {
    if (child.exitCode !== null) {
      throw new Error(`code-server ended with status ${child.exitCode}`);
    }
    const answer = await fetch(url).catch(() => undefined);
    if (answer?.ok) {
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
  await ended(child);
  throw new Error("code-server does not answer");
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.pid !== undefined) {
    const gone = new Promise((resolve) => child.once("exit", resolve));
    process.kill(-child.pid, "SIGTERM");
    await gone;
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address ? address.port : 0));
    });
  });
}
