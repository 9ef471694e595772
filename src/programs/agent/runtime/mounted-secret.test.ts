import assert from "node:assert/strict";
import { mkdtempDisposable, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { silentLog } from "#kit/base/log";
import { FakeClock } from "#kit/testing/fake-clock";
import { until } from "#kit/testing/until";
import { openMountedSecret, type SecretFiles } from "./mounted-secret.ts";

test("files that have not changed are not checked again", async () => {
  await using secret = await openFollowed();
  await secret.poll();
  await secret.poll();
  assert.deepEqual(secret.checked, ["one"]);
});

test("a change is checked once, and announced", async () => {
  await using secret = await openFollowed();
  await secret.write("two");
  await secret.poll();
  assert.deepEqual([secret.checked, secret.announced, secret.current()], [["one", "two"], ["two"], "two"]);
});

test("files that cannot be used leave those before in use, said once, and are checked until they can", async () => {
  await using secret = await openFollowed();
  await secret.write("bad");
  await secret.poll();
  await secret.poll();
  assert.deepEqual([secret.announced, secret.current(), secret.warnings()], [[], "one", 1]);
  await secret.write("two");
  await secret.poll();
  assert.deepEqual([secret.checked, secret.announced], [["one", "bad", "bad", "two"], ["two"]]);
});

test("files that cannot be used are said again after those in use were back", async () => {
  await using secret = await openFollowed();
  for (const text of ["bad", "one", "bad"]) {
    await secret.write(text);
    await secret.poll();
  }
  assert.deepEqual([secret.announced, secret.warnings()], [[], 2]);
});

/** A secret of one key, "one" at first, that is followed; the text "bad" cannot be used. */
async function openFollowed() {
  const folder = await mkdtempDisposable(join(tmpdir(), "mounted-secret-"));
  const write = (text: string): Promise<void> => writeFile(join(folder.path, "key"), text);
  await write("one");
  const [checked, announced]: [string[], string[]] = [[], []];
  let warnings = 0;
  const clock = new FakeClock();
  const check = ({ key }: SecretFiles<"key">): void => {
    checked.push(key);
    if (key === "bad") throw new Error("it is bad");
  };
  const log = { ...silentLog, warn: () => void warnings++ };
  const secret = await openMountedSecret(folder.path, ["key"], { clock, log, check });
  const end = new AbortController();
  const followed = secret.follow(({ key }) => announced.push(key), end.signal);
  return {
    write,
    checked,
    announced,
    warnings: () => warnings,
    current: () => secret.current().key,
    poll: async () => {
      await clock.advance(2_000);
      await until("the files are read", () => clock.sleeping === 1);
    },
    async [Symbol.asyncDispose]() {
      end.abort();
      await followed;
      await folder.remove();
    },
  };
}
