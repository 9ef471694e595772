import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempDisposable, readdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import * as kubectl from "./kubectl.ts";
import {
  annotate,
  annotateObjects,
  callApi,
  callOperator,
  patchWebhook,
  containerLog,
  createConfigMap,
  createSecret,
  createSecretOf,
  deleteObjects,
  deleteWebhooks,
  deploymentLog,
  deploymentRollout,
  describeObject,
  drain,
  editObject,
  editSecret,
  explainField,
  applyFile,
  getNodePods,
  getObjects,
  getValue,
  installLicense,
  leadToOperator,
  listPermissions,
  mergeObject,
  mergeObjectOf,
  nodeLog,
  patchLicense,
  patchRole,
  restartDeployment,
  resumeRollout,
  scaleDeployment,
  undoRollout,
  rolloutStatus,
  selectPods,
  trustCertificate,
  trustCertificateFirst,
  uncordon,
  uploadModule,
  writeLicenseSecret,
  writeSecret,
} from "./kubectl.ts";

/** Every command that takes names or values of others, with `value` in each place. */
const COMMANDS: Readonly<Record<string, (value: string) => string>> = {
  mergeObject: (value) => mergeObject("rec", "rec", { spec: { persistentSpec: { storageClassName: value } } }),
  mergeObjectOf: (value) => mergeObjectOf("rec", value, "{}"),
  patchRole: (value) => patchRole(value, value, [{ op: "add", path: "/rules/-", value }]),
  annotate: (value) => annotate("redb", value, `a=${value}`),
  annotateObjects: (value) => annotateObjects([`secret/${value}`, value], `a=${value}`),
  editObject: (value) => editObject(`redb ${value}`, value),
  describeObject: (value) => describeObject(`pvc ${value} ${value}`),
  getObjects: (value) => getObjects(`pods -l ${value}`, value),
  getValue: (value) => getValue(`secret ${value}`, value),
  deleteObjects: (value) => deleteObjects("pod", [value, value]),
  explainField: (value) => explainField(`rec.spec.${value}`),
  createSecret: (value) => createSecret(value, value, `license=${value}`),
  writeSecret: (value) => writeSecret(value, `license=${value}`),
  createSecretOf: (value) => createSecretOf(value, { password: value }),
  createConfigMap: (value) => createConfigMap(value, value),
  editSecret: (value) => editSecret(value, value),
  deploymentLog,
  containerLog: (value) => containerLog(value, value),
  rolloutStatus,
  deploymentRollout,
  restartDeployment,
  undoRollout,
  resumeRollout,
  scaleDeployment: (value) => scaleDeployment(value, 1),
  applyFile: (value) => applyFile(value, `-n ${value}`, value),
  deleteWebhooks: (value) => deleteWebhooks(value),
  drain,
  uncordon,
  listPermissions: (value) => listPermissions(value, value),
  trustCertificate: (value) => trustCertificate(value, value, value),
  trustCertificateFirst: (value) => trustCertificateFirst(value, value),
  callApi: (value) => callApi(value, "PUT", `/v1/nodes/1/set_aside/${value}`, { body: { value }, comment: value }),
  uploadModule: (value) => uploadModule(value, value, value),
  installLicense: (value) => installLicense(value, value),
  patchLicense: (value) => patchLicense(value, value),
  writeLicenseSecret: (value) => writeLicenseSecret(value, value),
  selectPods: (value) => selectPods(value, { app: value }, [{ name: value }]),
  leadToOperator,
  patchWebhook: (value) => patchWebhook(value, value, { name: value }),
  callOperator: (value) => callOperator(value, value, value),
  getNodePods: (value) => getNodePods(` -n ${value}`),
  nodeLog,
};

/** They hold no word of others. */
const CONSTANT = ["askReady", "showVersion", "viewKubeconfig", "listKinds"];
/** They are made of the commands of the table. */
const MADE_OF_THEM = [
  ...["patchCluster", "patchClusterTag", "patchDatabase", "patchDatabaseVersion", "patchObject", "deleteDatabases"],
  ...["deleteActiveActive", "deleteBackup", "applyBundle", "recoverFromSetAside", "restoreRecord", "withComment"],
];

test("every command is asked about the words of others", () => {
  assert.deepEqual(
    Object.keys(kubectl).toSorted(),
    [...Object.keys(COMMANDS), ...CONSTANT, ...MADE_OF_THEM].toSorted(),
  );
});

/** None of them has a space: what holds several words is parted there, and no name of an object has one. */
const INTRUDERS = [
  "';touch${IFS}RUN;'",
  '";touch${IFS}RUN;"',
  "$(touch${IFS}RUN)",
  "`touch${IFS}RUN`",
  "a\ntouch${IFS}RUN",
];

for (const [name, command] of Object.entries(COMMANDS)) {
  test(`the shell runs no word of others in ${name}`, async () => {
    await using folder = await mkdtempDisposable(join(tmpdir(), "words-"));
    const programs = ["kubectl", "curl", "base64", "awk"].map((one) => `${one}() { :; }`).join("; ");
    for (const value of INTRUDERS) {
      const line = command(value);
      execFileSync("bash", ["--norc", "-c", `${programs}\n${line}`], { cwd: folder.path });
      assert.deepEqual(await readdir(folder.path), [], line);
    }
  });
}
