import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { MANAGEMENT_ROLES } from "../src/core/api/management-roles.ts";
import { routes } from "../src/ports/management/routes.ts";
import { customResourceDefinitions } from "../src/core/api/crd.ts";
import type { StructuralSchema } from "../src/core/api/structural.ts";
import {
  ACTIVE_ACTIVE_FIELDS,
  CLUSTER_FIELDS,
  DATABASE_FIELDS,
  OWN,
  REMOTE_FIELDS,
  type Reach,
} from "./kit/facts/field-reach.ts";
import {
  ASKED_BACKUP_FIELDS,
  BACKUP_FIELDS,
  BACKUP_SCHEDULE_FIELDS,
  RESTORE_FIELDS,
} from "./kit/facts/backup-reach.ts";

type Fields = Readonly<Record<string, Reach | typeof OWN>>;

/** Of a database, with what it asks for of backups; sites of an Active-Active database have none. */
const DATABASE_WITH_BACKUP: Fields = { ...DATABASE_FIELDS, ...ASKED_BACKUP_FIELDS };

/** A site has one shard. */
const ofGlobal = Object.entries(DATABASE_FIELDS)
  .filter(([path]) => path !== "shardSlots")
  .map(([path, row]) => [`globalConfigurations.${path}`, row] as const);

/** What a restore says of the database that it makes. */
const ofRestored = Object.entries(DATABASE_WITH_BACKUP).map(([path, row]) => [`database.${path}`, row] as const);

/** Who may write an object of a kind writes these fields. */
const KINDS: readonly (readonly [kind: string, fields: Fields])[] = [
  ["StoreEnterpriseCluster", CLUSTER_FIELDS],
  ["StoreEnterpriseDatabase", DATABASE_WITH_BACKUP],
  [
    "StoreEnterpriseActiveActiveDatabase",
    { ...ACTIVE_ACTIVE_FIELDS, globalConfigurations: OWN, ...Object.fromEntries(ofGlobal) },
  ],
  ["StoreEnterpriseRemoteCluster", REMOTE_FIELDS],
  ["StoreEnterpriseBackup", BACKUP_FIELDS],
  ["StoreEnterpriseBackupSchedule", BACKUP_SCHEDULE_FIELDS],
  ["StoreEnterpriseRestore", { ...RESTORE_FIELDS, ...Object.fromEntries(ofRestored) }],
];

/** A field with such a name makes an object reach something, unless SAFE says why not. */
const REACHING =
  /secret|credential|certificate|image|repository|url|fqdn|host|account|namespace|name$|port$|class|selector|affinity|toleration|annotation|label|config$|license/i;

/** Fields with such a name that reach nothing. */
const SAFE: Readonly<Record<string, string>> = {
  bootstrapperImageSpec: "takes part in validation alone",
  "usageMeter.callHomeClient.imageSpec": "takes part in validation alone",
  "participatingClusters[].namespace": "takes part in validation alone",
  "userDefinedModules[].name": "has to be the name in the archive",
  "modulesList[].name": "one of the modules of the cluster",
  "moduleList[].name": "one of the modules of the cluster",
  "database.modulesList[].name": "one of the modules of the cluster",
  "database.moduleList[].name": "one of the modules of the cluster",
  pullSecrets: "the place of their names",
  license: "its signature is checked",
  "s3.regionName": "a word of the signature",
  "backup.s3.regionName": "a word of the signature",
  "database.backup.s3.regionName": "a word of the signature",
  "location.s3.regionName": "a word of the signature",
  username: "the name of a login that is made",
  recName: "a part of the name that the certificate of the site has to show",
  recNamespace: "a part of the name that the certificate of the site has to show",
};

for (const [kind, fields] of KINDS) {
  const paths = pathsOf(specOf(kind));

  test(`each field of ${kind} has a row on what its editor reaches by it`, () => {
    assert.deepEqual(
      paths.filter((path) => rowOf(fields, path) === undefined),
      [],
    );
    const stale = Object.keys(fields).filter((path) => !paths.includes(path));
    assert.deepEqual(stale, [], "rows without a field");
  });

  test(`each field of ${kind} with the name of something that it could reach says how far, or why it reaches nothing`, () => {
    const bare = paths.filter((path) => rowOf(fields, path) === OWN && REACHING.test(lastOf(path)) && !isSafe(path));
    assert.deepEqual(bare, []);
  });

  test(`what a field of ${kind} reaches is asked by a test that names it`, () => {
    const unasked = Object.entries(fields).flatMap(([path, row]) =>
      row === OWN || readFileSync(row.test, "utf8").includes(lastOf(path)) ? [] : [`${path}: ${row.test}`],
    );
    assert.deepEqual(unasked, []);
  });
}

