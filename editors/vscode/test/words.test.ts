import assert from "node:assert/strict";
import { test } from "node:test";
import { wordsOf } from "../src/words";

test("a command line falls apart at spaces that no quotes hold", () => {
  assert.deepEqual(wordsOf(`  --epochs 1 --name "two words" --note='it is "so"' --empty ""  `), [
    "--epochs",
    "1",
    "--name",
    "two words",
    '--note=it is "so"',
    "--empty",
    "",
  ]);
  assert.deepEqual(wordsOf(""), []);
});
