// Packs devfix and what it needs into `bundled/`, for the machine's platform or the one that is named:
//   npm run bundle [-- --platform manylinux_2_28_x86_64] [-- --python /usr/bin/python3.11]
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const { values } = parseArgs({ options: { platform: { type: "string" }, python: { type: "string" } } });
const python = values.python ?? (process.platform === "win32" ? "python" : "python3");
const VERSIONS = ["3.10", "3.11", "3.12", "3.13", "3.14"];
const here = dirname(fileURLToPath(import.meta.url));
const bundled = join(here, "bundled");
const work = mkdtempSync(join(tmpdir(), "devfix-bundle-"));

const pip = (...words) =>
  execFileSync(python, ["-m", "pip", ...words], { stdio: ["ignore", "ignore", "inherit"] });
const folderOf = (version) => join(bundled, `cp${version.replace(".", "")}`);

function install(wheel, version) {
  const platform = values.platform === undefined ? [] : ["--platform", values.platform];
  const folder = folderOf(version);
  rmSync(folder, { recursive: true, force: true });
  pip("install", "--quiet", "--no-compile", "--disable-pip-version-check", "--only-binary=:all:", "--target", folder,
    "--python-version", version, "--implementation", "cp", ...platform, `${wheel}[lsp]`); // prettier-ignore
  rmSync(join(folder, "bin"), { recursive: true, force: true });
}

function filesIn(folder) {
  const found = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  return found.map((entry) => relative(folder, join(entry.parentPath, entry.name)));
}

const packageOf = (file) => file.split(/[\\/]/)[0];
const hashOf = (path) => createHash("sha256").update(readFileSync(path)).digest("hex");

/** The packages whose files are the same for every Python: they are kept once. */
function shared(folders) {
  const [first, ...others] = folders;
  const differ = new Set();
  const all = new Set(folders.flatMap(filesIn));
  for (const file of all) {
    const paths = folders.map((folder) => join(folder, file));
    if (!paths.every(existsSync) || new Set(paths.map(hashOf)).size > 1) {
      differ.add(packageOf(file));
    }
  }
  const packages = new Set([...all].map(packageOf).filter((name) => !differ.has(name)));
  const any = join(bundled, "any");
  rmSync(any, { recursive: true, force: true });
  mkdirSync(any);
  for (const name of packages) {
    renameSync(join(first, name), join(any, name));
    others.forEach((folder) => rmSync(join(folder, name), { recursive: true }));
  }
}

pip("wheel", "--quiet", "--no-deps", "--disable-pip-version-check", "--wheel-dir", work, join(here, "../.."));
const [wheel] = readdirSync(work).filter((name) => name.endsWith(".whl"));
for (const version of VERSIONS) {
  install(join(work, wheel), version);
}
shared(VERSIONS.map(folderOf));
rmSync(work, { recursive: true });
