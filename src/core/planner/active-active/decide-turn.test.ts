import assert from "node:assert/strict";
import { test } from "node:test";
import { NEW } from "../../../../test/kit/facts/cluster-view.ts";
import { activeActiveSpec } from "../../api/active-active.ts";
import { globalConfiguration } from "../../api/database-spec.ts";
import type { ActiveActiveRecord } from "../../api/records.ts";
import { agreementText } from "./agreement.ts";
import { decideActiveActive, type ActiveActiveView } from "./decide.ts";

const participants = [{ name: "east" }, { name: "west" }];
const globalConfigurations = globalConfiguration.parse({ memorySize: "120MB" });
const record: ActiveActiveRecord = {
  guid: "a",
  name: "carts",
  version: "7.4",
  participants,
  configuration: globalConfigurations,
  edit: { count: 1, author: "east" },
};
const spec = { ...globalConfigurations, storeEnterpriseCluster: { name: "west" }, storeVersion: "7.2" };

/** East and west have 7.2, 7.4 is asked for, and west has another setting to get as well. */
function viewOfWest(upgradeNow: string | undefined): ActiveActiveView {
  return {
    name: "carts",
    release: NEW,
    clusterPolicy: undefined,
    knowsLinks: false,
    cluster: "west",
    self: "west",
    object: {
      uid: "uid",
      isDeleted: false,
      agreed: agreementText(record),
      guid: "a",
      upgradeNow,
      spec: activeActiveSpec.parse({ participatingClusters: participants, storeVersion: "7.4", globalConfigurations }),
    },
    own: [record],
    others: [record],
    objections: [],
    link: undefined,
    participants: participants.map(({ name }) => ({
      name,
      knowsSlices: true,
      word: { answers: true, operator: "8.2.0-12", nodeTags: ["8.2.0-25.12"] },
    })),
    siteDatabases: participants.map(({ name }) => ({ name, version: "7.2", isLinked: true })),
    database: { spec: { ...spec, memorySize: "100MB" }, site: undefined },
  };
}

test("Active-Active: a site that another one comes before gets everything but the version", () => {
  const { step, awaited, held } = decideActiveActive(viewOfWest(undefined));
  assert.deepEqual(step.kind === "act" && step.act, { kind: "write-database", spec });
  assert.deepEqual([awaited.map(({ id }) => id), held], [["OtherSiteFirst"], []]);
});

test("Active-Active: a site gets the version at once when a user says so at its object", () => {
  const { step, awaited } = decideActiveActive(viewOfWest("7.4"));
  assert.deepEqual(step.kind === "act" && step.act, { kind: "write-database", spec: { ...spec, storeVersion: "7.4" } });
  assert.deepEqual(awaited, []);
});
