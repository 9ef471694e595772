import assert from "node:assert/strict";
import { test } from "node:test";
import { resolveIdentity, type Identity, type IdentityFacts } from "./identity.ts";

const orders = { uid: 3, name: "orders" };
const made = { madeFor: () => "orders" };
const marked = { madeFor: (uid: number) => (uid === 2 ? "orders" : undefined) };
const ofAnother = { listed: [{ uid: 3, name: "carts" }], madeFor: () => "carts", isRecorded: true };

const cases: readonly [rule: string, facts: Partial<IdentityFacts>, identity: Identity][] = [
  ["the database that it has had is its own", { known: 3 }, { kind: "own", uid: 3 }],
  ["also under another name", { ...made, known: 3, listed: [{ uid: 3, name: "renamed" }] }, { kind: "own", uid: 3 }],
  ["one of its uid that a new cluster made for another is not", { known: 3, ...ofAnother }, { kind: "none" }],
  ["also before that is marked", { known: 3, listed: [{ uid: 3, name: "carts" }] }, { kind: "none" }],
  ["the one of its name is not taken instead", { known: 2, ...both() }, { kind: "taken", uid: 3 }],
  ["a database that something else made is not taken", {}, { kind: "taken", uid: 3 }],
  ["not instead of one that it has had either", { known: 2 }, { kind: "taken", uid: 3 }],
  ["one that was made for an object of this name is its own again", made, { kind: "own", uid: 3 }],
  ["one that was made for another object is not", { madeFor: () => "other" }, { kind: "taken", uid: 3 }],
  ["one that it has just asked for is its own", { isCreating: true }, { kind: "own", uid: 3 }],
  ["a user may agree that it is taken", { consented: "3" }, { kind: "own", uid: 3 }],
  ["to another uid the consent does not apply", { consented: "4" }, { kind: "taken", uid: 3 }],
  [
    "the consent does not replace a database that it has",
    { ...both(), ...marked, consented: "3" },
    { kind: "own", uid: 2 },
  ],
  ["there is none", { listed: [] }, { kind: "none" }],
  ["the one that it has had is gone", { known: 2, listed: [] }, { kind: "none" }],
  [
    "a record that the cluster does not list is not nothing",
    { known: 2, listed: [], isRecorded: true },
    { kind: "unlisted", uid: 2 },
  ],
];

for (const [rule, change, identity] of cases) {
  test(`which database an object stands for: ${rule}`, () => {
    const facts = {
      name: "orders",
      known: undefined,
      isCreating: false,
      consented: undefined,
      listed: [orders],
      madeFor: () => undefined,
      isRecorded: false,
    };
    assert.deepEqual(resolveIdentity({ ...facts, ...change }), identity);
  });
}

function both(): Partial<IdentityFacts> {
  return { known: 2, listed: [orders, { uid: 2, name: "other" }] };
}
