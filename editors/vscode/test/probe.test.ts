import assert from "node:assert/strict";
import { test } from "node:test";
import type { Place } from "../src/places";
import { type Ended, firstThatWorks, runIn } from "../src/probe";

const place = (command: string): Place => ({
  command,
  args: ["-m", "devfix"],
  origin: "here",
  python: command,
});
const ended = (status: number | null, output = "", errors = ""): Ended => ({ status, output, errors });

/** What commands answer to `--version` and to `lsp`. */
const machine = (answers: Record<string, [version: Ended, lsp: Ended]>) => {
  const asked: string[] = [];
  const run = async (command: string, args: readonly string[]) => {
    asked.push(`${command} ${args.at(-1)}`);
    const [version, lsp] = answers[command] ?? [ended(null), ended(null)];
    return args.at(-1) === "lsp" ? lsp : version;
  };
  return { asked, run };
};
const good: [Ended, Ended] = [ended(0, "devfix 0.1.0\n"), ended(0)];
const without: [Ended, Ended] = [ended(1, "", "/bin/python: No module named devfix\n"), ended(1)];
const bare: [Ended, Ended] = [ended(0, "devfix 0.1.0\n"), ended(2, "", "error: pip install 'devfix[lsp]'\n")];

test("the first place that works is taken, and no other is tried after it", async () => {
  const { asked, run } = machine({ a: without, b: good, c: good });
  const tried = await firstThatWorks([place("a"), place("b"), place("c")], run);
  assert.deepEqual(
    tried.map(({ outcome }) => outcome),
    [
      { kind: "nothing", reason: "devfix is not installed there" },
      { kind: "works", version: "0.1.0" },
    ],
  );
  assert.deepEqual(asked, ["a --version", "b --version", "b lsp"]);
});

test("devfix without its extra is told from no devfix, and the search goes on", async () => {
  const { run } = machine({ a: bare, b: good });
  const tried = await firstThatWorks([place("a"), place("b")], run);
  assert.deepEqual(
    tried.map(({ outcome }) => outcome.kind),
    ["no server", "works"],
  );
});

test("what is not devfix is not taken for it", async () => {
  const { run } = machine({ a: [ended(0, "Python 3.11.2\n"), ended(0)] });
  const [tried] = await firstThatWorks([place("a")], run);
  assert.deepEqual(tried?.outcome, { kind: "nothing", reason: "Python 3.11.2" });
});

test("real commands: one that ends, one that fails, one that is not there, one that never ends", async () => {
  const run = runIn(".", 2_000);
  assert.deepEqual(await run(process.execPath, ["-e", "console.log('out'); console.error('err')"]), {
    status: 0,
    output: "out\n",
    errors: "err\n",
  });
  assert.equal((await run(process.execPath, ["-e", "process.exit(2)"])).status, 2);
  assert.equal((await run("/nowhere/devfix", [])).status, null);
  assert.equal((await run(process.execPath, ["-e", "setInterval(() => 0, 1000)"])).status, -1);
});

test("a command has nothing to read", async () => {
  const { output } = await runIn(".")(process.execPath, [
    "-e",
    "process.stdin.on('end', () => console.log('end')).resume()",
  ]);
  assert.equal(output, "end\n");
});
