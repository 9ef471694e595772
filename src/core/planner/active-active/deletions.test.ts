import assert from "node:assert/strict";
import { test } from "node:test";
import { NEW } from "../../../../test/kit/facts/cluster-view.ts";
import { activeActiveSpec } from "../../api/active-active.ts";
import { globalConfiguration } from "../../api/database-spec.ts";
import type { ActiveActiveRecord } from "../../api/records.ts";
import { agreementText } from "./agreement.ts";
import { decideActiveActive, type ActiveActiveView } from "./decide.ts";
import { numberSites } from "./numbers.ts";
import { deletionBy } from "./record.ts";

const known = numberSites({
  guid: "a",
  name: "carts",
  version: "7.4",
  participants: [{ name: "east" }, { name: "west" }],
  configuration: globalConfiguration.parse({ memorySize: "120MB" }),
  edit: { count: 1, author: "east" },
});
const withoutEast = numberSites({ ...known, participants: [{ name: "west" }], edit: { count: 2, author: "west" } });
const withoutWest = numberSites({ ...known, participants: [{ name: "east" }], edit: { count: 2, author: "east" } });
const westAgain = numberSites({ ...withoutWest, participants: known.participants, edit: { count: 3, author: "east" } });

interface Case {
  readonly rule: string;
  readonly own: ActiveActiveRecord;
  readonly others: readonly ActiveActiveRecord[];
  /** What the object of west says and has agreed on; undefined: there is none. */
  readonly object?: ActiveActiveRecord;
  readonly does: object;
}

const cases: readonly Case[] = [
  {
    rule: "a site that takes part deletes the database here too",
    own: known,
    others: [deletionBy("east", known)],
    object: known,
    does: { kind: "delete-object" },
  },
  {
    rule: "one that the record lists no more deletes nothing here",
    own: withoutEast,
    others: [deletionBy("east", known)],
    object: withoutEast,
    does: { kind: "rest" },
  },
  {
    rule: "nor does it where only the record of another site says so yet",
    own: known,
    others: [withoutEast, deletionBy("east", known)],
    object: known,
    does: { kind: "write-record", record: withoutEast },
  },
  {
    rule: "one that deleted its database when it was out, and is listed again, gets its object again",
    own: deletionBy("west", known),
    others: [westAgain],
    does: { kind: "make-object", record: westAgain },
  },
  {
    rule: "then the record of the others takes the place of its deletion",
    own: deletionBy("west", known),
    others: [westAgain],
    object: westAgain,
    does: { kind: "write-record", record: westAgain },
  },
  {
    rule: "one that has followed the deletion by a site that was out makes none under its old number",
    own: deletionBy("east", known),
    others: [withoutEast],
    does: { kind: "rest" },
  },
];

for (const { rule, own, others, object, does } of cases)
  test(`deletion of an Active-Active database: ${rule}`, () => {
    const { step } = decideActiveActive(viewOf({ own, others }, object));
    assert.deepEqual(step.kind === "act" ? step.act : { kind: step.kind }, does);
  });

/** West, with its database. */
function viewOf({ own, others }: Pick<Case, "own" | "others">, said: ActiveActiveRecord | undefined): ActiveActiveView {
  const { participants, configuration } = said ?? known;
  const asked = { participatingClusters: participants, storeVersion: "7.4", globalConfigurations: configuration };
  const spec = activeActiveSpec.parse(asked);
  const agreed = agreementText(said ?? known);
  return {
    name: "carts",
    release: NEW,
    cluster: "west",
    clusterPolicy: undefined,
    knowsLinks: true,
    self: "west",
    object: said && { uid: "uid", spec, isDeleted: false, agreed, guid: "a", upgradeNow: undefined },
    own: [own],
    others,
    participants: [],
    siteDatabases: [],
    link: undefined,
    database: {
      spec: {
        ...globalConfiguration.parse({ memorySize: "120MB" }),
        storeEnterpriseCluster: { name: "west" },
        storeVersion: "7.4",
      },
      site: "a/2",
    },
    objections: [],
  };
}
