import assert from "node:assert/strict";
import { setImmediate as turn } from "node:timers/promises";
import { test } from "node:test";
import { FakeClock } from "../testing/fake-clock.ts";
import { Fault } from "../base/fault.ts";
import { jsonLog } from "../base/log.ts";
import { faults } from "../kube/faults.ts";
import { runController, type Controller } from "./controller.ts";
import { AT_REST, lookAgain, type Outcome } from "./outcome.ts";

interface Bench {
  readonly clock: FakeClock;
  readonly stop: AbortController;
  readonly controller: Controller;
  readonly lines: string[];
  /** Seconds since the start at which each pass began. */
  readonly passes: number[];
}

function bench(reconcile: (pass: number, signal: AbortSignal) => Promise<Outcome>, workers = 1): Bench {
  const clock = new FakeClock();
  const began = clock.now().getTime();
  const stop = new AbortController();
  const lines: string[] = [];
  const passes: number[] = [];
  const controller = runController({
    name: "test",
    workers,
    clock,
    signal: stop.signal,
    log: jsonLog(
      (line) => lines.push(line),
      () => clock.now(),
      {},
      true,
    ),
    reconcile: (_, signal) => {
      passes.push((clock.now().getTime() - began) / 1000);
      return reconcile(passes.length, signal);
    },
  });
  return { clock, stop, controller, lines, passes };
}

test("a waiting outcome brings the key back after its time", async () => {
  const { clock, controller, passes } = bench(async (pass) => (pass === 1 ? lookAgain(5_000) : AT_REST));
  controller.enqueue("a");
  await clock.advance(60_000);
  assert.deepEqual(passes, [0, 5]);
});

test("a change brings a waiting key back earlier", async () => {
  const { clock, controller, passes } = bench(async (pass) => (pass === 1 ? lookAgain(5_000) : AT_REST));
  controller.enqueue("a");
  await clock.advance(1_000);
  controller.enqueue("a");
  await clock.advance(60_000);
  assert.deepEqual(passes, [0, 1]);
});

test("a pass that throws is logged and tried again with growing pauses", async () => {
  const { clock, controller, passes, lines } = bench(async (pass) => {
    if (pass <= 3) throw new Fault(faults.unavailable, "the server is away");
    return AT_REST;
  });
  controller.enqueue("a");
  await clock.advance(60_000);
  assert.deepEqual(passes, [0, 0.05, 0.15, 0.35]);
  assert.equal(lines.length, 3);
  assert.match(lines[0] ?? "", /"level":"error".*"controller":"test".*"key":"a".*KUBE_UNAVAILABLE.*the server is away/);
});

test("a lost race is no error, and a server that asks for patience gets it", async () => {
  const { clock, controller, passes, lines } = bench(async (pass) => {
    if (pass === 1) throw new Fault(faults.conflict, "changed meanwhile");
    if (pass === 2) throw new Fault(faults.unavailable, "too many requests", { retryAfterMs: 3_000 });
    return AT_REST;
  });
  controller.enqueue("a");
  await clock.advance(60_000);
  assert.deepEqual(passes, [0, 0.05, 3.05]);
  assert.match(lines[0] ?? "", /"level":"debug"/);
});

test("a stop waits for the passes under way and begins no other", async () => {
  const open = Promise.withResolvers<Outcome>();
  const { controller, stop, passes } = bench(() => open.promise);
  controller.enqueue("a");
  controller.enqueue("b");
  await turn();
  stop.abort();
  let isStopped = false;
  const stopped = controller.stopped.then(() => (isStopped = true));
  await turn();
  assert.equal(isStopped, false);
  open.resolve(AT_REST);
  await stopped;
  assert.equal(passes.length, 1);
});

test("workers work on different keys at once", async () => {
  const { controller, stop, passes } = bench(
    (_, signal) => new Promise((resolve) => signal.addEventListener("abort", () => resolve(AT_REST))),
    2,
  );
  for (const key of ["a", "a", "b", "c"]) controller.enqueue(key);
  await turn();
  assert.equal(passes.length, 2);
  stop.abort();
  await controller.stopped;
});
