import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempDisposableSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { boundTo, launcher, killNoted, notedProcesses } from "./processes.ts";
import { startTimeOf } from "./proc.ts";

test("a free program outlives the process that started it, and is found and ended by its note", async () => {
  using temporary = mkdtempDisposableSync(join(tmpdir(), "processes-"));
  const folder = temporary.path;
  const module = JSON.stringify(join(import.meta.dirname, "processes.ts"));
  const program = `const { launcher } = await import(${module}); launcher(${JSON.stringify(folder)}, "free").start("sleeper", ["sleep", "1000"]);`;
  await using stack = new AsyncDisposableStack();
  stack.defer(() => killNoted(folder, ["sleeper"]));
  spawnSync(process.execPath, ["--input-type=module", "--eval", program], { stdio: "inherit" });
  const [noted] = notedProcesses(folder, ["sleeper"]);
  assert.equal(noted?.isAlive, true);
  await killNoted(folder, ["sleeper", "absent"]);
  assert.equal(startTimeOf(noted.pid), undefined);
  assert.equal(notedProcesses(folder, ["sleeper"])[0]?.isAlive, false);
});

test("a bound program does not begin when the process that started it has ended meanwhile", () => {
  const [started, ended] = [process.pid, 1].map((parent) => {
    const [program = "", ...args] = boundTo(parent, ["echo", "begins"]);
    return spawnSync(program, args, { encoding: "utf8" }).stdout;
  });
  assert.deepEqual([started, ended], ["begins\n", ""]);
});

test("a program that ends unasked is reported with the end of its log", async () => {
  using temporary = mkdtempDisposableSync(join(tmpdir(), "processes-"));
  const folder = temporary.path;
  const running = launcher(folder, "bound").start("brief", ["sh", "-c", "echo it is over; exit 7"]);
  await running.ended;
  assert.throws(() => {
    running.check();
  }, /brief has ended \(7\)\. The end of .*brief\.log:\nit is over/);
  assert.match(readFileSync(join(folder, "log/brief.log"), "utf8"), /it is over/);
  assert.deepEqual(notedProcesses(folder, ["brief"]), []);
});

test("a process is not mistaken for a later one of the same number", async () => {
  using temporary = mkdtempDisposableSync(join(tmpdir(), "processes-"));
  const folder = temporary.path;
  await using stack = new AsyncDisposableStack();
  const running = stack.adopt(launcher(folder, "bound").start("sleeper", ["sleep", "1000"]), (each) => each.stop());
  const file = join(folder, "pids/sleeper");
  const [pid = "", startTime = ""] = readFileSync(file, "utf8").split(" ");
  writeFileSync(file, `${pid} ${Number(startTime) - 1}`);
  await killNoted(folder, ["sleeper"]);
  assert.equal(startTimeOf(running.pid), Number(startTime));
});
