import { databaseSpec } from "../../../src/core/api/database-spec.ts";
import type { DatabaseView, ExistingDatabase } from "../../../src/core/planner/database/plan.ts";
import { references } from "./references.ts";
import { settingsWith } from "./settings.ts";

/** What is known of the database orders, which its cluster has, with this spec. */
export function databaseView(spec: object, change: Partial<DatabaseView> = {}): DatabaseView {
  return {
    name: "orders",
    spec: databaseSpec.parse(spec),
    isEdited: false,
    wasRefused: false,
    references: references(),
    existing: existingDatabase(),
    secret: "given",
    site: undefined,
    secretName: "redb-orders",
    certificate: { state: "none", why: "", warning: "", authority: "" },
    home: "rec",
    ...change,
  };
}

/** A database as its cluster has it: at 7.4 and at rest, besides `change`. */
export function existingDatabase(change: Partial<ExistingDatabase> = {}): ExistingDatabase {
  return {
    uid: 1,
    isSettled: true,
    underWay: "",
    site: undefined,
    ...settingsWith(),
    port: 10_000,
    shards: 1,
    slots: ["0-16383"],
    namesSlots: false,
    storeVersion: "7.4",
    upgradesTo: undefined,
    modules: undefined,
    ...change,
  };
}
