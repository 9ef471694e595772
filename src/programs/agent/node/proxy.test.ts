import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { test } from "node:test";
import { settingsWith } from "../../../../test/kit/facts/settings.ts";
import { enginePair, startEngine } from "../../../../test/kit/engines/engine.ts";
import type { TestEngine } from "../../../../test/kit/engines/engine.ts";
import { addressOf, done, endpointFor, withShard } from "../../../../test/kit/engines/proxy.ts";
import { RawClient } from "../../../../test/kit/engines/raw-client.ts";
import { startAll } from "../../../../test/kit/engines/start-all.ts";
import { promote, switchOver } from "../../../../test/kit/engines/switchover.ts";
import { untilBlocked } from "../../../../test/kit/engines/until-blocked.ts";
import { startWorkers, workerOf } from "../../../../test/kit/engines/workers.ts";
import { startLedger } from "../../../../test/kit/load/load-ledger.ts";
import { noEnd } from "../../../../test/kit/time/lease.ts";
import { until } from "#kit/testing/until";
import { systemClock } from "#kit/reconcile/system-clock";
import { endpointSettings } from "../../../core/api/settings/effects.ts";
import { Fault } from "#kit/base/fault";
import type { Address, EndpointConfig } from "../../../ports/management/proxy-control.ts";

for (const count of [2, 3])
  test(`${count} workers share the clients of an endpoint, and moves between engines fail no request`, async () => {
    await using scene = await Scene.start(count);
    const clients = await scene.clients(40);
    const numbers = new Set(await Promise.all(clients.map(workerOf)));
    assert.deepEqual([...numbers].toSorted(), [1, 2, 3].slice(0, count));
    await using load = await startLedger({ ...scene.endpoint.listen, connections: 30 });
    for (let move = 0; move < 6; move++) {
      const before = load.requests();
      await until("clients get answers", () => load.requests() > before + 300);
      await scene.move();
    }
    const { failed, lost, complaints } = await load.stop();
    assert.deepEqual([failed, lost, complaints], [0, 0, []]);
    const { switchovers } = (await scene.workers.stats()).counted ?? {};
    assert.equal(switchovers, 6, "a move is counted once");
  });

test("every worker alone has what a command says, and the reply is of all", async () => {
  await using scene = await Scene.start(2);
  const clients = await scene.clientsOfEach();
  for (const client of clients) assert.equal(await client.ask("PING"), "PONG");
  const { clients: counted, requests, listening, epoch } = await scene.workers.stats();
  assert.deepEqual([counted, listening, epoch], [2, true, 1]);
  assert.ok(requests >= 2);
  await done(scene.workers.send({ op: "fence", bdb: 1, epoch: 2 }));
  const waiting = clients.map((client) => client.ask("GET", "key"));
  const late = await scene.workers.send({ op: "prepare", bdb: 1, epoch: 1, target: addressOf(scene.primary) });
  assert.equal(late.ok === false && late.code, "PROXY_EPOCH_TOO_LOW");
  await done(scene.workers.send({ op: "release", bdb: 1, epoch: 2, target: addressOf(scene.primary) }));
  await Promise.all(waiting);
  assert.equal((await scene.workers.stats()).epoch, 2);
  const draining = done(scene.workers.send({ op: "drain", deadlineMs: 30_000 }));
  for (const client of clients) {
    assert.equal(await client.read(), undefined);
    client.close();
  }
  assert.deepEqual(await draining, { ok: true, op: "drain", closed: 2, remaining: 0 });
  assert.equal(scene.workers.node.acceptsClients(), false);
});

test("a worker that is killed takes its own clients; a command fails until another one has started, which serves at once", async () => {
  await using scene = await Scene.start(2);
  const [first, second] = await scene.clientsOfEach();
  const before = await scene.workers.stats();
  const countsAll = async (): Promise<void> => {
    const { requests, counted } = await scene.workers.stats();
    assert.ok(requests >= before.requests && (counted?.sentBytes ?? 0) >= (before.counted?.sentBytes ?? 0));
  };
  await scene.workers.kill(1);
  assert.equal(await first.read(), undefined, "its client is cut");
  await assert.rejects(scene.hold(), isGone);
  await countsAll();
  await assert.rejects(
    scene.workers.send({ op: "abort", bdb: 1, epoch: 2 }),
    isGone,
    "although the others go on by it",
  );
  assert.equal(await second.ask("SET", "key", "1"), "OK", "the others go on");
  assert.equal(scene.workers.node.acceptsClients(), true);
  await done(scene.workers.send({ op: "stats" }));
  await scene.workers.whole();
  await countsAll();
  const [again] = await scene.clientsOfEach(1);
  assert.equal(await again.ask("GET", "key"), "1", "with endpoint and grant");
  await scene.move();
  assert.deepEqual(await Promise.all([again, second].map((client) => client.ask("GET", "key"))), ["1", "1"]);
});

