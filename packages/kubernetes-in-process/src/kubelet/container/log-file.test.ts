import assert from "node:assert/strict";
import { renameSync, statSync, writeFileSync } from "node:fs";
import { mkdtempDisposable } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { systemClock } from "../../../../controller-kit/src/reconcile/system-clock.ts";
import { olderPart, openLogFile } from "./log-file.ts";
import type { LogFile } from "./log-file.ts";
import { readLog } from "./log-reader.ts";
import type { LogQuery } from "./log-reader.ts";

const NEVER = new AbortController().signal;

test("output comes back line by line, whatever the chunks were", async () => {
  await using logs = await logFolder();
  const log = logs.open();
  for (const chunk of ["on", "e\ntw", "o\n\nthr", "ee"]) log.write("stdout", Buffer.from(chunk));
  log.close();
  assert.equal(await read(log), "one\ntwo\n\nthree\n");
});

test("the last lines, those since an instant, and with their times", async () => {
  await using logs = await logFolder();
  const log = logs.open();
  log.write("stdout", Buffer.from("one\ntwo\nthree\n"));
  log.close();
  assert.equal(await read(log, { tailLines: 2 }), "two\nthree\n");
  assert.equal(await read(log, { tailLines: 0 }), "");
  assert.equal(await read(log, { since: new Date(Date.now() + 60_000) }), "");
  assert.equal(await read(log, { limitBytes: 5 }), "one\nt");
  assert.match(await read(log, { timestamps: true, tailLines: 1 }), /^20\d\d-.*Z three\n$/);
});

test("a character that is split between chunks stays whole, and so does a very long line", async () => {
  await using logs = await logFolder();
  const log = logs.open();
  const euro = Buffer.from("€\n");
  log.write("stderr", euro.subarray(0, 1));
  log.write("stderr", euro.subarray(1));
  log.write("stdout", Buffer.from(`${"x".repeat(40_000)}\n`));
  log.close();
  assert.equal(await read(log), `€\n${"x".repeat(40_000)}\n`);
});

test("a follower sees what is written, across rotations, and ends with the run", async () => {
  await using logs = await logFolder();
  const log = logs.open(10_000);
  const lines = Array.from({ length: 2_000 }, (_, n) => `line ${n}`);
  log.write("stdout", Buffer.from(`${lines[0]}\n`));
  const seen = collect(readLog(log.path, QUERY, log, NEVER));
  for (const line of lines.slice(1)) {
    log.write("stdout", Buffer.from(`${line}\n`));
    if (line.endsWith("7")) await new Promise((resolve) => setImmediate(resolve));
  }
  log.close();
  const found = (await seen).trim().split("\n");
  assert.equal(found.at(-1), "line 1999");
  assert.deepEqual(found, [...new Set(found)], "no line twice");
  assert.ok(statSync(log.path).size <= 10_000 && statSync(olderPart(log.path)).size <= 10_000);
});

test("a follower gets over the moment in which a rotated file has no successor yet", async () => {
  await using logs = await logFolder();
  const log = logs.open();
  log.write("stdout", Buffer.from("one\n"));
  const output = readLog(log.path, QUERY, log, NEVER);
  const first = await output.next();
  renameSync(log.path, olderPart(log.path));
  log.write("stdout", Buffer.from("two\n"));
  const second = await output.next();
  writeFileSync(log.path, "2026-01-01T00:00:00.000Z stdout F three\n");
  log.close();
  const rest = await collect(output);
  assert.equal(`${String(first.value)}${String(second.value)}${rest}`, "one\ntwo\nthree\n");
});

test("a follower ends when its reader goes away", async () => {
  await using logs = await logFolder();
  const log = logs.open();
  const reader = new AbortController();
  const seen = collect(readLog(log.path, QUERY, log, reader.signal));
  log.write("stdout", Buffer.from("hello\n"));
  reader.abort();
  assert.ok(["", "hello\n"].includes(await seen));
  log.close();
});

test("a log is appended to when its file exists", async () => {
  await using logs = await logFolder();
  const first = logs.open();
  first.write("stdout", Buffer.from("one\n"));
  first.close();
  const second = logs.open();
  second.write("stdout", Buffer.from("two\n"));
  second.close();
  assert.equal(await read(second), "one\ntwo\n");
});

const QUERY: LogQuery = { timestamps: false, tailLines: undefined, since: undefined, limitBytes: undefined };

/** Opens one log, again and again; its folder goes with it. */
interface Logs extends AsyncDisposable {
  open(maxBytes?: number): LogFile;
}

async function logFolder(): Promise<Logs> {
  const stack = new AsyncDisposableStack();
  const folder = stack.use(await mkdtempDisposable(join(tmpdir(), "log-file-")));
  return {
    open: (maxBytes) =>
      stack.adopt(openLogFile(join(folder.path, "log"), systemClock, maxBytes), (log) => {
        log.close();
      }),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

async function read(log: LogFile, query: Partial<LogQuery> = {}): Promise<string> {
  return collect(readLog(log.path, { ...QUERY, ...query }, undefined, NEVER));
}

async function collect(stream: AsyncIterable<Buffer>): Promise<string> {
  return Buffer.concat(await Array.fromAsync(stream)).toString();
}
