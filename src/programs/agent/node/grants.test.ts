import assert from "node:assert/strict";
import { test } from "node:test";
import { LONG_AGO, hasCome, laterBy } from "../../../core/base/instant.ts";
import type { Instant } from "../../../core/base/instant.ts";
import { silentLog } from "../../../core/base/log.ts";
import { GRANT_MS } from "../../../core/planner/database/grant.ts";
import { instantNow } from "../../../mechanisms/reconcile/instant.ts";
import { systemClock } from "../../../mechanisms/reconcile/system-clock.ts";
import { startEngine } from "../../../../test/kit/engines/engine.ts";
import type { TestEngine } from "../../../../test/kit/engines/engine.ts";
import { until } from "../../../../test/kit/time/until.ts";
import { renewGrants } from "./grants.ts";

test("a node that has joined reads the records first, and then acknowledges", async () => {
  await using engine = await startEngine();
  await using node = startNode(engine);
  await until("it is granted", () => node.holds());
  assert.deepEqual(node.told, ["renew", "catch up", "grant"]);
  assert.equal(await writes(engine), true);
});

test("a node that is cut off acknowledges nothing, and writes by any way are paused; both end when it is back", async () => {
  await using engine = await startEngine();
  await using node = startNode(engine);
  await until("it is granted", () => node.holds());
  node.api = false;
  node.renewedAt = laterBy(instantNow(), -GRANT_MS);
  await until("writes are paused", async () => !(await writes(engine)));
  assert.equal(await engine.call("PING"), "PONG");
  node.told.length = 0;
  node.api = true;
  node.renewedAt = instantNow();
  await until("writes go on", () => writes(engine));
  assert.deepEqual(node.told.slice(0, 3), ["renew", "catch up", "grant"], "what happened meanwhile is read before");
});

test("with the API away for everybody, nodes that vouch for each other acknowledge", async () => {
  await using engine = await startEngine();
  await using node = startNode(engine);
  await until("it is granted", () => node.holds());
  node.vouched = true;
  node.api = false;
  node.renewedAt = laterBy(instantNow(), -GRANT_MS);
  const before = node.grantedUntil.steadyMs;
  await until("it is granted by their word", () => node.grantedUntil.steadyMs > before);
  assert.equal(await writes(engine), true);
});

test("a node that was out while the API is away stays out: nobody can tell it what happened", async () => {
  await using engine = await startEngine();
  await using node = startNode(engine);
  await until("it is granted", () => node.holds());
  node.api = false;
  node.renewedAt = laterBy(instantNow(), -GRANT_MS);
  await until("writes are paused", async () => !(await writes(engine)));
  node.vouched = true;
  node.told.length = 0;
  await until("it tries to come back", () => node.told.filter((one) => one === "renew").length > 1);
  assert.equal(node.holds(), false);
  assert.equal(await writes(engine), false);
});

/** A node whose ways to the API server and to the other nodes a test opens and closes. */
class TestNode {
  renewedAt: Instant = instantNow();
  grantedUntil: Instant = LONG_AGO;
  api = true;
  vouched = false;
  readonly told: string[] = [];
  readonly #ending = new AbortController();
  readonly #running: Promise<void>;

  constructor(engine: TestEngine) {
    this.#running = renewGrants({
      lease: {
        renewedAt: () => this.renewedAt,
        renewNow: async () => {
          this.told.push("renew");
          if (this.api) this.renewedAt = instantNow();
        },
      },
      hasPromises: async () => this.vouched,
      catchUp: async () => {
        this.told.push("catch up");
      },
      grant: (end) => {
        this.grantedUntil = end;
        if (this.holds()) this.told.push("grant");
      },
      primaries: async () => [{ host: engine.host, port: engine.port }],
      clock: systemClock,
      log: silentLog,
      signal: this.#ending.signal,
    });
  }

  holds(): boolean {
    return !hasCome(this.grantedUntil, instantNow());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ending.abort();
    await this.#running;
  }
}

function startNode(engine: TestEngine): TestNode {
  return new TestNode(engine);
}

/** Whether a write is taken, on a connection of its own; one that is paused is given up. */
async function writes(engine: TestEngine): Promise<boolean> {
  const client = await engine.connect();
  try {
    return await Promise.race([
      client.call("SET", "key", "value").then(() => true),
      systemClock.sleep(150).then(() => false),
    ]);
  } finally {
    client.close();
  }
}
