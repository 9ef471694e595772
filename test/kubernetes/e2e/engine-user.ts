import assert from "node:assert/strict";
import { DEMO } from "../../../src/programs/demo/steps/objects.ts";
import { clusterNames, ENGINES_CONTAINER, ENGINES_UID } from "../../../src/core/api/names.ts";
import type { Scene } from "./scene.ts";
import { whereabouts } from "./whereabouts.ts";

/**
 * Runs in the container of the engines, as their user: the processes that it sees, and in which of all files below / that it can read
 * one of the given texts is.
 */
const LOOK = `
const fs = require("node:fs"), path = require("node:path");
const needles = JSON.parse(process.argv[1]), found = [];
const walk = (folder) => {
  let entries = [];
  try { entries = fs.readdirSync(folder, { withFileTypes: true }); } catch { return; }
  for (const entry of entries) {
    const at = path.join(folder, entry.name);
    if (entry.isDirectory() && !["/proc", "/sys", "/opt", "/usr"].includes(at)) walk(at);
    if (!entry.isFile()) continue;
    try { const text = fs.readFileSync(at, "latin1"); if (needles.some((one) => text.includes(one))) found.push(at); } catch {}
  }
};
walk("/");
const processes = fs.readdirSync("/proc").filter((name) => /^\\d+$/.test(name) && Number(name) !== process.pid)
  .map((pid) => fs.readFileSync("/proc/" + pid + "/cmdline", "latin1").split("\\0").join(" "));
console.log(JSON.stringify({ uid: process.getuid(), found, processes }));
`;

/** The token, the keys and the credentials of the cluster are in no file that the user of the engines can read. */
export async function engineUserReadsNothing(scene: Scene): Promise<void> {
  const { kubectl } = scene;
  const { primary } = await whereabouts(scene);
  const read = async (secret: string, key: string): Promise<string> => {
    const path = `jsonpath={.data.${key.replaceAll(".", "\\.")}}`;
    return Buffer.from(await kubectl(`get secret ${secret} -o`, path), "base64")
      .toString("latin1")
      .trim();
  };
  const { cluster: rec } = DEMO;
  const keys = [
    await read(clusterNames.credentialsSecret(rec), "password"),
    await read(clusterNames.nodeTlsSecret(rec), "tls.key"),
    await read(clusterNames.authoritySecret(rec), "ca.key"),
  ];
  // a line of a key is enough; a token begins like every other one
  const needles = ["eyJhbGciOiJ", ...keys.map((text) => text.split("\n")[1] ?? text)];
  assert.ok(
    needles.every((text) => text.length > 8),
    "the Secrets have what is looked for",
  );
  const node = ["node", "-e", LOOK, JSON.stringify(needles)];
  const text = await kubectl(`exec ${primary} -c ${ENGINES_CONTAINER} --`, ...node);
  const seen = JSON.parse(text) as { uid: number; found: string[]; processes: string[] };
  assert.deepEqual({ uid: seen.uid, found: seen.found }, { uid: ENGINES_UID, found: [] });
  assert.ok(
    seen.processes.some((command) => /-server /.test(command)),
    "engines run here",
  );
  assert.deepEqual(
    seen.processes.filter((command) => /store\.js (agent|proxy)/.test(command)),
    [],
  );
}
