import { Socket } from "node:net";
import assert from "node:assert/strict";
import { test } from "node:test";
import { startEngine } from "../../../../test/kit/engines/engine.ts";
import { FakeClock } from "#kit/testing/fake-clock";
import { heldLease } from "../../../../test/kit/time/lease.ts";
import { silentLog } from "#kit/base/log";
import { encodeCommand } from "../../../ports/resp/encode.ts";
import { EngineTls } from "../../../ports/resp/engine-tls.ts";
import { MemoryBudget } from "../limits/memory-budget.ts";
import { ArenaPool } from "../upstream/arena.ts";
import { epochTag } from "./cursor.ts";
import { SCAN_IDLE_MS } from "./source.ts";
import { clientIdentity } from "../client/identity.ts";
import { ScanSources } from "./sources.ts";
import { ScriptCache } from "../upstream/script-cache.ts";
import { PeerWatch } from "../upstream/peer-watch.ts";
import { SCAN_CONNECTION } from "../../../ports/resp/connection-names.ts";
import { Upstream } from "../upstream/upstream.ts";

test("a former primary is kept until a minute has passed without a scan", async () => {
  await using old = await startEngine();
  await using fresh = await startEngine();
  const clock = new FakeClock();
  const shared = {
    arenas: new ArenaPool(),
    memory: new MemoryBudget(2 ** 20),
    peers: new PeerWatch(clock),
    scripts: new ScriptCache(new MemoryBudget(2 ** 20)),
    logins: () => [],
    requestLogins: () => [],
    scriptLimitMs: () => 5000,
    changed: () => undefined,
    connectionName: SCAN_CONNECTION,
    mustLead: () => false,
    lease: heldLease(),
    engineTls: new EngineTls(),
  };
  const sources = new ScanSources(
    clock,
    (address) => new Upstream(address, { clock, log: silentLog, ...shared }),
    () => 5000,
  );
  sources.setPrimary(1, old, "none");
  sources.setPrimary(2, fresh, "none");
  const settings = { protocol: 2, database: 0 };
  const connected = { id: 1, authenticated: true, since: 0, ofCluster: undefined };
  const identity = { ...clientIdentity(new Socket(), connected), settings };
  const begun = { tag: epochTag(1), position: "5" };
  const route = () => {
    const found = sources.route(begun);
    return { at: found?.source.upstream.address.host, tag: found?.tag, position: found?.position };
  };
  const there = { at: old.host, tag: epochTag(1), position: "5" };

  await clock.advance(SCAN_IDLE_MS - 1);
  assert.deepEqual(route(), there);
  await sources.route(begun)?.source.ask(encodeCommand(["SCAN", 5]), identity);
  await clock.advance(SCAN_IDLE_MS - 1);
  assert.deepEqual(route(), there);
  await clock.advance(1);
  assert.deepEqual(route(), { at: fresh.host, tag: epochTag(2), position: "0" });

  sources.setPrimary(3, undefined, "none");
  assert.equal(sources.route({ tag: epochTag(2), position: "7" })?.position, "7");
  assert.equal(sources.route(begun), undefined);
  sources.close();
});
