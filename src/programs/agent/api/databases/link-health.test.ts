import assert from "node:assert/strict";
import { test } from "node:test";
import { factsOf, on } from "../../../../../test/kit/facts/database-scene.ts";
import type { ActiveActiveRecord, DatabaseRecord, RemoteSite } from "../../../../core/api/records.ts";
import { Fault } from "#kit/base/fault";
import { numberSites } from "../../../../core/planner/active-active/numbers.ts";
import { faults } from "../../../../ports/management/faults.ts";
import type { LinkedDatabaseStatus, SiteLinkStatus } from "../../../../ports/management/link-control.ts";
import { activeActiveOf, linkHealth, type LinkHealthContext } from "./link-health.ts";

const record: ActiveActiveRecord = numberSites({
  guid: "a",
  name: "carts",
  version: "8.0",
  configuration: {},
  participants: [{ name: "east" }, { name: "west" }, { name: "north" }],
  edit: { count: 1, author: "east" },
});
const remoteSites: readonly RemoteSite[] = ["east", "west", "north"].map((name) => ({
  name,
  host: name,
  serverName: name,
  authorities: "",
  ...(name === "east" ? { local: true } : {}),
}));
const database: DatabaseRecord = {
  ...factsOf({ instances: [on(1, 1)] }).record,
  activeActive: { guid: "a", site: 1 },
};
const since = "2026-11-23T05:00:00.000Z";
const site = (id: number, state: SiteLinkStatus["state"], cause = ""): SiteLinkStatus => ({
  site: id,
  state,
  since,
  cause,
  lagMs: 4,
  behindMs: 6,
  unconfirmed: 1,
  receivedBytes: 7,
  sentBytes: 8,
});
const status = (...sites: readonly SiteLinkStatus[]): LinkedDatabaseStatus => ({
  guid: "a",
  engine: "",
  hasJoined: true,
  knownKeys: 3,
  keptBytes: 5,
  sites,
});
const bothUp = status(site(2, "up"), site(3, "up"));

interface Scene {
  /** The node that is asked; the primary is on node 1. */
  readonly node?: number;
  readonly databases?: readonly DatabaseRecord[];
  readonly sites?: readonly RemoteSite[];
  readonly statuses?: readonly LinkedDatabaseStatus[] | Error;
  readonly capabilities?: readonly string[];
}

const cases: readonly (readonly [
  rule: string,
  scene: Scene,
  state: string,
  sites: readonly string[],
  cause?: RegExp,
])[] = [
  ["it is up while every other site is", {}, "up", ["west up: ", "north up: "]],
  ["the primary's node is asked when that is another one", { node: 2 }, "up", ["west up: ", "north up: "]],
  [
    "one site that catches up is enough for syncing",
    { statuses: [status(site(2, "up"), site(3, "syncing", "behind"))] },
    "syncing",
    ["west up: ", "north syncing: behind"],
  ],
  [
    "one that is down counts before one that catches up",
    { statuses: [status(site(2, "down", "no answer"), site(3, "syncing"))] },
    "down",
    ["west down: no answer", "north syncing: "],
  ],
  [
    "it is down while nothing is captured, whatever arrives",
    { statuses: [{ ...bothUp, engine: "the engine refuses" }] },
    "down",
    ["west up: ", "north up: "],
    /^the engine refuses$/,
  ],
  [
    "a site that the link has not begun with is down",
    { statuses: [status(site(2, "up"))] },
    "down",
    ["west up: ", "north down: the link has not begun with it"],
  ],
  [
    "a site that the operator has not made known is down, and says so",
    { sites: remoteSites.slice(0, 2), statuses: [status(site(2, "up"))] },
    "down",
    [
      "west up: ",
      "north down: the operator has not said where it is: its StoreEnterpriseRemoteCluster, or the Secret of that, is missing",
    ],
  ],
  [
    "while the link says nothing of the database, each site says why",
    { statuses: [] },
    "down",
    both("the link of node 1 has not begun with it"),
    /node 1/,
  ],
  [
    "a cluster without the database has no link",
    { databases: [] },
    "down",
    ["east", "west", "north"].map((name) => `${name} down: no database of this cluster is its site yet`),
    /no database of this cluster/,
  ],
  [
    "a cluster that takes part no more has no other sites, and says so",
    { databases: [{ ...database, activeActive: { guid: "a", site: 4 } }], statuses: [] },
    "down",
    [],
    /^this cluster takes part in it no more$/,
  ],
  [
    "a node that does not answer says nothing of its link",
    { node: 2, statuses: new Fault(faults.unreachable, "timeout") },
    "down",
    both("node 1, which has the primary, does not answer"),
    /does not answer/,
  ],
  [
    "a node of an older release is not asked",
    { capabilities: [], statuses: new Error("asked") },
    "down",
    both("node 1 (8.0.6-8) is of a release that knows no links"),
    /knows no links/,
  ],
];

