import assert from "node:assert/strict";
import { test } from "node:test";
import { silentLog } from "#kit/base/log";
import { FakeClock } from "#kit/testing/fake-clock";
import { GRANT_MS, LONG_AGO } from "../../../core/planner/node/grant.ts";
import { renewGrants } from "./grants.ts";

// A node without a grant, while the API server takes its time.

const EACH_MS = 1_000;

test("a node that renews its lease acknowledges once it has read the records, however long that takes", async () => {
  await using node = new SlowNode();
  await node.clock.advance(0);
  assert.deepEqual(node.events, ["renew", "catch up"]);
  for (let passed = 0; passed < 3 * GRANT_MS; passed += EACH_MS) {
    await node.clock.advance(EACH_MS);
    node.renew();
  }
  assert.equal(node.holds, false, "nothing is known of the records yet");
  node.read.resolve(undefined);
  await node.clock.advance(0);
  assert.equal(node.holds, true);
  assert.deepEqual(node.events, ["renew", "catch up"], "the records are read once");
});

test("a node whose renewals were late meanwhile reads the records again: others may have taken over", async () => {
  await using node = new SlowNode();
  await node.clock.advance(GRANT_MS);
  node.renew();
  node.read.resolve(undefined);
  await node.clock.advance(0);
  assert.equal(node.holds, false);
  await node.clock.advance(EACH_MS);
  assert.equal(node.holds, true);
  assert.deepEqual(node.events, ["renew", "catch up", "renew", "catch up"]);
});

test("a node that gets no answer from the API goes on as soon as others promise", async () => {
  await using node = new SlowNode();
  node.read.resolve(undefined);
  await node.clock.advance(0);
  assert.equal(node.holds, true);
  node.answered = Promise.withResolvers();
  await node.clock.advance(GRANT_MS);
  node.promised = true;
  await node.clock.advance(EACH_MS);
  assert.deepEqual(node.events, ["renew", "catch up", "renew"], "it waits for the API");
  assert.equal(node.holds, false);
  node.unbroken = true;
  await node.clock.advance(EACH_MS);
  assert.equal(node.holds, true);
});

test("a node whose renewal fails at once tries again a moment later, and not all the time", async () => {
  await using node = new SlowNode();
  node.api = false;
  await node.clock.advance(EACH_MS);
  const tried = node.events.length;
  assert.ok(tried > 0 && tried <= 3, `${tried} times`);
});

/** A node whose API server answers when a test says so. */
class SlowNode {
  readonly clock = new FakeClock();
  readonly events: string[] = [];
  api = true;
  /** A renewal that the node asks for is answered. */
  answered = resolved();
  /** The records are read. */
  readonly read = Promise.withResolvers<undefined>();
  promised = false;
  unbroken = false;
  #renewedAt = this.clock.uptimeMs();
  #grantedUntil = LONG_AGO;
  #isRenewed: () => void = () => undefined;
  readonly #ending = new AbortController();
  readonly #running: Promise<void>;

  constructor() {
    this.#running = renewGrants({
      lease: {
        renewedAt: () => this.#renewedAt,
        onRenewed: (listener) => {
          this.#isRenewed = listener;
        },
        renewNow: () => this.#renewNow(),
      },
      promises: {
        ask: () => undefined,
        heldSince: () => (this.promised ? this.clock.uptimeMs() : LONG_AGO),
        unbrokenSince: () => (this.unbroken ? this.clock.uptimeMs() : LONG_AGO),
        keepTags: () => undefined,
      },
      catchUp: async () => {
        this.events.push("catch up");
        await this.read.promise;
      },
      grant: (end) => {
        this.#grantedUntil = end;
      },
      primaries: () => Promise.resolve([]),
      clock: this.clock,
      log: silentLog,
      signal: this.#ending.signal,
    });
  }

  /** A renewal that was sent now is confirmed. */
  renew(): void {
    this.#renewedAt = this.clock.uptimeMs();
    this.#isRenewed();
  }

  get holds(): boolean {
    return this.clock.uptimeMs() < this.#grantedUntil;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ending.abort();
    this.answered.resolve(undefined);
    this.read.resolve(undefined);
    await this.#running;
  }

  async #renewNow(): Promise<boolean> {
    this.events.push("renew");
    const sentAt = this.clock.uptimeMs();
    await this.answered.promise;
    if (!this.api) return false;
    this.#renewedAt = sentAt;
    this.#isRenewed();
    return true;
  }
}

function resolved(): PromiseWithResolvers<undefined> {
  const answered = Promise.withResolvers<undefined>();
  answered.resolve(undefined);
  return answered;
}
