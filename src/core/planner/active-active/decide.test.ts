import assert from "node:assert/strict";
import { test } from "node:test";
import { NEW } from "../../../../test/kit/facts/cluster-view.ts";
import { activeActiveSpec } from "../../api/active-active.ts";
import { type DatabaseSpec, globalConfiguration } from "../../api/database-spec.ts";
import type { ActiveActiveRecord } from "../../api/records.ts";
import { wait } from "../findings/finding.ts";
import { agreementText } from "./agreement.ts";
import { decideActiveActive, type ActiveActiveObject, type ActiveActiveView } from "./decide.ts";
import { numberSites } from "./numbers.ts";
import type { ParticipantAnswer } from "./participants.ts";

const participants = [{ name: "east" }, { name: "west" }];
const known: ActiveActiveRecord = {
  guid: "a",
  name: "carts",
  version: "7.4",
  participants,
  configuration: configured("120MB"),
  edit: { count: 1, author: "east" },
};
const global = { memorySize: "120MB" };
const written = { participatingClusters: participants, storeVersion: "7.4", globalConfigurations: global };
const fits: ParticipantAnswer = { answers: true, operator: "8.2.0-12", nodeTags: ["8.2.0-25.12"] };
const silent = { answers: false, finding: wait("Unreachable", "no node answers", "look") } as const;
const finding = { id: "SpecInvalid", severity: "block", evidence: "", remedy: "" } as const;

interface Case {
  readonly rule: string;
  /** Undefined: there is no object. */
  readonly object?: (Partial<ActiveActiveObject> & { readonly written?: object }) | undefined;
  readonly own?: readonly ActiveActiveRecord[];
  readonly others?: readonly ActiveActiveRecord[];
  readonly change?: Partial<ActiveActiveView>;
  readonly does: object;
  readonly finds?: string;
  readonly held?: string;
}

