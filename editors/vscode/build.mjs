// Bundles the extension; with "test" or "e2e" the programs of that folder, with "production" for a release.
import { readdirSync, rmSync } from "node:fs";
import { build } from "esbuild";

const what = process.argv[2];
const folder = what === "test" || what === "e2e" ? what : "src";
const outdir = folder === "src" ? "dist" : `out/${folder}`;
const entries = {
  src: ["src/extension.ts"],
  test: readdirSync("test")
    .filter((name) => name.endsWith(".test.ts"))
    .map((name) => `test/${name}`),
  e2e: ["e2e/main.ts"],
};

rmSync(outdir, { recursive: true, force: true });
await build({
  entryPoints: entries[folder],
  outdir,
  bundle: true,
  platform: "node",
  target: "node20",
  format: "cjs",
  external: ["vscode", "playwright-core"],
  minify: what === "production",
  sourcemap: what === "production" ? false : "linked",
  logLevel: "warning",
});
