import { messageOf } from "#kit/base/fault";
import { decodeOperation, type CodedOperation } from "../../../src/core/merge/operations/operation-codec.ts";
import { siteOf } from "../../../src/core/merge/operations/origin.ts";
import { NOTHING, type VersionVector } from "../../../src/core/merge/operations/version-vector.ts";
import type { LinkCommand } from "../../../src/ports/management/link-control.ts";
import type { Address } from "../../../src/ports/management/proxy-control.ts";
import type { LinkConnection } from "../../../src/programs/link/transport/connection.ts";
import { greet, type Greeted, type Introduction } from "../../../src/programs/link/transport/greet.ts";
import { loopbackAddress, startEngine } from "../engines/engine.ts";
import { addressOf } from "../engines/proxy.ts";
import { startLink } from "./link-process.ts";
import { ownCertificate } from "./listening.ts";

const GUID = "b0a1";
/** Why a greeting is refused for as long as it says the same. */
const REFUSALS = ["Compare the clocks of both", "begun anew"];

/** The next operation that writes something; undefined when the connection ends before. */
async function writeIn({ frames }: LinkConnection): Promise<CodedOperation | undefined> {
  for await (const { kind, body } of frames) {
    if (kind !== "operation") continue;
    const operation = decodeOperation(body);
    if (operation.effects.length > 0) return operation;
  }
  return undefined;
}

/** Site 1 with a real engine and a real link; the test is its other sites, 2 and 3. */
export async function startGreetedSite() {
  await using stack = new AsyncDisposableStack();
  const engine = stack.use(await startEngine());
  const link = stack.use(await startLink());
  const listen = { host: loopbackAddress(), port: 9444 };
  await link.configure(servedAt(addressOf(engine), listen));
  const ending = new AbortController();
  stack.defer(() => ending.abort());
  const remote = { ...ownCertificate, id: 1, name: "east", address: listen };
  const greeted = async (said: Partial<Introduction> = {}): Promise<Greeted> => {
    const from = siteOf(said.origin ?? 2);
    const introduction = { guid: GUID, from, to: 1, received: NOTHING, origin: from, ...said };
    for (;;)
      try {
        return await greet(remote, ownCertificate, introduction, ending.signal);
      } catch (error) {
        // else it has not begun to follow its engine, or the machine is slow
        if (ending.signal.aborted || REFUSALS.some((why) => messageOf(error).includes(why))) throw error;
      }
  };
  const owned = stack.move();
  return {
    engine,
    link,
    greeted,
    /** Sends the bytes until the link has logged that it ends a connection, with this reason. */
    async refuses(bytes: Buffer, why: string): Promise<void> {
      const from = link.lines.length;
      while (!link.lines.slice(from).some((line) => line.includes("has ended") && line.includes(why))) {
        const { connection } = await greeted();
        await connection.send(bytes);
        await Array.fromAsync(connection.frames, () => undefined);
        connection.destroy();
      }
    },
    /** The next write of site 1; the connection ends when this site says nothing for some seconds. */
    async nextOwn(received: VersionVector): Promise<CodedOperation> {
      for (;;) {
        const { connection } = await greeted({ received });
        const operation = await writeIn(connection);
        connection.destroy();
        if (operation !== undefined) return operation;
      }
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** What makes a link serve site 1; the others are where nobody listens, or at `others`. */
export function servedAt(
  { host, port }: Address,
  listen: Address,
  others: Address = { host: listen.host, port: 1 },
): Extract<LinkCommand, { op: "configure" }> {
  const database = {
    guid: GUID,
    bdb: 1,
    site: 1,
    sites: [2, 3].map((id) => ({ ...ownCertificate, id, name: `site-${id}`, address: others })),
    logins: [],
    confirmedBy: 0,
    awaitsSites: false,
    primary: { host, port },
    keptBytes: 1_000_000,
  };
  return { op: "configure", listen, certificate: ownCertificate, databases: [database] };
}
