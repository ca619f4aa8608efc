import assert from "node:assert/strict";
import { test } from "node:test";
import { account, adviceOn } from "../src/advice";
import type { Place } from "../src/places";
import type { Outcome, Tried } from "../src/probe";

const python: Place = {
  command: "/my envs/ml/bin/python",
  args: [],
  origin: "selected",
  python: "/my envs/ml/bin/python",
};
const executable: Place = { command: "/opt/devfix", args: [], origin: "on the PATH" };
const nothing: Outcome = { kind: "nothing", reason: "devfix is not installed there" };
const tried = (place: Place, outcome: Outcome): Tried => ({ place, outcome });

test("where there is nothing at all, the message says what to install and how else to name it", () => {
  const { message, install } = adviceOn([], "");
  assert.match(message, /Install "devfix\[lsp\]" in your Python environment.*devfix\.path/);
  assert.equal(install, 'python -m pip install "devfix[lsp]"');
});

test("the interpreter without devfix is named, with the command for it", () => {
  const { message, install } = adviceOn([tried(python, nothing)], "");
  assert.match(message, /in \/my envs\/ml\/bin\/python \(selected\)/);
  assert.equal(install, '"/my envs/ml/bin/python" -m pip install "devfix[lsp]"');
});

test("a devfix without its extra is worth more than an interpreter without devfix", () => {
  const bare = tried({ ...python, command: "/b", python: "/b" }, { kind: "no server", version: "0.1.0" });
  const { message, install } = adviceOn([tried(python, nothing), bare], "");
  assert.match(message, /devfix is in \/b \(selected\), but not what it needs/);
  assert.equal(install, '/b -m pip install "devfix[lsp]"');
});

test("a setting that names nothing is blamed itself", () => {
  const { message, install } = adviceOn(
    [tried(executable, { kind: "nothing", reason: "it cannot be started" })],
    "x",
  );
  assert.equal(message, "The setting devfix.path names /opt/devfix: it cannot be started.");
  assert.equal(install, undefined);
});

test("the account of a search has a line for each place", () => {
  const works = tried(executable, { kind: "works", version: "0.1.0" });
  assert.deepEqual(account([tried(python, nothing), works]), [
    "/my envs/ml/bin/python (selected): devfix is not installed there",
    "/opt/devfix (on the PATH): devfix 0.1.0",
  ]);
  assert.equal(account([]).length, 1);
});