const firstEdit = { count: 1, author: "west" };
const object = {};
const spec = { ...configured("120MB"), storeEnterpriseCluster: { name: "west" }, storeVersion: "7.4" };
const rest = { spec, site: undefined };
const newer = { ...known, edit: { count: 2, author: "east" }, configuration: configured("200MB") };
const { numbers } = numberSites(known);
const cases: readonly Case[] = [
  {
    rule: "an object that is the same everywhere, and has its database, is left alone",
    object,
    change: { database: rest },
    does: { kind: "rest" },
  },
  {
    rule: "a new object is written into the cluster's record, with its version",
    object: { agreed: undefined },
    own: [],
    others: [],
    does: { kind: "write-record", record: { ...known, guid: "uid", edit: { count: 1, author: "west" } } },
  },
  {
    rule: "a new object without a version gets the newest version of the release on every participant",
    object: { agreed: undefined, written: { storeVersion: undefined } },
    own: [],
    others: [],
    does: { kind: "write-record", record: { ...known, guid: "uid", version: "8.2", edit: firstEdit } },
  },
  {
    rule: "an object that is refused here is not recorded",
    object: { agreed: undefined },
    own: [],
    others: [],
    change: { objections: [finding] },
    does: { kind: "wait" },
    finds: "SpecInvalid",
  },
  {
    rule: "an object that another participant has is created here",
    own: [],
    does: { kind: "make-object", record: known },
  },
  {
    rule: "sites get numbers once every node of the own cluster knows links",
    object,
    change: { knowsLinks: true, database: rest },
    does: { kind: "write-record", record: { ...known, numbers } },
  },
  {
    rule: "an older node of the own cluster is given no numbers, also not those of another participant",
    object,
    others: [{ ...known, numbers }],
    change: { database: rest },
    does: { kind: "rest" },
  },
  {
    rule: "a participant that is added gets the next number with the edit",
    object: { written: { participatingClusters: [{ name: "north" }, { name: "west" }] } },
    own: [{ ...known, numbers }],
    change: { knowsLinks: true, database: rest },
    does: {
      kind: "write-record",
      record: numberSites({
        ...known,
        numbers,
        edit: { count: 2, author: "west" },
        participants: [{ name: "north" }, { name: "west" }],
      }),
    },
  },
  { rule: "an object that only the own cluster's record has is not created again", others: [], does: { kind: "rest" } },
  {
    rule: "an object whose participants do not include this cluster is not created here",
    own: [],
    change: { self: "north" },
    does: { kind: "rest" },
  },
  {
    rule: "an edit here is recorded as the later one",
    object: { written: { globalConfigurations: { memorySize: "200MB" } } },
    does: { kind: "write-record", record: { ...newer, edit: { count: 2, author: "west" } } },
  },
  {
    rule: "a version raised here is recorded, without an edit of anything else (§4.3.9)",
    object: { written: { storeVersion: "8.0" } },
    does: { kind: "write-record", record: { ...known, version: "8.0" } },
  },
  {
    rule: "an edit elsewhere is recorded by the own cluster first",
    object,
    others: [newer],
    does: { kind: "write-record", record: newer },
  },
  {
    rule: "an edit that is recorded is written into the object",
    object,
    own: [newer],
    others: [newer],
    does: { kind: "write-object", record: newer, isVersionEdited: false },
  },
  {
    rule: "a version raised elsewhere is written into the object",
    object,
    own: [{ ...known, version: "8.0" }],
    does: { kind: "write-object", record: { ...known, version: "8.0" }, isVersionEdited: false },
  },
  {
    rule: "of two versions set at once the higher one wins here too",
    object: { written: { storeVersion: "8.0" } },
    own: [{ ...known, version: "8.2" }],
    others: [{ ...known, version: "8.2" }],
    does: { kind: "write-object", record: { ...known, version: "8.2" }, isVersionEdited: true },
  },
  {
    rule: "an object that equals the record is noted as such",
    object: { agreed: undefined },
    does: { kind: "remember", agreed: agreementText(known) },
  },
  {
    rule: "fields of a newer release survive an edit by this one",
    object: { written: { globalConfigurations: { memorySize: "200MB" } } },
    own: [{ ...known, configuration: { ...configured("120MB"), novelty: 1 } }],
    others: [{ ...known, configuration: { ...configured("120MB"), novelty: 1 } }],
    does: {
      kind: "write-record",
      record: { ...newer, configuration: { novelty: 1, ...configured("200MB") }, edit: { count: 2, author: "west" } },
    },
  },
  {
    rule: "the database of this participant is made at the version",
    object,
    does: {
      kind: "make-database",
      spec: rest.spec,
    },
  },
  {
    rule: "the database is upgraded once every participant fits (§9)",
    object,
    change: { database: { spec: { ...rest.spec, storeVersion: "7.2" }, site: undefined } },
    does: { kind: "write-database", spec: rest.spec },
  },
  {
    rule: "a participant that does not answer holds the upgrade up",
    object,
    change: {
      database: { spec: { ...rest.spec, storeVersion: "7.2" }, site: undefined },
      participants: [{ name: "east", knowsSlices: true, word: silent }],
    },
    does: { kind: "rest" },
    held: "Unreachable",
  },
  {
    rule: "a participant that does not answer holds up nothing but the upgrade",
    object,
    change: {
      database: { spec: { ...rest.spec, storeVersion: "7.2", memorySize: "100MB" }, site: undefined },
      participants: [{ name: "east", knowsSlices: true, word: silent }],
    },
    does: { kind: "write-database", spec: { ...rest.spec, storeVersion: "7.2" } },
    held: "Unreachable",
  },
  {
    rule: "a refused spec changes no database",
    object,
    change: { objections: [finding], database: { spec: {}, site: undefined } },
    does: { kind: "wait" },
    finds: "SpecInvalid",
  },
  {
    rule: "a deletion here is recorded before the finalizer is removed, with who deletes",
    object: { isDeleted: true },
    does: { kind: "write-record", record: { ...known, deleted: true, edit: { count: 2, author: "west" } } },
  },
  {
    rule: "the finalizer is removed once the deletion is recorded",
    object: { isDeleted: true },
    own: [{ ...known, deleted: true }],
    does: { kind: "release-object" },
  },
  {
    rule: "an object that is deleted elsewhere is deleted here",
    object,
    others: [{ ...known, deleted: true }],
    does: { kind: "delete-object" },
  },
  {
    rule: "a deletion elsewhere is recorded by the own cluster once the object is gone",
    others: [{ ...known, deleted: true }],
    does: { kind: "write-record", record: { ...known, deleted: true } },
  },
  {
    rule: "an object of the same name that is created after a deletion is another object",
    object: { agreed: undefined, guid: undefined },
    own: [{ ...known, deleted: true }],
    others: [{ ...known, deleted: true }],
    does: { kind: "write-record", record: { ...known, guid: "uid", edit: { count: 1, author: "west" } } },
  },
  {
    rule: "a cluster that no participant stands for gets a finding that says how to take part",
    object,
    change: { self: undefined },
    does: { kind: "wait" },
    finds: "NotParticipating",
  },
  {
    rule: "a participant that was taken off the list keeps its database until its object is deleted",
    object: { written: { participatingClusters: [{ name: "east" }] } },
    does: { kind: "wait" },
    finds: "NotParticipating",
  },
  {
    rule: "a participant that was taken off the list deletes its object and nothing elsewhere",
    object: { isDeleted: true, written: { participatingClusters: [{ name: "east" }] } },
    does: { kind: "release-object" },
  },
  {
    rule: "so does one whose object does not say it yet, when another participant does",
    object: { isDeleted: true },
    others: [{ ...known, participants: [{ name: "east" }], edit: { count: 9, author: "east" } }],
    does: { kind: "release-object" },
  },
];

for (const { rule, own = [known], others = [known], change = {}, does, finds, held, ...given } of cases) {
  test(`Active-Active: ${rule}`, () => {
    const decision = decideActiveActive({
      name: "carts",
      release: NEW,
      clusterPolicy: undefined,
      knowsLinks: false,
      cluster: "west",
      self: "west",
      object: given.object && objectOf(given.object),
      own,
      others,
      participants: participants.map(({ name }) => ({ name, knowsSlices: true, word: fits })),
      siteDatabases: [],
      link: undefined,
      database: undefined,
      objections: [],
      ...change,
    });
    const { step } = decision;
    assert.deepEqual(step.kind === "act" ? step.act : { kind: step.kind }, does);
    assert.equal(decision.findings[0]?.id, finds);
    assert.equal(decision.held[0]?.id, held);
  });
}

/** With every default, as an API server stores it. */
function configured(memorySize: string): DatabaseSpec {
  return globalConfiguration.parse({ memorySize });
}

function objectOf({ written: change, ...rest }: NonNullable<Case["object"]>): ActiveActiveObject {
  const spec = activeActiveSpec.parse({ ...written, ...change });
  const agreed = agreementText(known);
  return { uid: "uid", spec, isDeleted: false, agreed, guid: "a", upgradeNow: undefined, ...rest };
}
