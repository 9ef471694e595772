import assert from "node:assert/strict";
import type { OtherScripts, ScriptsRequest } from "../../../ports/management/scripts-question.ts";
import { FakeClock } from "#kit/testing/fake-clock";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import type { EngineClient } from "../../../ports/resp/engine-client.ts";
import { MemoryBudget } from "../limits/memory-budget.ts";
import { shaOf } from "../upstream/script-cache.ts";
import { ScriptLoader } from "../upstream/script-loader.ts";
import { SharedScripts } from "./shared-scripts.ts";

test("what one proxy learns the others know a moment later, and what one forgets all look for", async () => {
  const proxies = new Proxies();
  const [one, other] = [proxies.start(), proxies.start()];
  one.scripts.add(Buffer.from("a"));
  one.scripts.add(Buffer.from("b"));
  await proxies.clock.advance(100);
  assert.deepEqual(bodiesOf(other.scripts).toSorted(), ["a", "b"]);
  one.scripts.clear();
  await proxies.clock.advance(100);
  assert.deepEqual([one.checks, other.checks], [1, 1]);
});

test("a script that was loaded behind a flush stays, in whichever order the replies come", async () => {
  const [flushed, loaded] = [Buffer.from("flushed"), Buffer.from("loaded behind")];
  const engine: EngineClient = {
    call: async (...args) => args.slice(2).map((sha) => (sha === shaOf(loaded) ? 1 : 0)),
    callAll: async () => [],
    closed: new Promise(() => undefined),
    close: () => undefined,
  };
  const context = { clock: new FakeClock(), scriptMemory: new MemoryBudget(2 ** 30), askScripts: async () => [] };
  const scripts: SharedScripts = new SharedScripts(1, context, () => ({
    forgetFlushed: (isCertain) => loader.forgetFlushed(isCertain),
    awaits: () => undefined,
  }));
  const loader = new ScriptLoader(scripts.cache, async () => engine);
  for (const body of [flushed, loaded]) scripts.add(body);
  scripts.clear();
  await setImmediate();
  assert.deepEqual(bodiesOf(scripts), ["loaded behind"]);
  scripts.close();
});

test("an engine at which no client has been is not asked again for the scripts that it has", async () => {
  const asked: string[] = [];
  const engine: EngineClient = {
    call: async (...args) => {
      asked.push(args.slice(0, 2).join(" "));
      return args.slice(2).map(() => 0);
    },
    callAll: async (commands) => commands.map(() => ""),
    closed: new Promise(() => undefined),
    close: () => undefined,
  };
  const proxies = new Proxies();
  const { scripts } = proxies.start();
  const loader = new ScriptLoader(scripts.cache, async () => engine);
  scripts.add(Buffer.from("before the hold"));
  await loader.load();
  await loader.load({ isIdle: true });
  assert.deepEqual(asked, ["SCRIPT EXISTS"]);
  scripts.add(Buffer.from("learnt since"));
  await loader.load({ isIdle: true });
  assert.deepEqual(asked, ["SCRIPT EXISTS", "SCRIPT EXISTS"]);
  await loader.load();
  assert.equal(asked.length, 3, "one that has served is asked");
});

test("a proxy that starts, and one that asks before a move, knows what the others know, however much that is", async () => {
  const proxies = new Proxies();
  const one = proxies.start();
  const bodies = Array.from({ length: 30 }, (_, i) => `${i}`.padEnd(100_000, "-"));
  for (const body of bodies) one.scripts.add(Buffer.from(body));
  await proxies.clock.advance(100);
  const later = proxies.start();
  await proxies.clock.advance(100);
  assert.deepEqual(bodiesOf(later.scripts).toSorted(), bodies.toSorted());
  proxies.cut = true;
  one.scripts.add(Buffer.from("cut off"));
  await proxies.clock.advance(100);
  assert.equal(bodiesOf(later.scripts).length, 30);
  proxies.cut = false;
  assert.equal(await later.scripts.gather(), true);
  assert.equal(bodiesOf(later.scripts).length, 31);
});

test("a proxy that does not answer is sent again what it missed, and so is the notice of a flush", async () => {
  const proxies = new Proxies();
  const [one, other] = [proxies.start(), proxies.start()];
  await proxies.clock.advance(100);
  proxies.cut = true;
  one.scripts.add(Buffer.from("a"));
  await proxies.clock.advance(60_000);
  assert.deepEqual(bodiesOf(other.scripts), []);
  proxies.cut = false;
  await proxies.clock.advance(60_000);
  assert.deepEqual(bodiesOf(other.scripts), ["a"]);
  proxies.cut = true;
  one.scripts.clear();
  await proxies.clock.advance(1_000);
  assert.equal(other.checks, 0);
  proxies.cut = false;
  await proxies.clock.advance(60_000);
  assert.equal(other.checks, 1);
});

test("a proxy that is full takes nothing for which it would forget a script, and asks for it once", async () => {
  const proxies = new Proxies();
  const [one, other] = [proxies.start(), proxies.start()];
  await proxies.clock.advance(100);
  proxies.cut = true;
  for (let i = 0; i < 1_000; i++) {
    one.scripts.add(Buffer.from(`one ${i}`));
    other.scripts.add(Buffer.from(`other ${i}`));
  }
  proxies.cut = false;
  const asked = proxies.asked;
  await one.scripts.gather();
  assert.equal(proxies.asked, asked + 1);
  assert.ok(bodiesOf(one.scripts).every((body) => body.startsWith("one")));
});

test("a script that is too large for a message stays at its proxy, and hinders no other", async () => {
  const proxies = new Proxies();
  const [one, other] = [proxies.start(), proxies.start()];
  one.scripts.add(Buffer.alloc(600 * 1024, "-"));
  one.scripts.add(Buffer.from("small"));
  await proxies.clock.advance(100);
  assert.deepEqual(bodiesOf(other.scripts), ["small"]);
  assert.equal(await other.scripts.gather(), true);
});

/** Proxies of one database that ask each other, unless they are cut off. */
class Proxies {
  readonly clock = new FakeClock();
  readonly #all: { readonly scripts: SharedScripts; checks: number }[] = [];
  cut = false;
  asked = 0;

  start() {
    const started: { readonly scripts: SharedScripts; checks: number } = {
      checks: 0,
      scripts: new SharedScripts(
        1,
        {
          clock: this.clock,
          scriptMemory: new MemoryBudget(2 ** 30),
          askScripts: (request) => this.#ask(started, request),
        },
        () => ({
          forgetFlushed: async () => void started.checks++,
          awaits: () => undefined,
        }),
      ),
    };
    this.#all.push(started);
    return started;
  }

  async #ask(asking: object, request: ScriptsRequest): Promise<readonly OtherScripts[]> {
    this.asked++;
    await Promise.resolve();
    return this.#all
      .filter((other) => other !== asking)
      .map(({ scripts }, node) => (this.cut ? { node, missing: "cut off" } : { node, ...scripts.take(request) }));
  }
}

function bodiesOf(scripts: SharedScripts): readonly string[] {
  return scripts.cache.entries().map(([, body]) => body.toString());
}
