import assert from "node:assert/strict";
import { test } from "node:test";
import { NEW } from "../../../../test/kit/facts/cluster-view.ts";
import { activeActiveSpec } from "../../api/active-active.ts";
import { databaseSpec, type DatabaseSpec } from "../../api/database-spec.ts";
import type { ActiveActiveRecord } from "../../api/records.ts";
import { agreementText } from "./agreement.ts";
import { decideActiveActive, type ActiveActiveObject, type ActiveActiveView } from "./decide.ts";
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
const written = {
  participatingClusters: participants,
  storeVersion: "7.4",
  globalConfigurations: { memorySize: "120MB" },
};
const fits: ParticipantAnswer = { answers: true, operator: "8.2.0-12", nodeTags: ["8.2.0-25.12"] };
const silent = { answers: false, reason: "Unreachable", message: "nobody answers", remedy: "look" } as const;
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

const object = {};
const rest = { spec: { ...configured("120MB"), storeEnterpriseCluster: { name: "west" }, storeVersion: "7.4" } };
const newer = { ...known, edit: { count: 2, author: "east" }, configuration: configured("200MB") };

const cases: readonly Case[] = [
  {
    rule: "one that says the same everywhere, and has its database, is left alone",
    object,
    change: { database: rest },
    does: { kind: "none" },
  },
  {
    rule: "a new object is told to the others, with its version",
    object: { agreed: undefined },
    own: [],
    others: [],
    does: { kind: "write-record", record: { ...known, guid: "uid", edit: { count: 1, author: "west" } } },
  },
  {
    rule: "a new object without a version gets the newest one of the release, for everybody the same",
    object: { agreed: undefined, written: { storeVersion: undefined } },
    own: [],
    others: [],
    does: {
      kind: "write-record",
      record: { ...known, guid: "uid", version: "8.2", edit: { count: 1, author: "west" } },
    },
  },
  {
    rule: "an object that is refused here is told to nobody",
    object: { agreed: undefined },
    own: [],
    others: [],
    change: { objections: [finding] },
    does: { kind: "none" },
    finds: "SpecInvalid",
  },
  { rule: "what another participant has is made here", own: [], does: { kind: "make-object", record: known } },
  { rule: "what only the own cluster remembers is not made again", others: [], does: { kind: "none" } },
  {
    rule: "what this cluster takes no part in is not made here",
    own: [],
    change: { self: "north" },
    does: { kind: "none" },
  },
  {
    rule: "an edit here is told to the others as a later one",
    object: { written: { globalConfigurations: { memorySize: "200MB" } } },
    does: { kind: "write-record", record: { ...newer, edit: { count: 2, author: "west" } } },
  },
  {
    rule: "a version raised here is told to the others, without an edit of anything else (§4.3.9)",
    object: { written: { storeVersion: "8.0" } },
    does: { kind: "write-record", record: { ...known, version: "8.0" } },
  },
  {
    rule: "an edit elsewhere is remembered by the own cluster first",
    object,
    others: [newer],
    does: { kind: "write-record", record: newer },
  },
  {
    rule: "and then written into the object",
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
    rule: "of two versions set at once the higher one holds, here as well",
    object: { written: { storeVersion: "8.0" } },
    own: [{ ...known, version: "8.2" }],
    others: [{ ...known, version: "8.2" }],
    does: { kind: "write-object", record: { ...known, version: "8.2" }, isVersionEdited: true },
  },
  {
    rule: "that both say the same is noted with the object",
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
    rule: "and upgraded once every participant fits (§9)",
    object,
    change: { database: { spec: { ...rest.spec, storeVersion: "7.2" } } },
    does: { kind: "write-database", spec: rest.spec },
  },
  {
    rule: "a participant that cannot be asked holds the upgrade up",
    object,
    change: {
      database: { spec: { ...rest.spec, storeVersion: "7.2" } },
      participants: [{ name: "east", word: silent }],
    },
    does: { kind: "none" },
    held: "Unreachable",
  },
  {
    rule: "and nothing else",
    object,
    change: {
      database: { spec: { ...rest.spec, storeVersion: "7.2", memorySize: "100MB" } },
      participants: [{ name: "east", word: silent }],
    },
    does: { kind: "write-database", spec: { ...rest.spec, storeVersion: "7.2" } },
    held: "Unreachable",
  },
  {
    rule: "a refused spec changes no database",
    object,
    change: { objections: [finding], database: { spec: {} } },
    does: { kind: "none" },
    finds: "SpecInvalid",
  },
  {
    rule: "deleted here, the others are told before it goes",
    object: { isDeleted: true },
    does: { kind: "write-record", record: { ...known, deleted: true } },
  },
  {
    rule: "and then it goes",
    object: { isDeleted: true },
    own: [{ ...known, deleted: true }],
    does: { kind: "release-object" },
  },
  {
    rule: "deleted elsewhere, it is deleted here",
    object,
    others: [{ ...known, deleted: true }],
    does: { kind: "delete-object" },
  },
  {
    rule: "which the own cluster remembers once the object is gone",
    others: [{ ...known, deleted: true }],
    does: { kind: "write-record", record: { ...known, deleted: true } },
  },
  {
    rule: "one of the same name that is made after that is another one",
    object: { agreed: undefined, guid: undefined },
    own: [{ ...known, deleted: true }],
    others: [{ ...known, deleted: true }],
    does: { kind: "write-record", record: { ...known, guid: "uid", edit: { count: 1, author: "west" } } },
  },
  {
    rule: "a cluster that no participant stands for is told how to take part",
    object,
    change: { self: undefined },
    does: { kind: "none" },
    finds: "NotParticipating",
  },
  {
    rule: "a participant that was taken off the list keeps its database until its object is deleted",
    object: { written: { participatingClusters: [{ name: "east" }] } },
    does: { kind: "none" },
    finds: "NotParticipating",
  },
  {
    rule: "and deleting it there deletes nothing elsewhere",
    object: { isDeleted: true, written: { participatingClusters: [{ name: "east" }] } },
    does: { kind: "release-object" },
  },
];

for (const { rule, own = [known], others = [known], change = {}, does, finds, held, ...given } of cases) {
  test(`Active-Active: ${rule}`, () => {
    const decision = decideActiveActive({
      name: "carts",
      release: NEW,
      cluster: "west",
      self: "west",
      object: given.object && objectOf(given.object),
      own,
      others,
      participants: participants.map(({ name }) => ({ name, word: fits })),
      database: undefined,
      objections: [],
      ...change,
    });
    assert.deepEqual(decision.act, does);
    assert.equal(decision.findings[0]?.id, finds);
    assert.equal(decision.held[0]?.id, held);
  });
}

/** With every default, as an API server stores it. */
function configured(memorySize: string): DatabaseSpec {
  return databaseSpec.parse({ memorySize });
}

function objectOf({ written: change, ...rest }: NonNullable<Case["object"]>): ActiveActiveObject {
  const spec = activeActiveSpec.parse({ ...written, ...change });
  return { uid: "uid", spec, isDeleted: false, agreed: agreementText(known), guid: "a", ...rest };
}
