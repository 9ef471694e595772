import { createHash } from "node:crypto";
import { realpath, rm } from "node:fs/promises";
import { connect, createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Fault } from "../../../../controller-kit/src/base/fault.ts";
import { faults } from "../faults.ts";

/** Holds a folder for this process until called; a second holder gets APISERVER_DATA_DIR_IN_USE. */
export type Unlock = () => Promise<void>;

/**
 * Takes the folder `path`. The lock is a listening socket, named after the folder, so that it ends with its process however
 * that ends. Nothing is left of it on Linux, where its name is in no file system; elsewhere a killed process leaves a file
 * that answers no connection, and the next holder removes it.
 */
export async function lockFolder(path: string): Promise<Unlock> {
  const name = createHash("sha256")
    .update(await realpath(path))
    .digest("hex")
    .slice(0, 24);
  const socket = process.platform === "linux" ? `\0apiserver-${name}` : join(tmpdir(), `apiserver-${name}.sock`);
  const server = (await listen(socket)) ?? (await listenAfterDead(socket));
  if (server === undefined) {
    throw new Fault(faults.dataDirInUse, `another API server uses the data directory ${path}`, { path });
  }
  return () =>
    new Promise((resolve) => {
      server.close(() => {
        resolve();
      });
    });
}

async function listenAfterDead(socket: string): Promise<Server | undefined> {
  if (await answers(socket)) return undefined;
  await rm(socket, { force: true });
  return listen(socket);
}

/** Undefined when the address is taken. */
function listen(socket: string): Promise<Server | undefined> {
  return new Promise((resolve, reject) => {
    const server = createServer((connection) => {
      connection.destroy();
    });
    server.once("error", (error) => {
      if ("code" in error && error.code === "EADDRINUSE") resolve(undefined);
      else reject(error);
    });
    server.listen(socket, () => {
      server.unref();
      resolve(server);
    });
  });
}

function answers(socket: string): Promise<boolean> {
  return new Promise((resolve) => {
    const connection = connect(socket);
    connection.once("connect", () => {
      connection.destroy();
      resolve(true);
    });
    connection.once("error", () => {
      resolve(false);
    });
  });
}
