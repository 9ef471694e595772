import assert from "node:assert/strict";
import { test } from "node:test";
import { factsOf, on } from "../../../../test/kit/facts/database-scene.ts";
import type { DatabaseRecord, DeletedDatabase } from "../../api/records.ts";
import { fateOfData, type DataFate } from "./kept-data.ts";

const CREATED = "2026-01-01T00:00:00.000Z";
const LATER = "2026-02-01T00:00:00.000Z";

interface Case {
  readonly rule: string;
  readonly record?: Partial<DatabaseRecord> | undefined;
  readonly instance?: number;
  readonly created?: string | undefined;
  readonly deleted?: readonly DeletedDatabase[];
  /** Absent: each record can be read. */
  readonly isReadable?: boolean;
  readonly fate: DataFate;
}

const deletedAt = (createdTime: string): DeletedDatabase => ({ uid: 1, createdTime, at: LATER });

const cases: readonly Case[] = [
  { rule: "of a database without a record is set aside", record: undefined, fate: "set-aside" },
  { rule: "of a database that is being deleted is removed", record: { status: "delete-pending" }, fate: "remove" },
  {
    rule: "of a database whose deletion is written down is removed",
    record: undefined,
    deleted: [deletedAt(CREATED)],
    fate: "remove",
  },
  {
    rule: "of an earlier database with the same uid as one that was deleted is set aside",
    record: undefined,
    deleted: [deletedAt(LATER)],
    fate: "set-aside",
  },
  {
    rule: "of another database than the one that is being deleted under its uid is set aside",
    record: { status: "delete-pending", createdTime: LATER },
    fate: "set-aside",
  },
  { rule: "of a retired instance is removed", instance: 2, record: { nextInstance: 4 }, fate: "remove" },
  {
    rule: "of an instance that the record has never had is set aside: an older record was restored",
    instance: 4,
    record: { nextInstance: 4 },
    fate: "set-aside",
  },
  {
    rule: "of an instance that another node shall run is set aside",
    instance: 1,
    record: {},
    fate: "set-aside",
  },
  {
    rule: "that an older release wrote, of a database with a record, follows the record",
    instance: 2,
    created: undefined,
    record: { nextInstance: 4 },
    fate: "remove",
  },
  {
    rule: "that an older release wrote, of a database that was deleted, is removed",
    created: undefined,
    record: undefined,
    deleted: [deletedAt(CREATED)],
    fate: "remove",
  },
  {
    rule: "that an older release wrote, of a database without a record, is set aside",
    created: undefined,
    record: undefined,
    fate: "set-aside",
  },
  {
    rule: "of a database whose record cannot be read is left alone, with its engine",
    record: undefined,
    isReadable: false,
    fate: "leave",
  },
  {
    rule: "is left alone when the record that lists the deleted databases cannot be read",
    record: undefined,
    deleted: [deletedAt(CREATED)],
    isReadable: false,
    fate: "leave",
  },
];

for (const { rule, record, instance = 1, deleted = [], isReadable = true, fate, ...rest } of cases) {
  const created = "created" in rest ? rest.created : CREATED;
  test(`data ${rule}`, () => {
    const databases =
      record === undefined
        ? []
        : [factsOf({ instances: [on(1, 1), on(3, 3)], record: { createdTime: CREATED, ...record } }).record];
    assert.equal(fateOfData({ bdb: 1, instance, created }, { databases, deleted, isReadable: () => isReadable }), fate);
  });
}
