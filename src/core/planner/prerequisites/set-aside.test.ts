import { facts, node } from "../../../../test/kit/facts/cluster-view.ts";
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
];

testChecks(cases);
