import assert from "node:assert/strict";
import { engineNames, startEngine } from "../../../../test/kit/engines/engine.ts";
import { addressOf, done, withShard } from "../../../../test/kit/engines/proxy.ts";
import { plain } from "../../../../test/kit/engines/raw-client.ts";
import { Served } from "../../../../test/kit/engines/served.ts";
import { sharing } from "../../../../test/kit/engines/shared.ts";
import { askedIn, withClientParameters } from "../../../core/api/settings/client-parameters.ts";
import { engineDirectives } from "../../../core/api/settings/effects.ts";
import { parametersIn } from "../../../core/api/settings/engine-parameters.ts";
import type { ParametersRequest } from "../../../ports/management/parameters-question.ts";
import { errorReplyOf } from "../../../ports/resp/engine-client.ts";
import { listOf } from "../../../ports/resp/reply.ts";
import { settingsWith } from "../../../../test/kit/facts/settings.ts";

const EVENTS = "notify-keyspace-events";

/** A database whose agent keeps what clients ask for, and applies it as the nodes of a cluster do. */
class Kept {
  readonly served: Served;
  readonly asked: ParametersRequest[] = [];
  byDefinition = "slowlog-max-len=9";
  #record: Parameters<typeof withClientParameters>[0] = { engineParameters: this.byDefinition };

  constructor(served: Served) {
    this.served = served;
    served.proxy.onParameters((request) => this.keep(request));
  }

  static async start(): Promise<Kept> {
    const kept = new Kept(await Served.start());
    await kept.#apply();
    return kept;
  }

  async keep(request: ParametersRequest) {
    this.asked.push(request);
    this.#record = withClientParameters(this.#record, askedIn(request.parameters));
    await this.#apply();
    return { revision: this.#record.clientParameters?.revision ?? 0 };
  }

  /** The replica is the primary from now on. */
  failOver(): void {
    const { served } = this;
    [served.primary, served.replica] = [served.replica, served.primary];
    served.endpoint = withShard(served.endpoint, { epoch: 2, primary: addressOf(served.primary) });
  }

  async #apply(): Promise<void> {
    const { revision, values } = this.#record.clientParameters ?? { revision: 0, values: "" };
    const { byDefinition, served } = this;
    const effective = [...new Map([...parametersIn(values), ...parametersIn(byDefinition)])];
    const engineParameters = effective.map((one) => one.join("=")).join(" ");
    const parameters = { database: "orders", revision, byClients: values, byDefinition };
    served.endpoint = { ...served.endpoint, parameters };
    await done(served.proxy.send({ op: "configure", endpoints: [served.endpoint] }));
    const directives = engineDirectives(settingsWith({ engineParameters }));
    for (const name of [EVENTS, "slowlog-max-len", "lfu-decay-time"])
      await served.primary.call("CONFIG", "SET", name, directives[name] ?? "");
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.served[Symbol.asyncDispose]();
  }
}

const test = sharing(() => Kept.start());

test("CONFIG SET is answered when CONFIG GET behind it in the pipeline shows it, and events flow", async ({
  served,
  asked,
}) => {
  const client = await served.client();
  client.send("SET", "key", "1");
  client.send("CONFIG", "SET", "Notify-Keyspace-Events", "ExK$", "lfu-decay-time", "2");
  client.send("CONFIG", "GET", EVENTS);
  const replies = [await client.read(), await client.read(), await client.read()];
  assert.deepEqual(replies, ["OK", "OK", [EVENTS, "$xKE"]]);
  assert.equal(asked.at(-1)?.parameters, "lfu-decay-time=2 notify-keyspace-events=$xKE");
  assert.match(asked.at(-1)?.clients.join() ?? "", /^127\.[\d.]+:\d+$/);
  const listener = await served.client();
  await listener.ask("PSUBSCRIBE", "__keyevent@0__:*");
  await client.ask("SET", "key", "2");
  assert.deepEqual(await listener.read(), ["pmessage", "__keyevent@0__:*", "__keyevent@0__:set", "key"]);
  listener.close();
  client.close();
});

test("a hundred clients that set the same at once make one request, and later ones none", async ({ served, asked }) => {
  const before = asked.length;
  const clients = await served.clients(100);
  const answers = await Promise.all(clients.map((client) => client.ask("CONFIG", "SET", EVENTS, "KEA")));
  assert.deepEqual([...new Set(answers)], ["OK"]);
  assert.equal(await clients[0]?.ask("CONFIG", "SET", EVENTS, "AKE"), "OK");
  assert.equal(asked.length, before + 1);
  for (const client of clients) client.close();
});

test("what the definition names is refused with its value and the command, unless it is the same", async ({
  served,
  asked,
}) => {
  const before = asked.length;
  const client = await served.client();
  assert.equal(
    await client.ask("CONFIG", "SET", "slowlog-max-len", 10, "lfu-decay-time", 3),
    '-ERR store: PROXY_PARAMETER_DEFINED: the definition of the database says that slowlog-max-len is "9". Change it there: kubectl edit redb orders.',
  );
  assert.equal(asked.length, before, "nothing of it is set");
  assert.equal(await client.ask("CONFIG", "SET", "slowlog-max-len", 9), "OK");
  client.close();
});

