import assert from "node:assert/strict";
import { test } from "node:test";
import { silentLog } from "#kit/base/log";
import { textOf } from "../../../ports/resp/reply.ts";
import { LONG_AGO } from "../../../core/planner/node/grant.ts";
import { systemClock } from "#kit/reconcile/system-clock";
import { startEngine } from "../../../../test/kit/engines/engine.ts";
import type { TestEngine } from "../../../../test/kit/engines/engine.ts";
import { until } from "#kit/testing/until";
import { renewGrants } from "./grants.ts";

test("a node that has joined reads the records first, and then acknowledges", async () => {
  await using engine = await startEngine();
  await using node = startNode(engine);
  await until("it is granted", () => node.holds());
  assert.deepEqual(node.events, ["renew", "catch up", "grant"]);
  assert.equal(await writes(engine), true);
});

test("a node that is cut off acknowledges nothing, and every write is paused; both end when it is back", async () => {
  await using engine = await startEngine();
  await using node = startNode(engine);
  await until("it is granted", () => node.holds());
  node.api = false;
  await until("writes are paused", async () => !(await writes(engine)));
  assert.equal(await engine.call("PING"), "PONG");
  node.events.length = 0;
  node.api = true;
  node.renewedAt = systemClock.uptimeMs();
  await until("writes continue", () => writes(engine));
  assert.deepEqual(node.events.slice(0, 3), ["renew", "catch up", "grant"], "the records are read first");
});

test("an engine that was demoted while its node was cut off is not paused as a replica, and applies what its primary sends", async () => {
  await using successor = await startEngine();
  await using engine = await startEngine();
  await using node = startNode(engine);
  await until("it is granted", () => node.holds());
  node.api = false;
  await until("writes are paused", async () => !(await writes(engine)));
  // by the leader that has succeeded it; the records of the node say otherwise still
  await engine.call("REPLICAOF", successor.host, successor.port);
  await successor.call("SET", "key", "of the successor");
  await until("the replica has it", async () => String(await engine.call("GET", "key")) === "of the successor");
  // by its stream: a snapshot comes to a replica that is paused, too
  await successor.call("SET", "key", "later");
  await until("the replica has that", async () => String(await engine.call("GET", "key")) === "later");
});

test("without the API on every node, nodes that promise to take nothing over acknowledge", async () => {
  await using engine = await startEngine();
  await using node = startNode(engine);
  await until("it is granted", () => node.holds());
  node.promised = true;
  node.api = false;
  const before = node.grantedUntil;
  await until("it is granted by their promise", () => node.grantedUntil > before);
  assert.equal(await writes(engine), true);
});

test("without the API, a node whose grant expired gets one again by those that consented to nothing meanwhile", async () => {
  await using engine = await startEngine();
  await using node = startNode(engine);
  await until("it is granted", () => node.holds());
  node.api = false;
  await until("writes are paused", async () => !(await writes(engine)));
  node.promised = true;
  node.unbroken = true;
  await until("writes continue", () => writes(engine));
  assert.equal(node.holds(), true);
});

test("a renewal that is confirmed keeps the tags at once while a grant is held, and only then", async () => {
  await using engine = await startEngine();
  await using node = startNode(engine);
  await until("it is granted", () => node.holds());
  const before = node.kept;
  node.isRenewed();
  assert.equal(node.kept, before + 1);
  node.api = false;
  await until("writes are paused", async () => !(await writes(engine)));
  const out = node.kept;
  node.isRenewed();
  assert.equal(node.kept, out);
});

test("a node whose grant expired gets none without the API and that proof: it cannot read what happened", async () => {
  await using engine = await startEngine();
  await using node = startNode(engine);
  await until("it is granted", () => node.holds());
  node.api = false;
  await until("writes are paused", async () => !(await writes(engine)));
  node.promised = true;
  node.events.length = 0;
  await until("it tries again", () => node.events.filter((one) => one === "renew").length > 1);
  assert.equal(node.holds(), false);
  assert.equal(await writes(engine), false);
});

/** A node whose connections to the API server and to the other nodes a test opens and closes; its lease is renewed on request only. */
class TestNode {
  renewedAt = systemClock.uptimeMs();
  grantedUntil = LONG_AGO;
  api = true;
  promised = false;
  unbroken = false;
  /** How often the tags of consents were kept. */
  kept = 0;
  isRenewed: () => void = () => undefined;
  readonly events: string[] = [];
  readonly #ending = new AbortController();
  readonly #running: Promise<void>;

  constructor(engine: TestEngine) {
    this.#running = renewGrants({
      lease: {
        renewedAt: () => this.renewedAt,
        onRenewed: (listener) => {
          this.isRenewed = listener;
        },
        renewNow: async () => {
          this.events.push("renew");
          if (this.api) this.renewedAt = systemClock.uptimeMs();
          return this.api;
        },
      },
      promises: {
        ask: () => undefined,
        heldSince: () => (this.promised ? systemClock.uptimeMs() : LONG_AGO),
        unbrokenSince: () => (this.unbroken ? systemClock.uptimeMs() : LONG_AGO),
        keepTags: () => {
          this.kept += 1;
        },
      },
      catchUp: async () => {
        this.events.push("catch up");
      },
      grant: (end) => {
        this.grantedUntil = end;
        if (this.holds()) this.events.push("grant");
      },
      primaries: async () => [{ host: engine.host, port: engine.port }],
      clock: systemClock,
      log: silentLog,
      signal: this.#ending.signal,
    });
  }

  holds(): boolean {
    return systemClock.uptimeMs() < this.grantedUntil;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ending.abort();
    await this.#running;
  }
}

function startNode(engine: TestEngine): TestNode {
  return new TestNode(engine);
}

/** Whether a write is accepted, on a connection of its own; one that is paused is given up. */
async function writes(engine: TestEngine): Promise<boolean> {
  const client = await engine.connect();
  let accepted: boolean | undefined;
  try {
    client.call("SET", "key", "value").then(
      () => (accepted = true),
      () => undefined, // closed below
    );
    await until("the write is accepted or paused", async () => accepted ?? (await isPaused(engine)));
    return accepted ?? false;
  } finally {
    client.close();
  }
}

/** Whether a client waits for the end of a pause. */
async function isPaused(engine: TestEngine): Promise<boolean> {
  return /^blocked_clients:[1-9]/m.test(textOf(await engine.call("INFO", "clients")));
}
