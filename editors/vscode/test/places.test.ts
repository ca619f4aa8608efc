import assert from "node:assert/strict";
import { test } from "node:test";
import { places } from "../src/places";
import { machine } from "./surroundings";

const commands = (...args: Parameters<typeof machine>) =>
  places(machine(...args)).map((place) => place.command);

test("the selected interpreter comes first, then the default one, the workspace's environment, the PATH", () => {
  const files = ["/project/.venv/bin/python", "/opt/bin/devfix"];
  const found = places(
    machine(files, { selected: ["/conda/bin/python"], defaults: ["/usr/bin/python3.12"] }),
  );
  assert.deepEqual(
    found.map((place) => [place.command, ...place.args].join(" ")),
    [
      "/conda/bin/python -m devfix",
      "/usr/bin/python3.12 -m devfix",
      "/project/.venv/bin/python -m devfix",
      "/opt/bin/devfix",
    ],
  );
});

test("an interpreter that is named twice is tried once, for the better reason", () => {
  const found = places(machine(["/project/.venv/bin/python"], { selected: ["/project/.venv/bin/python"] }));
  assert.deepEqual(
    found.map((place) => place.origin),
    ["selected in the Python extension"],
  );
});

test("what devfix.path names is the only place", () => {
  assert.deepEqual(
    commands(["/opt/bin/devfix"], { path: "/elsewhere/devfix", selected: ["/conda/bin/python"] }),
    ["/elsewhere/devfix"],
  );
});

test("devfix.path may name an interpreter, or the folder of an environment", () => {
  const [interpreter] = places(machine([], { path: "/conda/bin/python3.11" }));
  assert.deepEqual([interpreter?.args, interpreter?.python], [["-m", "devfix"], "/conda/bin/python3.11"]);
  const [folder] = places(machine(["/envs/ml/bin/python"], { path: "/envs/ml" }));
  assert.equal(folder?.python, "/envs/ml/bin/python");
  const [executable] = places(machine([], { path: "/conda/bin/python-devfix" }));
  assert.deepEqual(executable?.args, []);
});

test("settings may be relative, bare, or have variables", () => {
  const paths = {
    "~/bin/devfix": "/home/ada/bin/devfix",
    "${userHome}/bin/devfix": "/home/ada/bin/devfix",
    "${workspaceFolder}/tools/devfix": "/project/tools/devfix",
    "${workspaceFolder:lab}/tools/devfix": "/else/lab/tools/devfix",
    "${env:TOOLS}/devfix": "/srv/devfix",
    "tools/devfix": "/project/tools/devfix",
    devfix: "/opt/bin/devfix",
    "${unheard}/devfix": "/project/${unheard}/devfix",
  };
  const around = { folders: ["/project", "/else/lab"], environment: { TOOLS: "/srv", PATH: "/opt/bin" } };
  for (const [path, command] of Object.entries(paths)) {
    assert.deepEqual(commands(["/opt/bin/devfix"], { ...around, path }), [command], path);
  }
});

test("a default interpreter that is only a name is looked for on the PATH", () => {
  assert.deepEqual(commands(["/usr/bin/python3"], { defaults: ["python3"] }), ["/usr/bin/python3"]);
});

test("every folder of the workspace may have an environment", () => {
  const files = ["/a/venv/bin/python", "/b/.venv/bin/python"];
  assert.deepEqual(commands(files, { folders: ["/a", "/b"] }), files);
});

test("nothing of a folder that is not trusted is started", () => {
  const files = ["/project/.venv/bin/python", "/project/bin/devfix", "/opt/bin/devfix"];
  const around = {
    trusted: false,
    selected: ["/project/.venv/bin/python", "/conda/bin/python"],
    environment: { PATH: "/project/bin:/opt/bin" },
  };
  assert.deepEqual(commands(files, around), ["/conda/bin/python", "/opt/bin/devfix"]);
  assert.deepEqual(commands(files, { ...around, trusted: true }).length, 3);
  assert.deepEqual(commands(files, { ...around, path: "${workspaceFolder}/bin/devfix" }), []);
});

test("folders of the PATH that are relative are left out: they would be the user's project", () => {
  assert.deepEqual(
    commands([".venv/bin/devfix", "/opt/bin/devfix"], { environment: { PATH: ".venv/bin::/opt/bin" } }),
    ["/opt/bin/devfix"],
  );
});

test("the devfix of the extension comes last, in each interpreter that is known, or first where that is preferred", () => {
  const around = { packed: "/extension/start.py", selected: ["/conda/bin/python"] };
  const files = ["/opt/bin/devfix", "/usr/bin/python3"];
  const told = (more: object) =>
    places(machine(files, { ...around, ...more })).map((place) => [place.command, ...place.args].join(" "));
  const installed = ["/conda/bin/python -m devfix", "/opt/bin/devfix"];
  const packed = ["/conda/bin/python /extension/start.py", "/usr/bin/python3 /extension/start.py"];
  assert.deepEqual(told({}), [...installed, ...packed]);
  assert.deepEqual(told({ prefersPacked: true }), [...packed, ...installed]);
  assert.deepEqual(told({ path: "/elsewhere/devfix" }), ["/elsewhere/devfix"]);
  const folders = ["/conda", "/project"];
  assert.deepEqual(told({ trusted: false, folders }), [
    "/opt/bin/devfix",
    "/usr/bin/python3 /extension/start.py",
  ]);
});

test("on Windows", () => {
  const files = ["C:\\project\\.venv\\Scripts\\python.exe", "C:\\tools\\devfix.exe"];
  const around = {
    platform: "win32" as const,
    folders: ["C:\\project"],
    environment: { Path: "C:\\Windows;C:\\tools" },
  };
  assert.deepEqual(commands(files, around), files);
  assert.deepEqual(commands(files, { ...around, path: ".\\.venv" }), [files[0]]);
});
