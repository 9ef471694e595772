import { TAKE_OVER_ANNOTATION } from "../../../src/core/api/names.ts";
import { Databases } from "../../../src/mechanisms/observe/kubernetes/kinds.ts";
import { until } from "#kit/testing/until";
import type { Lane } from "./lane.ts";

/** Makes a database, and waits until it is ready. */
export async function makeDatabase(
  lane: Lane,
  name: string,
  spec: object,
  annotations: Readonly<Record<string, string>> = {},
): Promise<void> {
  const metadata = { name, namespace: lane.namespace, annotations };
  await lane.kube.create(Databases, { metadata, spec: { memorySize: "100MB", ...spec } });
  await lane.database(
    name,
    `${name} is ready`,
    ({ metadata, status }) =>
      status?.observedGeneration === metadata.generation &&
      status?.conditions?.find(({ type }) => type === "Ready")?.status === "True",
  );
}

/** Makes an object for a database that was made without one: its author says that it takes this one. */
export async function takeDatabase(lane: Lane, name: string, spec: object): Promise<void> {
  const found = (await (await lane.management()).call("bdbs")).find((bdb) => bdb.name === name);
  await makeDatabase(lane, name, spec, { [TAKE_OVER_ANNOTATION]: String(found?.uid) });
}

/** Deletes an object and its database; resolves when the cluster has it no more. */
export async function dropDatabase(lane: Lane, name: string): Promise<void> {
  await lane.kube.delete(Databases, { name, namespace: lane.namespace });
  const api = await lane.management();
  const isGone = async (): Promise<boolean> => (await api.call("bdbs")).every((bdb) => bdb.name !== name);
  await until(`database ${name} is gone`, isGone, { withinMs: 60_000 });
}

/** Upgrades a database through the management API alone, and waits until that is done. */
export async function upgradeDatabase(lane: Lane, name: string, target: string): Promise<void> {
  const api = await lane.management();
  const uid = await uidOf(lane, name);
  await api.call("upgradeBdb", { params: { uid }, body: { store_version: target } });
  await databaseIsAt(lane, uid, target);
}

/** The number of a database. */
export async function uidOf(lane: Lane, name: string): Promise<number> {
  const found = (await (await lane.management()).call("bdbs")).find((bdb) => bdb.name === name);
  if (found === undefined) throw new Error(`there is no database ${name}`);
  return found.uid;
}

/** Resolves once the database is active and at the version. */
export async function databaseIsAt(lane: Lane, uid: number, version: string): Promise<void> {
  const api = await lane.management();
  const isThere = async (): Promise<boolean> => {
    const { status, redis_version } = await api.call("bdb", { params: { uid } });
    return status === "active" && redis_version === version;
  };
  await until(`database ${uid} is at ${version}`, isThere, { withinMs: 60_000, everyMs: 50 });
}
