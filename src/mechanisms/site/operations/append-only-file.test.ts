import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { appendFile, mkdtempDisposable, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { engineNames, startEngine, type TestEngine } from "../../../../test/kit/engines/engine.ts";
import { until } from "#kit/testing/until";
import { argumentsOf, type CommandFrame } from "../../../ports/resp/command-frame.ts";
import { openReplicationStream } from "../../../ports/resp/replication-stream.ts";
import { textOf } from "../../../ports/resp/reply.ts";
import { systemClock } from "#kit/reconcile/system-clock";
import { AppendOnlyFile, type FileCommand } from "./append-only-file.ts";
import { fileBytes } from "./file-bytes.ts";

const WAITS_MS = 10_000;
/** Commands whose effects engines say in other words, in transactions, to subscribers alone, and in several databases. */
const COMMANDS = [
  ...["SET k v EX 1000", "EVAL return{redis.call('INCR','n'),redis.call('PUBLISH','c','m'),redis.call('INCR','n')} 0"],
  ...["PUBLISH c m", "SADD s a b", "SPOP s", "SELECT 3", "SET other 1", "SELECT 0", "MULTI", "INCR n", "PUBLISH c m"],
  ...["EXEC", "MULTI", "PUBLISH c m", "PUBLISH c m", "EXEC", "GETDEL k", "SET brief 1 PX 1", "GET brief", "SET end 1"],
];

for (const name of engineNames()) {
  test(`${name}: the file has the commands of the stream, and as many bytes of them`, async () => {
    await using scene = await appending(name);
    const { engine } = scene;
    const { signal } = new AbortController();
    const attached = await openReplicationStream({ ...engine, timeoutMs: 5_000, signal });
    await using stream = attached.commands;
    await execute(engine, COMMANDS);
    const streamed: string[] = [];
    let bytes = 0;
    while (!isEnd(streamed)) {
      const { value } = await stream.next();
      assert.ok(value !== undefined);
      for (const command of value) {
        bytes += fileBytes(command);
        streamed.push(textOfCommand(command));
      }
    }
    const { commands, length } = await readAll(scene.folder);
    assert.deepEqual(
      commands,
      streamed.filter((command) => !command.includes(" PUBLISH ")),
    );
    assert.equal(length, bytes);
  });

  test(`${name}: what comes while it is read is read too, also in a file that the engine has begun meanwhile`, async () => {
    await using scene = await appending(name);
    const { engine, folder } = scene;
    await engine.call("SET", "first", "1");
    await using file = await AppendOnlyFile.open(folder, systemClock, new AbortController().signal);
    const reading = eachOf(file);
    assert.deepEqual(argsOf(await reading.next()), ["SET", "first", "1"]);
    const second = reading.next();
    await engine.call("SET", "second", "x".repeat(3_000_000));
    assert.equal(argsOf(await second)[2]?.length, 3_000_000);
    const third = reading.next();
    await engine.call("BGREWRITEAOF");
    const isRewritten = async (): Promise<boolean> =>
      /aof_rewrite_in_progress:0/.test(textOf(await engine.call("INFO", "persistence")));
    await until("all data is written anew", isRewritten);
    await engine.call("SET", "third", "1");
    assert.deepEqual(argsOf(await third), ["SET", "third", "1"]);
    assert.deepEqual((await readAll(folder, 1)).commands, ["0 SET third 1"], "the first ones are with the data");
  });
}

test("what is written last may be there in part, and notes of the engine are passed over", async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), "aof-"));
  const name = "appendonly.aof.1.incr.aof";
  await writeFile(join(folder.path, "appendonly.aof.manifest"), `file ${name} seq 1 type i startoffset 0\n`);
  await writeFile(
    join(folder.path, name),
    "#TS:1764072000\r\n*2\r\n$6\r\nSELECT\r\n$1\r\n4\r\n*2\r\n$3\r\nDEL\r\n$1\r\n",
  );
  assert.deepEqual((await readAll(folder.path)).commands, []);
  await using file = await AppendOnlyFile.open(folder.path, systemClock, new AbortController().signal);
  const next = eachOf(file).next();
  await appendFile(join(folder.path, name), "k\r\n");
  const { value } = await next;
  assert.deepEqual([value?.database, value?.name], [4, "DEL"]);
});

