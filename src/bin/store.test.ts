import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { join } from "node:path";
import { test } from "node:test";

const PROGRAMS = ["operator", "agent", "starter", "proxy", "link", "mover", "rigger", "definitions", "world"];

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

function store(...args: readonly string[]): Promise<Ended> {
  return run("store.ts", ...args);
}

function run(file: string, ...args: readonly string[]): Promise<Ended> {
  return new Promise((resolve) => {
    execFile(process.execPath, [join(import.meta.dirname, file), ...args], (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr });
    });
  });
}

for (const name of PROGRAMS)
  test(`${name} answers what it is, and refuses what it does not know`, async () => {
    const help = await store(name, "--help");
    assert.equal(help.code, 0, help.stderr);
    assert.match(help.stdout, new RegExp(`^usage: store ${name}`));
    const unknown = await store(name, "--nonsense");
    assert.equal(unknown.code, 2, unknown.stderr);
    assert.match(unknown.stderr, /nonsense/);
  });

test("without a program all of them are listed, and an unknown one is refused", async () => {
  const help = await store("--help");
  assert.equal(help.code, 0, help.stderr);
  for (const name of PROGRAMS) assert.match(help.stdout, new RegExp(`^ {2}${name} `, "m"));
  for (const name of ["", "nonsense", "constructor"]) {
    const { code, stderr } = await store(name);
    assert.equal(code, 2);
    assert.match(
      stderr,
      /^store: (no program is named|unknown program "\w+"); one of: operator, agent, starter, proxy/,
    );
  }
});

test("the load of the demo says what it is, and refuses arguments", async () => {
  const help = await run("load.ts", "--help");
  assert.deepEqual([help.code, help.stderr], [0, ""]);
  assert.match(help.stdout, /^usage: load\n/);
  const unknown = await run("load.ts", "--nonsense");
  assert.equal(unknown.code, 2);
  assert.match(unknown.stderr, /"--nonsense"/);
});
