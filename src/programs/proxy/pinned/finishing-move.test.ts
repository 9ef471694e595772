import assert from "node:assert/strict";
import { done, type TestProxy } from "../../../../test/kit/engines/proxy.ts";
import { plain, type RawClient } from "../../../../test/kit/engines/raw-client.ts";
import { Served } from "../../../../test/kit/engines/served.ts";
import { sharing } from "../../../../test/kit/engines/shared.ts";
import { suspend } from "../../../../test/kit/engines/suspend.ts";
import { untilBlocked } from "../../../../test/kit/engines/until-blocked.ts";
import { until } from "#kit/testing/until";
import { encodeCommand } from "../../../ports/resp/encode.ts";

const test = sharing(() => Served.start());

const INCR = encodeCommand(["EVAL", "return redis.call('INCR', 'counted')", "0"]);

interface Ending {
  /** What the client sends behind its request. */
  readonly sends: Buffer;
  readonly isDrained: boolean;
  /** What it gets behind the answer. */
  readonly gets: RegExp;
}

const ENDINGS: Readonly<Record<string, Ending>> = {
  "has sent QUIT": { sends: encodeCommand(["QUIT"]), isDrained: false, gets: /^\["OK"\]$/ },
  "has sent what is no request": { sends: Buffer.from("*x\r\n"), isDrained: false, gets: /^\["-ERR Protocol error/ },
  "is drained": { sends: Buffer.alloc(0), isDrained: true, gets: /^\[\]$/ },
};

for (const [how, { sends, isDrained, gets }] of Object.entries(ENDINGS))
  test(`a request that was refused in a move is executed by the next primary, also for a client that ${how}`, async (served) => {
    const [client, other] = [await served.client(), await served.client()];
    await using draining = new Draining(served.proxy);
    await other.ask("DEL", "counted");
    // the connection of its own is there before the engine stands still
    assert.equal(await client.ask("EVAL", "return 1", "0"), 1);
    await served.moveEngines();
    {
      // the session is to end while its request is at the engine
      using former = await suspend(served.replica);
      client.write(Buffer.concat([INCR, sends]));
      await until("the request is at the engine", async () => (await served.proxy.stats()).oldest !== undefined);
      if (isDrained) await draining.begin(other);
      former.resume();
    }
    await done(served.release());
    const [first, ...rest] = await repliesOf(client);
    assert.equal(first, 1);
    assert.match(JSON.stringify(rest), gets);
    assert.equal(await served.primary.call("GET", "counted"), "1");
    for (const one of [client, other]) one.close();
  });

test("a blocking command that a move took back waits no more for a client that is drained", async (served) => {
  const [client, other] = [await served.client(), await served.client()];
  await using draining = new Draining(served.proxy);
  await other.ask("DEL", "q");
  client.send("BLPOP", "q", "0");
  await untilBlocked(served.primary, 1);
  await draining.begin(other);
  await served.move();
  assert.deepEqual(await repliesOf(client), []);
  await untilBlocked(served.primary, 0);
  for (const one of [client, other]) one.close();
});

/** A drain of the proxy that goes on beside a test; at its end clients may come again. */
class Draining implements AsyncDisposable {
  readonly #proxy: TestProxy;
  #drained: Promise<unknown> = Promise.resolve();

  constructor(proxy: TestProxy) {
    this.#proxy = proxy;
  }

  /** Resolves when the proxy has ended its sessions: the idle one has. */
  async begin(idle: RawClient): Promise<void> {
    this.#drained = done(this.#proxy.send({ op: "drain", deadlineMs: 30_000 }));
    assert.equal(await idle.read(), undefined);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await done(this.#proxy.send({ op: "undrain" }));
    await this.#drained;
  }
}

/** What the client gets until its connection ends. */
async function repliesOf(client: RawClient): Promise<readonly unknown[]> {
  const replies = [];
  for (let reply = await client.read(); reply !== undefined; reply = await client.read()) replies.push(plain(reply));
  return replies;
}