test("a worker that starts on an evacuated node lets no client in", async () => {
  await using scene = await Scene.start(2);
  const { workers, endpoint } = scene;
  await workers.apply([endpoint], true);
  await workers.kill(1);
  const again = new AbortController();
  const accepted = countAccepted(again.signal, endpoint.listen);
  await workers.whole();
  await until("no worker listens", async () => !(await workers.stats()).listening);
  again.abort();
  assert.equal(await accepted, 0);
  await workers.apply([endpoint]);
  for (const client of await scene.clientsOfEach()) assert.equal(await client.ask("PING"), "PONG");
});

test("a worker that is killed while clients are held, and one that starts then, let no write through that the next primary lacks", async () => {
  await using scene = await Scene.start(2);
  await using load = await startLedger({ ...scene.endpoint.listen, connections: 20 });
  await until("clients get answers", () => load.requests() > 200);
  const { primary, replica, workers } = scene;
  await done(workers.send({ op: "prepare", bdb: 1, epoch: 2, target: addressOf(replica) }));
  await done(scene.hold());
  await workers.kill(2);
  await workers.whole();
  const newcomers = scene.clients(10);
  await promote(primary, replica);
  await done(workers.send({ op: "release", bdb: 1, epoch: 2, target: addressOf(replica) }));
  await workers.apply([withShard(scene.endpoint, { epoch: 2, primary: addressOf(replica) })]);
  for (const client of await newcomers) assert.equal(await client.ask("SET", "late", "1"), "OK");
  assert.equal(await replica.call("GET", "late"), "1");
  const before = load.requests();
  await until("clients get answers again", () => load.requests() > before + 200);
  const { lost, complaints } = await load.stop();
  // what was at the worker that was killed has failed
  assert.deepEqual([lost, complaints.filter((one) => !/ended|closed|reset|ECONN/i.test(one))], [0, []]);
});

test("a worker that starts before the records of its node have followed goes where the clients were sent", async () => {
  await using scene = await Scene.start(2);
  const { primary, replica, workers } = scene;
  await done(workers.send({ op: "fence", bdb: 1, epoch: 2 }));
  await workers.kill(1);
  await workers.whole();
  const clients = await scene.clientsOfEach();
  const waiting = clients.map((client) => client.ask("SET", "key", "1"));
  await promote(primary, replica);
  await done(workers.send({ op: "release", bdb: 1, epoch: 2, target: addressOf(replica) }));
  assert.deepEqual(await Promise.all(waiting), ["OK", "OK"]);
  await workers.kill(2);
  await workers.whole();
  const [newcomer] = await scene.clients(1);
  assert.equal(await newcomer?.ask("SET", "key", "2"), "OK");
  assert.equal(await replica.call("GET", "key"), "2");
});

test("passwords are confirmed when all workers go by them", async () => {
  await using scene = await Scene.start(2);
  const asked = (revision: number) => scene.workers.send({ op: "passwords", bdb: 1, revision, withinMs: 0 });
  const early = await asked(1);
  assert.equal(early.ok === false && early.code, "PROXY_PASSWORDS_NOT_KNOWN");
  await scene.workers.apply([{ ...scene.endpoint, passwordsRevision: 1 }]);
  assert.deepEqual(await asked(1), { ok: true, op: "passwords" });
  await scene.workers.kill(2);
  await assert.rejects(asked(1), isGone);
  await scene.workers.whole();
  assert.deepEqual(await asked(1), { ok: true, op: "passwords" });
});

test("no worker passes on a reply after the end of the grant", async () => {
  await using scene = await Scene.start(2);
  const clients = await scene.clientsOfEach();
  scene.workers.node.grant(systemClock.uptimeMs());
  await scene.workers.stats(); // each of them has been told by now
  const answers: unknown[] = [];
  const asked = clients.map(async (client) => answers.push(await client.ask("SET", "key", "1")));
  await until("clients wait", async () => (await scene.workers.stats()).held);
  assert.deepEqual(answers, []);
  scene.workers.node.grant(noEnd());
  await Promise.all(asked);
  assert.deepEqual(answers, ["OK", "OK"]);
});

