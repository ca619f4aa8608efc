import assert from "node:assert/strict";
import { test } from "node:test";
import { isFile } from "../src/files";

test("a file is one; a folder, what is not there and what would be within a file are none", () => {
  assert.ok(isFile("package.json"));
  for (const path of ["src", "no such file", "package.json/bin/python", "\0"]) {
    assert.ok(!isFile(path), path);
  }
});
