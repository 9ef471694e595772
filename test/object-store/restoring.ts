import assert from "node:assert/strict";
import { Secrets, Services } from "#kit/kube/builtin";
import type { Stored } from "#kit/kube/kube";
import { until } from "#kit/testing/until";
import type { StoreEnterpriseBackup, StoreEnterpriseRestore } from "../../src/core/api/kinds.ts";
import { Backups, Databases, Restores } from "../../src/mechanisms/observe/kubernetes/kinds.ts";
import { callEngine, connectEngine } from "../../src/ports/resp/engine-client.ts";
import type { TestObjectStore } from "./server.ts";
import { PATIENCE, type StorectlWorld } from "../kit/world/storectl-world.ts";

const NAMESPACE = "default";

/** Databases, backups and restores of a world, by their objects. */
export type RestoreScene = ReturnType<typeof restoring>;

/** What tests of restores do in a world whose backups go to this object store. */
export function restoring({ kube }: Pick<StorectlWorld, "kube">, { access }: TestObjectStore) {
  const bucket = { bucketName: access.bucket, awsSecretName: "keys", regionName: access.region };
  const s3 = { ...bucket, endpoint: access.endpoint ?? "", pathStyle: true };
  const login = async (database: string) => {
    const secret = await kube.get(Secrets, refOf(`redb-${database}`));
    const { clusterIP: host = "", ports } = (await kube.get(Services, refOf(database)))?.spec ?? {};
    const password = Buffer.from(secret?.data?.["password"] ?? "", "base64").toString();
    return { host, port: ports?.[0]?.port ?? 0, password, timeoutMs: 30_000 };
  };
  /** Where clients find it, once they do. */
  const placeOf = async (database: string) => {
    await until("the Service has an address", async () => (await login(database)).host !== "", PATIENCE);
    return login(database);
  };
  /** Asks for a backup, with the Secret of its object store. */
  const begin = async (
    database: string,
    backup: string,
    more: Pick<StoreEnterpriseBackup["spec"], "encryption" | "verify">,
  ): Promise<void> => {
    await giveLogin(kube, access);
    const spec = { databaseName: database, s3: { ...s3, subdir: "team" }, ...more };
    await kube.create(Backups, { metadata: refOf(backup), spec });
  };
  const isComplete = (backup: string) => completes(kube, backup);
  return {
    placeOf,
    begin,
    isComplete,
    location: (path: string) => ({ path, s3 }),
    /** The licence of the world allows few shards. */
    async remove(database: string): Promise<void> {
      await kube.delete(Databases, refOf(database));
      const isGone = async () => (await kube.get(Databases, refOf(database))) === undefined;
      await until("it is gone", isGone, PATIENCE);
    },
    /** Writes so many keys. */
    async filled(database: string, keys: number): Promise<void> {
      const client = await connectEngine(await placeOf(database));
      await Promise.all(Array.from({ length: keys }, (_, key) => client.call("SET", `key ${key}`, "value")));
      client.close();
    },
    /** Takes a backup of that name, and waits for it. */
    async saved(database: string, backup: string): Promise<void> {
      await begin(database, backup, { verify: false });
      await isComplete(backup);
    },
    ask: (
      name: string,
      change: Partial<StoreEnterpriseRestore["spec"]>,
      more: Partial<StoreEnterpriseRestore["spec"]> = {},
    ) =>
      kube.create(Restores, {
        metadata: refOf(name),
        spec: { databaseName: "other", backupName: "first", ...change, ...more },
      }),
    stands: (name: string, phase: string, says = /^/) => stands(kube, name, { phase, says }),
    keys: async (database: string): Promise<number> => Number(await callEngine(await placeOf(database), "DBSIZE")),
  };
}

/** The Secret of the object store, unless it is there. */
async function giveLogin(kube: StorectlWorld["kube"], access: TestObjectStore["access"]): Promise<void> {
  if ((await kube.get(Secrets, refOf("keys"))) !== undefined) return;
  const stringData = { AWS_ACCESS_KEY_ID: access.accessKeyId, AWS_SECRET_ACCESS_KEY: access.secretAccessKey };
  await kube.create(Secrets, { metadata: refOf("keys"), stringData });
}

async function completes(kube: StorectlWorld["kube"], backup: string): Promise<void> {
  const isSo = async () => (await kube.get(Backups, refOf(backup)))?.status?.phase === "Completed";
  await until("it is saved", isSo, PATIENCE);
}

/** Waits until the restore has that phase, and its condition says that. */
async function stands(
  kube: StorectlWorld["kube"],
  name: string,
  { phase, says }: { readonly phase: string; readonly says: RegExp },
): Promise<Stored<StoreEnterpriseRestore>> {
  let found: Stored<StoreEnterpriseRestore> | undefined;
  const isSo = async (): Promise<boolean> => {
    found = await kube.get(Restores, refOf(name));
    const { reason = "", message = "" } = found?.status?.conditions?.find(({ type }) => type === "Complete") ?? {};
    return found?.status?.phase === phase && says.test(`${reason}: ${message}`);
  };
  await until(`${name} is ${phase} ${says.source}`, isSo, PATIENCE).catch((error: unknown) => {
    throw new Error(`${name}: ${JSON.stringify(found?.status)}`, { cause: error });
  });
  assert.ok(found);
  return found;
}

function refOf(name: string) {
  return { name, namespace: NAMESPACE };
}
