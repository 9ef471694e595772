import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect } from "node:net";
import { CreateMultipartUploadCommand, S3Client } from "@aws-sdk/client-s3";
import type { ObjectStoreAccess } from "../../src/core/backup/object-store-access.ts";
import { until } from "#kit/testing/until";
import { loopbackAddress } from "../kit/engines/engine.ts";
import { builtProgram } from "./assets.ts";

/** A real object store of a test, with one bucket. It ends with the test. */
export interface TestObjectStore extends AsyncDisposable {
  readonly access: ObjectStoreAccess;
  /** The folder whose files are the objects of the bucket. */
  readonly folder: string;
  /** The names of all objects. */
  keys(): readonly string[];
  /** How many uploads have begun and are neither whole nor ended. */
  openUploads(): number;
  stop(): Promise<void>;
}

/** Certificate and key that it shows, files; without them it speaks no TLS. */
interface ServerTls {
  readonly cert: string;
  readonly key: string;
  readonly ca: string;
}

const BUCKET = "backups";

/** Starts a store and waits until it listens. */
export async function startObjectStore(tls?: ServerTls): Promise<TestObjectStore> {
  const root = mkdtempSync(join(tmpdir(), "object-store-"));
  const folder = join(root, BUCKET);
  mkdirSync(folder);
  const host = loopbackAddress();
  const port = 7070;
  const keys = { accessKeyId: "test-access", secretAccessKey: "test-secret-of-the-store" };
  const child = spawn(builtProgram(), ["posix", root], {
    stdio: "ignore",
    env: {
      ROOT_ACCESS_KEY_ID: keys.accessKeyId,
      ROOT_SECRET_ACCESS_KEY: keys.secretAccessKey,
      VGW_PORT: `${host}:${port}`,
      VGW_REGION: "eu-test-1",
      VGW_QUIET: "true",
      ...(tls === undefined ? {} : { VGW_CERT: tls.cert, VGW_KEY: tls.key }),
    },
  });
  const closed = once(child, "close");
  const stop = async (): Promise<void> => {
    child.kill("SIGKILL");
    await closed;
  };
  await until("the object store listens", async () => {
    if (child.exitCode !== null) throw new Error(`it has ended with code ${child.exitCode}`);
    const socket = connect({ host, port });
    const isOpen = await Promise.race([
      once(socket, "connect").then(() => true),
      once(socket, "error").then(() => false),
    ]).catch(() => false);
    socket.destroy();
    return isOpen;
  });
  const access: ObjectStoreAccess = {
    bucket: BUCKET,
    region: "eu-test-1",
    endpoint: `${tls === undefined ? "http" : "https"}://${host}:${port}`,
    pathStyle: true,
    ...keys,
    ...(tls === undefined ? {} : { caCertificate: tls.ca }),
  };
  return {
    access,
    folder,
    keys: () => filesIn(folder).filter((name) => !name.startsWith(".")),
    openUploads: () => uploadsIn(folder),
    stop,
    async [Symbol.asyncDispose]() {
      await stop();
      rmSync(root, { recursive: true, force: true });
    },
  };
}

/** An upload that its process has left. */
export async function beginUpload(
  { bucket, endpoint = "", region, ...keys }: ObjectStoreAccess,
  key: string,
): Promise<void> {
  const client = new S3Client({ endpoint, region, credentials: keys, forcePathStyle: true });
  await client.send(new CreateMultipartUploadCommand({ Bucket: bucket, Key: key }));
  client.destroy();
}

function filesIn(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(folder.length + 1))
    .toSorted();
}

/** The store keeps the parts of an upload in a folder of its own, below one for the name of the object. */
function uploadsIn(folder: string): number {
  const open = join(folder, ".sgwtmp/multipart");
  try {
    return readdirSync(open).reduce((sum, name) => sum + readdirSync(join(open, name)).length, 0);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return 0;
    throw error;
  }
}
