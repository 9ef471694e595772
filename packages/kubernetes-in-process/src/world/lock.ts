import { mkdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import type { Server } from "node:net";
import { join } from "node:path";
import { Fault } from "../../../controller-kit/src/base/fault.ts";
import { isSameProcess } from "../kubelet/container/same-process.ts";
import { faults } from "./faults.ts";
import { unlessMissing } from "../../../controller-kit/src/files/unless-missing.ts";

/** What a world keeps to itself while it runs. */
export interface WorldLock {
  /** First two octets of all its addresses, for instance "127.42.". */
  readonly subnet: string;
  release(): Promise<void>;
}

/** Octets that worlds choose from. */
const OCTETS = { first: 20, last: 250 } as const;
/** A world shows that a subnet is taken by listening here, on the first address of the subnet. */
const LOCK_PORT = 6442;

/**
 * Takes `dir` and a subnet for one world; `kept` is the subnet that the folder's addresses are of already.
 * WORLD_IN_USE, WORLD_SUBNET_TAKEN or WORLD_NO_LOOPBACK when that cannot be.
 */
export async function lockWorld(dir: string, kept: string | undefined): Promise<WorldLock> {
  await mkdir(dir, { recursive: true, mode: 0o700 });
  const path = join(dir, "lock");
  await takeFolder(dir, path);
  try {
    const { subnet, server } = await takeSubnet(dir, kept);
    return {
      subnet,
      release: async () => {
        await new Promise((resolve) => server.close(resolve));
        await rm(path, { force: true });
      },
    };
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  }
}

async function takeFolder(dir: string, path: string): Promise<void> {
  if (await createLockFile(path)) return;
  const pid = Number(await unlessMissing(readFile(path, "utf8"))); // released between the two calls
  if (pid > 0 && (await isSameProcess(pid, (await stat(path)).mtimeMs, "at or before"))) {
    throw new Fault(faults.worldInUse, `a world runs in ${dir} already, as process ${pid}`, { dir, pid });
  }
  await rm(path, { force: true });
  if (!(await createLockFile(path)))
    throw new Fault(faults.worldInUse, `another world starts in ${dir} at this moment`, { dir });
}

/** False when the file exists already. */
async function createLockFile(path: string): Promise<boolean> {
  try {
    await writeFile(path, String(process.pid), { flag: "wx", mode: 0o600 });
    return true;
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    throw error;
  }
}

async function takeSubnet(dir: string, kept: string | undefined): Promise<{ subnet: string; server: Server }> {
  for (const subnet of kept === undefined ? candidates(dir) : [kept]) {
    const server = await listenOn(`${subnet}0.1`);
    if (server !== undefined) return { subnet, server };
  }
  if (kept === undefined) throw new Fault(faults.subnetTaken, "every subnet from 127.20 to 127.250 is used by a world");
  throw new Fault(
    faults.subnetTaken,
    `subnet ${kept}0.0/16, whose addresses the objects in ${dir} have, is used by another world`,
    { subnet: kept },
  );
}

/** All subnets, beginning with one that depends on the folder, so that the worlds of two folders seldom meet. */
function candidates(dir: string): string[] {
  const count = OCTETS.last - OCTETS.first + 1;
  const start = [...dir].reduce((hash, letter) => (hash * 31 + (letter.codePointAt(0) ?? 0)) % count, 7);
  return Array.from({ length: count }, (_, n) => `127.${OCTETS.first + ((start + n) % count)}.`);
}

async function listenOn(host: string): Promise<Server | undefined> {
  const server = createServer((socket) => socket.destroy());
  try {
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen(LOCK_PORT, host, resolve);
    });
    server.unref();
    return server;
  } catch (error) {
    if (codeOf(error) === "EADDRINUSE") return undefined;
    throw new Fault(faults.noLoopback, `cannot listen on ${host}: ${codeOf(error)}`, { host }, error);
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}
