import { database, facts, node } from "../../../../test/kit/facts/cluster-view.ts";
import { type CheckCase, testChecks } from "../../../../test/kit/facts/checked-cluster.ts";
import type { SetAside } from "../view/cluster-view.ts";

const copy = (change: Partial<SetAside> = {}): SetAside => ({
  id: "db-7-1-1767225600000",
  database: 7,
  name: "orders",
  since: "2026-01-01T00:00:00.000Z",
  bytes: 3_000_000,
  ...change,
});

const engine = (tls: boolean | undefined) => ({
  engines: [{ storeVersion: "7.2", ...(tls === undefined ? {} : { tls }) }],
});

const cases: readonly CheckCase[] = [
  {
    name: "data that no record asks for is worth a warning, with its size and its nodes",
    view: {
      cluster: facts({
        nodes: [
          node(1, { setAside: [copy()] }),
          node(2, { setAside: [copy({ since: "2026-01-02T00:00:00.000Z" })] }),
          node(3),
        ],
      }),
    },
    found: "warn DataSetAside",
    evidence:
      /no record asks for 6 MB of data, the first since 2026-01-01T00:00:00\.000Z: "orders" \(database 7\) on node 1 and node 2; nodes remove it after 7 days/,
  },
  {
    name: "data of an older release is known by the uid of its database",
    view: { cluster: facts({ nodes: [node(1, { setAside: [copy({ name: "" })] })] }) },
    found: "warn DataSetAside",
    evidence: /: database 7 on node 1;/,
  },
  {
    name: "a volume that is nearly full is worth a warning that names the databases that may not write",
    view: {
      cluster: facts({
        nodes: [
          node(1),
          node(2, { fullVolume: { total: 100_000_000, free: 9_000_000, databases: [{ bdb: 1, bytes: 80_000_000 }] } }),
          node(3),
        ],
      }),
    },
    found: "warn VolumeFull",
    evidence:
      /the volume of node 2 has 9 MB of 100 MB free; until there is more, writes are refused of "db", which takes 80 MB there/,
  },
  {
    name: "an engine without TLS that a database with TLS is for is worth a warning",
    view: {
      cluster: facts({
        nodes: [node(1, engine(true)), node(2, engine(false)), node(3, engine(undefined))],
        databases: [database({ tlsMode: "mutual" }), database({ uid: 2, name: "plain" })],
      }),
    },
    found: "warn EngineWithoutTls",
    evidence: /^the 7\.2 engine of node 2 speaks no TLS, which "db" asks for: they get no copy there/,
  },
  {
    name: "one that none is for is worth none",
    view: { cluster: facts({ nodes: [node(1, engine(false)), node(2), node(3)] }) },
  },
  {
    name: "a node whose databases may need more than its container has is worth a warning with both",
    view: {
      cluster: facts({
        nodes: [node(1), node(2), node(3, { memory: { limit: 4e9, reserve: 1e9, needed: 3_500e6 } })],
      }),
    },
    found: "warn Overcommitted",
    evidence:
      /node 3: "db" may need 3500 MB, and its container has 3000 MB for them \(4000 MB less 1000 MB of its own\); no database is made or grows there/,
  },
  {
    name: "a volume that its databases may outgrow, and a database that takes more than it may, are worth a warning",
    view: {
      cluster: facts({
        nodes: [
          node(1),
          node(2),
          node(3, { volume: { room: 4e8, needed: 5e8, over: [{ bdb: 1, bytes: 3e8, budget: 2e8 }] } }),
        ],
      }),
    },
    found: "warn VolumeBudget",
    evidence:
      /the databases of node 3 may take 500 MB of its volume, which has 400 MB for them; "db" takes 300 MB of the volume of node 3 and may take 200 MB/,
  },
  {
    name: "a node whose databases have what they may need is worth none",
    view: {
      cluster: facts({ nodes: [node(1), node(2), node(3, { memory: { limit: 4e9, reserve: 1e9, needed: 3e9 } })] }),
    },
  },
];

testChecks(cases);
