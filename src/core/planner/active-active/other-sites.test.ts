import assert from "node:assert/strict";
import { test } from "node:test";
import type { ActiveActiveRecord, RemoteSite } from "../../api/records.ts";
import { numberSites } from "./numbers.ts";
import { otherSites } from "./other-sites.ts";

const record: ActiveActiveRecord = numberSites({
  guid: "a",
  name: "carts",
  version: "8.0",
  participants: [{ name: "east" }, { name: "west", externalReplicationPort: 443 }, { name: "north" }],
  configuration: {},
  edit: { count: 1, author: "east" },
});
const remoteSites: readonly RemoteSite[] = [
  { name: "east", local: true, host: "east.example.com", serverName: "east", authorities: "" },
  { name: "west", host: "west.example.com", databaseSuffix: "-db.example.com", serverName: "w", authorities: "W" },
  { name: "north", host: "north.example.com", serverName: "n", authorities: "N" },
];
const database = { name: "carts", activeActive: { guid: "a", site: 1 } };
const north = { id: 3, name: "north", host: "north.example.com", port: 9444, serverName: "n", authorities: "N" };
const west = { id: 2, name: "west", host: "carts-db.example.com", port: 443, serverName: "w", authorities: "W" };

test("other sites: each has its own port, and a host name of the database where the remote cluster has a dbFqdnSuffix", () => {
  assert.deepEqual(otherSites({ activeActives: [record], remoteSites }, database), [west, north]);
});

test("other sites: one that the operator has not made known yet is left out", () => {
  assert.deepEqual(otherSites({ activeActives: [record], remoteSites: remoteSites.slice(0, 2) }, database), [west]);
});

test("other sites: a database that is no site, of a deleted one, or of one without this participant has none", () => {
  const known = (activeActives: readonly ActiveActiveRecord[]) => ({ activeActives, remoteSites });
  assert.equal(otherSites(known([record]), { name: "carts" }), undefined);
  assert.equal(otherSites(known([{ ...record, deleted: true }]), database), undefined);
  assert.equal(otherSites(known([record]), { ...database, activeActive: { guid: "a", site: 9 } }), undefined);
  assert.equal(otherSites(known([]), database), undefined);
});