test("docs/security.md has the rows of the fields that reach something", () => {
  const page = readFileSync("docs/security.md", "utf8");
  const rows = [
    ...rowsOf("StoreEnterpriseCluster", CLUSTER_FIELDS),
    ...rowsOf("StoreEnterpriseDatabase", DATABASE_WITH_BACKUP),
    ...rowsOf("StoreEnterpriseActiveActiveDatabase", ACTIVE_ACTIVE_FIELDS),
    ...rowsOf("StoreEnterpriseRemoteCluster", REMOTE_FIELDS),
    ...rowsOf("StoreEnterpriseBackup", BACKUP_FIELDS),
    ...rowsOf("StoreEnterpriseBackupSchedule", BACKUP_SCHEDULE_FIELDS),
    ...rowsOf("StoreEnterpriseRestore", RESTORE_FIELDS),
  ];
  const missing = rows.filter((row) => !page.includes(`${row}\n`));
  assert.equal(missing.join("\n"), "", "put these rows into docs/security.md");
  const [, table = ""] = page.split("### What an editor reaches by a field");
  const there = table
    .slice(0, table.indexOf("\n### "))
    .split("\n")
    .filter((line) => line.startsWith("| `"));
  assert.deepEqual(
    there.filter((line) => !rows.includes(line)),
    [],
    "rows that no field has",
  );
});

test("docs/security.md says how many operations, callers and fields are asked", () => {
  const page = readFileSync("docs/security.md", "utf8");
  // each role in three ways, and six others, one of which asks three operations: src/programs/agent/api/http/authorization.test.ts
  const [operations, callers] = [Object.keys(routes).length, 3 * MANAGEMENT_ROLES.length + 6];
  const requests = 2 * ((callers - 1) * operations + 3);
  const rows = [
    CLUSTER_FIELDS,
    DATABASE_WITH_BACKUP,
    ACTIVE_ACTIVE_FIELDS,
    REMOTE_FIELDS,
    BACKUP_FIELDS,
    BACKUP_SCHEDULE_FIELDS,
    RESTORE_FIELDS,
  ].flatMap((fields) => Object.values(fields));
  const reaching = rows.filter((row) => row !== OWN);
  for (const figure of [
    `${operations} operations, ${callers} callers, 2 nodes: ${requests.toLocaleString("en")} requests`,
    `${rows.length} rows, ${reaching.length} of which reach something`,
  ])
    assert.ok(page.includes(figure), figure);
});

function rowsOf(kind: string, fields: Fields): readonly string[] {
  return Object.entries(fields).flatMap(([path, row]) =>
    row === OWN ? [] : [`| \`${path}\` of a ${kind} | ${row.reaches} | ${row.bound} | \`${row.test}\` |`],
  );
}

/** Of the field, or of the nearest field around it. */
function rowOf(fields: Fields, path: string): Reach | typeof OWN | undefined {
  const around = path.replace(/\.?[^.]*$/, "");
  return fields[path] ?? fields[path.replace(/\[\]$/, "")] ?? (around === "" ? undefined : rowOf(fields, around));
}

function isSafe(path: string): boolean {
  const own = path.replace(/^globalConfigurations\./, "");
  return Object.keys(SAFE).some((safe) => own === safe || own.startsWith(`${safe}.`));
}

function lastOf(path: string): string {
  return path.slice(path.lastIndexOf(".") + 1).replace("[]", "");
}

function specOf(kind: string): StructuralSchema {
  const definition = customResourceDefinitions().find(({ spec }) => spec.names.kind === kind);
  const spec = definition?.spec.versions[0].schema.openAPIV3Schema.properties.spec;
  assert.ok(spec, `${kind} is not defined`);
  return spec;
}

/** Every field, those inside others too. */
function pathsOf({ properties = {}, items }: StructuralSchema, at = ""): readonly string[] {
  const inner = items === undefined ? [] : pathsOf(items, `${at.replace(/\.$/, "")}[].`);
  const own = Object.entries(properties).flatMap(([name, field]) => [
    `${at}${name}`,
    ...pathsOf(field, `${at}${name}.`),
  ]);
  return [...own, ...inner];
}
