import { chmod, lstat, mkdir, rm } from "node:fs/promises";
import { connect, createServer, type Server, type Socket } from "node:net";
import { once } from "node:events";
import { join } from "node:path";
import { Fault } from "#kit/base/fault";
import { faults } from "./faults.ts";

/** A folder of the agent alone, in the folder that the containers share; an engine cannot make one that belongs to another user. */
const FOLDER = "agent";
const SOCKET = "starter.socket";

/** Listens as the agent of a pod, in the folder that its containers share. */
export async function openMeetingPlace(shared: string, onConnection: (socket: Socket) => void): Promise<Server> {
  const folder = join(shared, FOLDER);
  await mkdir(folder, { recursive: true, mode: 0o755 });
  // a kubelet lets the group write all that is on a volume when a pod starts
  for (const own of [shared, folder]) await chmod(own, 0o755);
  // of an agent that ended
  await rm(join(folder, SOCKET), { force: true });
  const server = createServer(onConnection);
  within(folder, () => server.listen(SOCKET));
  await once(server, "listening");
  await chmod(join(folder, SOCKET), 0o660);
  return server;
}

/**
 * Connects to the agent; STARTER_NOT_THE_AGENT when the folder is another user's than `agentUid`, or one that others can write.
 * Rejects as well while no agent listens.
 */
export async function meetAgent(shared: string, agentUid: number | undefined): Promise<Socket> {
  const folder = join(shared, FOLDER);
  const found = await lstat(folder);
  const isOfAgent = found.isDirectory() && (agentUid === undefined || found.uid === agentUid);
  if (!isOfAgent || (found.mode & 0o022) !== 0)
    throw new Fault(faults.notTheAgent, `${folder} is of user ${found.uid}, mode ${(found.mode & 0o777).toString(8)}`);
  const socket = within(folder, () => connect(SOCKET));
  await once(socket, "connect");
  return socket;
}

/** The name of a socket may have about a hundred characters, which the folders of a local world exceed. Both calls act at once. */
function within<T>(folder: string, act: () => T): T {
  const before = process.cwd();
  process.chdir(folder);
  try {
    return act();
  } finally {
    process.chdir(before);
  }
}