test("what no database may set is refused, in the reply to EXEC too, and for other users of the engine", async ({
  served,
}) => {
  const client = await served.client();
  for (const name of ["maxmemory", "dir", "requirepass", "Port"])
    assert.match(
      String(await client.ask("CONFIG", "SET", "lfu-decay-time", 3, name, 1)),
      new RegExp(`^-ERR store: CONFIG SET of ${name} is not available at an endpoint`),
    );
  await client.ask("MULTI");
  await client.ask("CONFIG", "SET", "maxmemory", 1);
  await client.ask("SET", "beside", "1");
  client.send("EXEC");
  const [refusal, done] = listOf((await client.read()) ?? null);
  assert.match(String(plain(refusal)), /^-ERR store: CONFIG SET of maxmemory is not available/);
  assert.equal(done, "OK");
  await served.primary.call("ACL", "SETUSER", "ann", "on", ">pw", "~*", "+@all");
  await client.ask("AUTH", "ann", "pw");
  assert.match(String(await client.ask("CONFIG", "SET", EVENTS, "KEA")), /^-NOPERM/);
  client.close();
});

test("inside MULTI, CONFIG SET is answered in its place of the reply to EXEC, once CONFIG GET shows it", async ({
  served,
}) => {
  const client = await served.client();
  const requests = [
    ["SET", "k", "1"],
    ["CONFIG", "SET", "lfu-decay-time", 7, EVENTS, "Kl"],
    ["CONFIG", "SET", "lfu-decay-time", "x"],
    ["GET", "k"],
  ];
  await client.ask("MULTI");
  assert.match(String(await client.ask("CONFIG", "SET", "lfu-decay-time")), /^-ERR wrong number of arguments/);
  assert.match(String(await client.ask("EXEC")), /^-EXECABORT/);
  await client.ask("MULTI");
  for (const request of requests) assert.equal(await client.ask(...request), "QUEUED");
  client.send("EXEC");
  const answers = listOf((await client.read()) ?? null).map((one) => String(plain(one)));
  assert.deepEqual([answers[0], answers[1], answers[3]], ["OK", "OK", "1"]);
  assert.match(answers[2] ?? "", /^-ERR CONFIG SET failed .*couldn't be parsed into an integer$/);
  assert.deepEqual(await client.ask("CONFIG", "GET", "lfu-decay-time"), ["lfu-decay-time", "7"]);
  client.close();
});

test("CONFIG RESETSTAT resets what the engine counts, also inside MULTI", async ({ served }) => {
  const client = await served.client();
  const counts = async (): Promise<boolean> => /cmdstat_append:/.test(String(await client.ask("INFO", "commandstats")));
  for (const ask of [
    () => client.ask("CONFIG", "RESETSTAT"),
    async () => {
      await client.ask("MULTI");
      await client.ask("CONFIG", "RESETSTAT");
      return client.ask("EXEC");
    },
  ]) {
    await client.ask("APPEND", "counted", "x");
    assert.ok(await counts());
    assert.deepEqual([await ask()].flat(), ["OK"]);
    assert.ok(!(await counts()));
  }
  client.close();
});

test("why the agent keeps nothing is said, with what to do about it", async ({ served }) => {
  const client = await served.client();
  const kept = new Kept(served); // takes over
  served.proxy.onParameters(() => {
    const [code, message, remedy] = ["AGENT_NO_LEADER", "no node has led for 8 s", "Wait a few seconds."];
    return Promise.resolve({ refused: { code, message, remedy } });
  });
  const answer = await client.ask("CONFIG", "SET", EVENTS, "Kg");
  served.proxy.onParameters((request) => kept.keep(request));
  assert.equal(
    answer,
    `-ERR store: AGENT_NO_LEADER: CONFIG SET of ${EVENTS} failed: no node has led for 8 s. Wait a few seconds.`,
  );
  client.close();
});

test("CONFIG GET and CONFIG SET wait for the next primary while none can be reached, as other commands do", async () => {
  await using kept = await Kept.start();
  const { served } = kept;
  const client = await served.client();
  await served.primary.stop();
  await served.replica.call("REPLICAOF", "NO", "ONE");
  client.send("CONFIG", "GET", "slowlog-max-len");
  client.send("CONFIG", "SET", "maxmemory", 1);
  client.send("CONFIG", "SET", "lfu-decay-time", 3);
  kept.failOver();
  await done(served.release());
  assert.deepEqual(await client.read(), ["slowlog-max-len", "128"]);
  assert.match(String(plain(await client.read())), /CONFIG SET of maxmemory is not available/);
  assert.equal(await client.read(), "OK");
  client.close();
});

for (const engine of engineNames())
  test(`${engine}: an endpoint finds the faults that the engine finds, with its words`, async ({ served }) => {
    await using other = await startEngine({ engine });
    const client = await served.client();
    for (const request of FAULTY) {
      const own = await other.call("CONFIG", "SET", ...request).catch((error: unknown) => `-${errorReplyOf(error)}`);
      assert.equal(await client.ask("CONFIG", "SET", ...request), own, request.join(" "));
    }
    client.close();
  });

const FAULTY = [
  [],
  ["slowlog-max-len"],
  ["slowlog-max-len", "1", "x"],
  ["slowlog-max-len", "abc"],
  ["SLOWLOG-max-len", "007"],
  ["slowlog-max-len", ""],
  ["hll-sparse-max-bytes", "1.5kb"],
  ["hash-max-ziplist-entries", "x"],
  [EVENTS, "KEQ"],
  ["hash-max-ziplist-value", "9223372036854775808"],
  ["stream-node-max-entries", "-1"],
  ["slowlog-log-slower-than", "-2"],
  ["lfu-log-factor", "2147483648"],
  ["list-compress-depth", "99999999999"],
  ["nope", "1"],
  ["max*", "1"],
  ["lfu-decay-time", "1", "Nope", "2"],
  ["lfu-decay-time", "1", "LFU-decay-time", "2"],
  ["lfu-decay-time", "1", "lfu-log-factor", "x"],
];
