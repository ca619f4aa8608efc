import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { isFile, packedIn } from "../src/files";

test("a file is one; a folder, what is not there and what would be within a file are none", () => {
  assert.ok(isFile("package.json"));
  for (const path of ["src", "no such file", "package.json/bin/python", "\0"]) {
    assert.ok(!isFile(path), path);
  }
});

test("devfix is packed with the extension where its package is", () => {
  const folder = mkdtempSync(join(tmpdir(), "devfix-"));
  try {
    assert.equal(packedIn(folder), undefined);
    mkdirSync(join(folder, "bundled/any/devfix"), { recursive: true });
    assert.equal(packedIn(folder), undefined);
    writeFileSync(join(folder, "bundled/any/devfix/__init__.py"), "");
    assert.equal(packedIn(folder), join(folder, "bundled/start.py"));
  } finally {
    rmSync(folder, { recursive: true });
  }
});