test("what an engine has appended since is not within the sizes from before", async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), "aof-"));
  const command = "*1\r\n$4\r\nPING\r\n";
  const names = [1, 2].map((number) => `appendonly.aof.${number}.incr.aof`);
  const lines = names.map((name, index) => `file ${name} seq ${index + 1} type i\n`);
  await writeFile(join(folder.path, "appendonly.aof.manifest"), lines.join(""));
  for (const name of names) await writeFile(join(folder.path, name), command.repeat(2));
  const sizes = new Map([["appendonly.aof.1.incr.aof", command.length + 3]]);
  await using file = await AppendOnlyFile.open(folder.path, systemClock, new AbortController().signal);
  const within: boolean[] = [];
  for await (const commands of file.commands(undefined, () => 0))
    for (const { end } of commands) within.push(file.isWithin(end, sizes));
  assert.deepEqual(within, [true, false, false, false]);
});

test("what an engine has put there that is no file of its own is not opened", async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), "aof-"));
  const at = (name: string): string => join(folder.path, name);
  const manifest = at("appendonly.aof.manifest");
  const open = () => AppendOnlyFile.open(folder.path, systemClock, new AbortController().signal);
  await writeFile(at("secret"), "+secret\r\n");
  await symlink(at("secret"), at("link"));
  execFileSync("mkfifo", [at("pipe")]);
  for (const [name, why] of [
    ["../secret", /names "..\/secret"/],
    ["link", /ELOOP/],
    ["pipe", /is no file/],
    ["missing", /ENOENT/],
  ] as const) {
    await writeFile(manifest, `file ${name} seq 1 type i\n`);
    await assert.rejects(open(), why);
  }
  await rm(manifest);
  await symlink(at("secret"), manifest);
  await assert.rejects(open(), /ELOOP/);
});

test("a file that is gone before it was opened ends the reading, since its commands are missing", async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), "aof-"));
  const list = async (...numbers: readonly number[]): Promise<void> => {
    for (const number of numbers) await writeFile(join(folder.path, String(number)), "*1\r\n$4\r\nPING\r\n");
    const lines = numbers.map((number) => `file ${number} seq ${number} type i\n`);
    await writeFile(join(folder.path, "appendonly.aof.manifest"), lines.join(""));
  };
  await list(4);
  await using file = await AppendOnlyFile.open(folder.path, systemClock, new AbortController().signal);
  const reading = eachOf(file);
  await reading.next();
  await list(5);
  assert.equal((await reading.next()).value?.end.file, 1);
  await list(7);
  await assert.rejects(reading.next(), /File 6 in .* is gone/);
});

async function appending(engine: string) {
  await using stack = new AsyncDisposableStack();
  const dir = stack.use(await mkdtempDisposable(join(tmpdir(), "aof-")));
  const args = ["--appendonly", "yes", "--appendfsync", "no", "--dir", dir.path];
  const started = stack.use(await startEngine({ engine, args }));
  const owned = stack.move();
  return {
    engine: started,
    folder: join(dir.path, "appendonlydir"),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

async function execute(engine: TestEngine, commands: readonly string[]): Promise<void> {
  const client = await engine.connect();
  try {
    for (const command of commands) {
      await client.call(...(command.split(" ") as [string, ...string[]]));
      if (command.includes("PX 1"))
        await until("it has expired", async () => (await client.call("GET", "brief")) === null);
    }
  } finally {
    client.close();
  }
}

/** All that is there now, with its bytes; a transaction says in which database its commands are, and not itself. */
async function readAll(folder: string, atLeast = 0) {
  await using file = await AppendOnlyFile.open(folder, systemClock, new AbortController().signal);
  const commands: string[] = [];
  let length = 0;
  for await (const part of file.commands(undefined, () => (commands.length < atLeast ? WAITS_MS : 0)))
    for (const command of part) {
      commands.push(textOfCommand(command));
      length += command.frame.length;
    }
  return { commands, length };
}

function textOfCommand({ frame, database }: CommandFrame): string {
  return `${database} ${argumentsOf(frame).join(" ")}`;
}

function argsOf({ value }: IteratorResult<FileCommand, unknown>): readonly string[] {
  assert.ok(typeof value === "object" && value !== null && "frame" in value && value.frame instanceof Buffer);
  return argumentsOf(value.frame);
}

async function* eachOf(file: AppendOnlyFile): AsyncGenerator<FileCommand> {
  for await (const commands of file.commands(undefined, () => WAITS_MS)) yield* commands;
}

function isEnd(commands: readonly string[]): boolean {
  return commands.at(-1) === "0 SET end 1";
}
