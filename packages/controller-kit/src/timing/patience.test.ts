import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { until } from "../testing/until.ts";
import { patientSignal, startPatience } from "./patience.ts";

test("patience ends once its time is over, and not before", async () => {
  const began = performance.now();
  await new Promise<void>((resolve) => void startPatience(100, resolve));
  assert.ok(performance.now() - began >= 99);
});

test("patience that is cancelled ends never", async () => {
  let ended = false;
  const cancel = startPatience(20, () => (ended = true));
  cancel();
  await new Promise<void>((resolve) => void startPatience(40, resolve));
  assert.equal(ended, false);
});

test("a process that stood still looks for the answer before its patience ends", async () => {
  const order: string[] = [];
  const cancel = startPatience(400, () => order.push("given up"));
  standStill(1_000);
  // as an answer that came meanwhile: it is read in the next turn of the event loop
  setImmediate(() => {
    order.push("answer");
    cancel();
  });
  await until("it is read", () => order.length > 0);
  assert.deepEqual(order, ["answer"]);
});

test("patience ends also in a process that stands still again and again", async () => {
  let ended = false;
  startPatience(40, () => (ended = true));
  for (let turn = 0; turn < 20 && !ended; turn += 1) {
    standStill(120);
    await new Promise((resolve) => setTimeout(resolve, 0));
  }
  await until("it has ended", () => ended);
});

test("a signal with patience aborts as that of a timeout does, and with the one that it joins", async () => {
  using deadline = patientSignal(40);
  await until("its time is over", () => deadline.signal.aborted);
  assert.equal(deadline.signal.reason.name, "TimeoutError");
  const outer = new AbortController();
  using joined = patientSignal(60_000, outer.signal);
  outer.abort(new Error("ended"));
  assert.equal(joined.signal.reason.message, "ended");
});

test("a request whose process stood still beyond its deadline reads the answer that came meanwhile", async () => {
  const server = createServer((_request, response) => response.end("answer")).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  using deadline = patientSignal(400);
  const answered = fetch(`http://127.0.0.1:${port}`, { signal: deadline.signal });
  standStill(1_000);
  assert.equal(await (await answered).text(), "answer");
  server.close();
  server.closeAllConnections();
});

function standStill(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}
