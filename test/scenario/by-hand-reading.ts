import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { tallyArchive } from "../kit/modules/module-archive.ts";
import { proves } from "../kit/specification/proves.ts";
import { columnsOf, listOf, recordOf, waitFor, type Scene } from "./by-hand-scene.ts";

/** The listing of the cluster, as §2.4 shows it. */
export async function readCluster({ type }: Scene): Promise<void> {
  const [head = "", row = ""] = (await type("kubectl get rec")).split("\n");
  proves("§2.4 columns of the cluster listing", "the first line of `kubectl get rec`").deepEqual(
    head.split(/ {2,}/).map((column) => column.trim()),
    [
      "NAME",
      "NODES",
      "VERSION",
      "STATE",
      "SPEC STATUS",
      "LICENSE STATE",
      "SHARDS LIMIT",
      "LICENSE EXPIRATION DATE",
      "AGE",
    ],
  );
  proves(
    "§4.1 the cluster is read with get rec",
    "the row of a running cluster: a value of its form in each column",
  ).match(row, /^rec +3 +7\.22\.2-14 +Running +Valid +Valid +4 +\d{4}-\d\d-\d\dT[\d:]+Z +\d+s$/);
}

/** Who may ask the management API, and what its licence says. */
export async function readManagementApi({ type }: Scene): Promise<void> {
  await type("export REC_USER=$(kubectl get secret rec -o jsonpath='{.data.username}' | base64 -d)");
  await type("export REC_PASSWORD=$(kubectl get secret rec -o jsonpath='{.data.password}' | base64 -d)");
  await type("export REC_ADDRESS=$(kubectl get pod rec-0 -o jsonpath='{.status.podIP}'):9443");
  await type(
    'api() { curl -sSk -u "$REC_USER:$REC_PASSWORD" "${@:2}" https://$(kubectl get pod rec-0 -o jsonpath=\'{.status.podIP}\'):9443$1; }',
  );
  const status = "-o /dev/null -w '%{http_code}'";
  const answers = [
    await type(`api /v1/modules ${status}`),
    await type(`REC_PASSWORD=wrong api /v1/modules ${status}`),
    await type(`curl -sk https://$REC_ADDRESS/v1/modules ${status}`),
  ];
  proves(
    "§5 the management API takes HTTP Basic over HTTPS, and nothing without",
    "the status of `GET /v1/modules` with the password, with a wrong one and with none",
  ).deepEqual(answers, ["200", "401", "401"]);
  const plain = await type.run(`curl -s -u "$REC_USER:$REC_PASSWORD" http://$REC_ADDRESS/v1/modules`);
  proves(
    "§5 the management API takes HTTP Basic over HTTPS, and nothing without",
    "what is answered over plain HTTP with the right password: no modules",
  ).doesNotMatch(plain.stdout, /module_name|^\[/);
  const limit = columnsOf(await type("kubectl get rec rec --no-headers"))[6];
  proves("§8 SHARDS LIMIT shows the licence's limit", "the column SHARDS LIMIT, against `GET /v1/license`").equal(
    limit,
    String(recordOf(await type("api /v1/license"))["shards_limit"]),
  );
}

/** A module goes in by the one form field that §4.2 has for it, and is listed then. */
export async function uploadModule({ dir, type }: Scene): Promise<void> {
  await writeFile(join(dir, "tally.zip"), await tallyArchive({ compatible: "7.2" }));
  const refused = await type("api /v2/modules -w ' %{http_code}' -F archive=@tally.zip");
  proves("§4.2 POST /v2/modules takes one archive in the form field module", "the refusal of another form field").match(
    refused,
    /module.* 400$/s,
  );
  const accepted = await type("api /v2/modules -w ' %{http_code}' -F module=@tally.zip");
  assert.match(accepted, / 200$/, accepted);
  const { action_uid: action } = recordOf(accepted.replace(/ 200$/, ""));
  await waitFor(async () => recordOf(await type(`api /v1/actions/${String(action)}`))["status"], "completed");
  const uploaded = listOf(await type("api /v1/modules")).find((module) => module["module_name"] === "tally") ?? {};
  proves(
    "§4.2 POST /v2/modules takes one archive in the form field module",
    "the module of the archive in `GET /v1/modules` once its action is completed",
  ).equal(uploaded["semantic_version"], "1.0.0");
  const platforms = Object.keys(Object(uploaded["platforms"]));
  proves(
    "§4.2 GET /v1/modules lists name-version-platform of each module",
    "name, version and each platform of an uploaded module, joined",
  ).match(
    platforms.map((platform) => [uploaded["module_name"], uploaded["semantic_version"], platform].join("-")).join(),
    /^tally-1\.0\.0-rhel9\/(x86_64|aarch64|arm64)$/,
  );
  proves(
    "§2.5 module records have module_name, semantic_version and platforms",
    "the three fields of an uploaded module: two strings, an object with the platform as its key",
  ).deepEqual(
    [typeof uploaded["module_name"], typeof uploaded["semantic_version"], platforms.length],
    ["string", "string", 1],
  );
}

/** Versions that are not offered are refused with those that are. */
export async function refuseVersions({ type }: Scene): Promise<void> {
  for (const version of ["6.2", "7.0", "8.4"]) {
    const refused = await type.run(
      `kubectl patch redb orders --type merge -p '{"spec":{"storeVersion":"${version}"}}'`,
    );
    assert.notEqual(refused.code, 0);
    proves("§9 database versions 7.2, 7.4, 8.0 and 8.2", "the refusal of 6.2, 7.0 and 8.4, which lists the four").match(
      refused.stderr,
      /spec\.storeVersion: .*"7\.2", "7\.4", "8\.0", "8\.2"/,
    );
  }
  assert.match(await type("kubectl explain redb.spec.storeVersion"), /ENUM:\n +7\.2\n +7\.4\n +8\.0\n +8\.2\n/);
}

/** What a user reads before an upgrade (§4.3 rule 2, §9). */
export async function readFlags({ type }: Scene): Promise<void> {
  const flag = "kubectl get rec rec -o jsonpath='{.spec.autoUpgradeStoreEnterprise}'";
  const unset = await type(flag);
  await type(`kubectl patch rec rec --type merge -p '{"spec":{"autoUpgradeStoreEnterprise":false}}'`);
  proves(
    "§4.1 the automatic-upgrade flag is read by jsonpath",
    "what jsonpath prints before and after it is set",
  ).deepEqual([unset, await type(flag)], ["", "false"]);
  assert.equal(await type("kubectl get rec rec -o jsonpath='{.spec.userDefinedModules}'"), "");
  const [orders] = listOf(await type("api /v1/bdbs"));
  proves(
    "§2.3 storeVersion is where the current version is read",
    "spec.storeVersion by jsonpath, against the version in `GET /v1/bdbs`; once before, once after an upgrade",
  ).equal(await type("kubectl get redb orders -o jsonpath='{.spec.storeVersion}'"), orders?.["redis_version"]);
}