for (const [rule, scene, state, sites, cause = /^$/] of cases) {
  test(`health of links: ${rule}`, async () => {
    const health = await linkHealth(contextOf(scene), "a");
    assert.equal(health.state, state);
    assert.match(health.cause, cause);
    assert.deepEqual(
      health.sites.map((one) => `${one.name} ${one.state}: ${one.cause}`),
      sites,
    );
  });
}

test("health of links: figures and instants are those of the link; a site that is not known has none", async () => {
  const health = await linkHealth(contextOf({ statuses: [status(site(2, "up"))] }), "a");
  const { known_keys, kept_bytes, awaits_sites } = health;
  assert.deepEqual({ known_keys, kept_bytes, awaits_sites }, { known_keys: 3, kept_bytes: 5, awaits_sites: false });
  const figures = { lag_ms: 4, behind_ms: 6, unconfirmed: 1, received_bytes: 7, sent_bytes: 8 };
  assert.deepEqual(health.sites[0], { id: 2, name: "west", state: "up", since, cause: "", ...figures });
  assert.deepEqual(health.sites[1]?.since, undefined);
});

test("health of links: it says that clients wait, and an unknown database is refused", async () => {
  const context = contextOf({ databases: [{ ...database, awaitsSites: true }] });
  assert.equal((await linkHealth(context, "a")).awaits_sites, true);
  assert.throws(() => activeActiveOf(context, "b"), /there is no Active-Active database b/);
});

test("health of links: what is no answer of a node is not hidden", async () => {
  await assert.rejects(linkHealth(contextOf({ statuses: new Error("a mistake") }), "a"), /a mistake/);
});

function contextOf(scene: Scene): LinkHealthContext {
  const { node = 1, databases = [database], sites = remoteSites, statuses = [bothUp], capabilities } = scene;
  const answer = (): Promise<never> =>
    statuses instanceof Error ? Promise.reject(statuses) : (Promise.resolve(statuses) as Promise<never>);
  const report = { capabilities: capabilities ?? ["site-links"], operatorVersion: "8.0.6-8" };
  return {
    config: { node },
    records: { state: () => ({ activeActives: [record], remoteSites: sites }) as never, databases: () => databases },
    members: { get: () => ({ report }) as never },
    peers: { forward: (to) => (to === 1 ? answer() : Promise.reject(new Error(`asked node ${to}`))) },
    link: { status: () => (node === 1 ? answer() : Promise.reject(new Error("asked itself"))) },
  };
}

function both(cause: string): readonly string[] {
  return ["west", "north"].map((name) => `${name} down: ${cause}`);
}

test("what was found of the keys of a site is passed on, and nothing where they were never compared", async () => {
  const found = { key: "k", here: "nothing", there: "a set of 1 elements, no time of expiry", since };
  const agreement = { agreedAt: since, cause: "", found: 2, differing: 1, differences: [found] };
  const { sites } = await linkHealth(
    contextOf({ statuses: [status({ ...site(2, "up"), agreement }, site(3, "up"))] }),
    "a",
  );
  assert.deepEqual(
    sites.map((each) => each.agreement),
    [{ agreed_at: since, cause: "", found: 2, differing: 1, differences: [found] }, undefined],
  );
});