test("CLIENT LIST, KILL, PAUSE and UNBLOCK are for the clients of all workers, whose numbers differ", async () => {
  await using scene = await Scene.start(2);
  const [one, other] = await scene.clientsOfEach();
  const ids = await Promise.all([one, other].map((client) => client.ask("CLIENT", "ID")));
  const list = String(await one.ask("CLIENT", "LIST"));
  for (const id of ids) assert.match(list, new RegExp(`^id=${String(id)} `, "m"));
  const blocked = other.ask("BLPOP", "queue", "0");
  await untilBlocked(scene.primary, 1);
  assert.equal(Number(await one.ask("CLIENT", "UNBLOCK", String(ids[1]))), 1);
  await blocked;
  assert.equal(await one.ask("CLIENT", "PAUSE", "60000", "WRITE"), "OK");
  let isPaused = true;
  const waiting = other.ask("SET", "key", "1").then(() => assert.equal(isPaused, false));
  assert.equal(await one.ask("PING"), "PONG");
  isPaused = false;
  assert.equal(await one.ask("CLIENT", "UNPAUSE"), "OK");
  await waiting;
  assert.equal(Number(await one.ask("CLIENT", "KILL", "ID", String(ids[1]))), 1);
  assert.equal(await other.read(), undefined);
});

test("maxClients is for the clients of all workers together", async () => {
  await using scene = await Scene.start(3, { settings: endpointSettings(settingsWith({ maxClients: 5 })) });
  const clients = await scene.clients(5);
  for (const client of clients) assert.equal(await client.ask("PING"), "PONG");
  const [refused] = await scene.clients(1);
  assert.equal(await refused?.ask("PING"), "-ERR max number of clients reached");
});

function isGone(error: unknown): boolean {
  return error instanceof Fault && error.code === "AGENT_PROXY_GONE";
}

/** A database of two engines behind several workers. */
/** How many connections were accepted, of all that were tried one after the other until then. */
async function countAccepted(until: AbortSignal, place: Address): Promise<number> {
  let accepted = 0;
  while (!until.aborted) {
    const socket = connect(place);
    const isAccepted = await once(socket, "connect").then(
      () => true,
      () => false, // refused
    );
    socket.destroy();
    if (isAccepted) accepted += 1;
  }
  return accepted;
}

class Scene implements AsyncDisposable {
  readonly workers: Awaited<ReturnType<typeof startWorkers>>;
  readonly endpoint: EndpointConfig;
  primary: TestEngine;
  replica: TestEngine;
  #epoch = 1;

  private constructor(
    workers: Scene["workers"],
    primary: TestEngine,
    replica: TestEngine,
    more: Partial<EndpointConfig>,
  ) {
    this.workers = workers;
    this.primary = primary;
    this.replica = replica;
    this.endpoint = endpointFor(primary, { holdMs: 60_000, ...more });
  }

  static async start(count: number, more: Partial<EndpointConfig> = {}): Promise<Scene> {
    const [older, newer] = enginePair();
    const [workers, primary, replica] = await startAll(
      startWorkers(count),
      startEngine({ engine: older }),
      startEngine({ engine: newer }),
    );
    const scene = new Scene(workers, primary, replica, more);
    await replica.follow(primary);
    await workers.apply([scene.endpoint]);
    return scene;
  }

  clients(count: number): Promise<RawClient[]> {
    return Promise.all(Array.from({ length: count }, () => RawClient.connect(this.endpoint.listen)));
  }

  /** One client of each of two workers, in their order, besides those that there are. */
  async clientsOfEach(besides = 0): Promise<readonly [RawClient, RawClient]> {
    const found = new Map<number, RawClient>();
    const wanted = [1, 2];
    while (wanted.some((number) => !found.has(number))) {
      const [client] = await this.clients(1);
      const number = client === undefined ? 0 : await workerOf(client);
      if (client !== undefined && wanted.includes(number) && !found.has(number)) found.set(number, client);
      else client?.close();
    }
    await until("the others have left", async () => (await this.workers.stats()).clients <= wanted.length + besides);
    const [one, other] = wanted.map((number) => found.get(number));
    assert.ok(one !== undefined && other !== undefined);
    return [one, other];
  }

  hold() {
    return this.workers.send({ op: "hold", bdb: 1, epoch: this.#epoch + 1, drainMs: 5_000, holdMs: 60_000 });
  }

  async move(): Promise<void> {
    await switchOver([this.workers], ++this.#epoch, this.primary, this.replica);
    [this.primary, this.replica] = [this.replica, this.primary];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.allSettled([this.primary.stop(), this.replica.stop()]);
    await this.workers.stop();
  }
}
