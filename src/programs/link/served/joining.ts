import type { Clock } from "#kit/base/clock";
import { Fault, messageOf } from "#kit/base/fault";
import type { Log } from "#kit/base/log";
import { laterOrigin, originOf } from "../../../core/merge/operations/origin.ts";
import { NOTHING } from "../../../core/merge/operations/version-vector.ts";
import type { SiteEngine } from "../../../mechanisms/site/operations/connect-site.ts";
import { takeAll } from "../../../mechanisms/site/transfer/take-all.ts";
import { emptyTransfer } from "../../../mechanisms/site/transfer/transfer.ts";
import type { LinkCertificate, LinkedDatabase, LinkedSite } from "../../../ports/management/link-control.ts";
import { faults } from "../faults.ts";
import { greet, type Greeted, type Introduction } from "../transport/greet.ts";
import { commonFormat, encodeGreeting, encodeTransfer } from "../transport/messages.ts";
import { receiveTransfer } from "../transport/transfer-frames.ts";
import type { Visitor } from "../transport/listener.ts";

export interface JoiningOptions extends SiteEngine {
  readonly database: LinkedDatabase;
  readonly own: () => LinkCertificate;
  readonly clock: Clock;
  readonly log: Log;
  /** Every other site has answered, and the data is on its way. */
  readonly onTake: () => void;
}

/**
 * Fills the engine of a site that has nothing with what another one has, after every other one has said what it knows of the site: its
 * numbers are then new to all. LINK_CANNOT_JOIN while one does not answer.
 */
export async function join(options: JoiningOptions): Promise<void> {
  const { database, log, signal } = options;
  const asked = await Promise.allSettled(database.sites.map((site) => ask(options, site)));
  const answers = asked.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
  try {
    const missing = asked.flatMap((one, index) =>
      one.status === "rejected" ? [`${database.sites[index]?.name ?? ""}: ${messageOf(one.reason)}`] : [],
    );
    if (missing.length > 0)
      throw new Fault(faults.cannotJoin, `This site waits for the data of the other sites. ${missing.join(" ")}`);
    const origin = laterOrigin(
      database.site,
      answers.map(({ greeting }) => greeting.received),
    );
    const giver = answers.find(({ greeting }) => greeting.joining !== true && greeting.incomplete !== true);
    if (giver === undefined && answers.some(({ greeting }) => greeting.incomplete === true))
      throw new Fault(faults.cannotJoin, "No other site has captured yet all that it holds.");
    for (const other of answers) if (other !== giver) other.connection.destroy();
    log.info("the data of another site is taken", { from: giver?.greeting.from, origin });
    signal.throwIfAborted();
    options.onTake();
    await takeAll(options, origin, giver === undefined ? emptyTransfer() : await requestTransfer(giver, origin));
    log.info("the data of another site is here", { from: giver?.greeting.from });
  } finally {
    for (const { connection } of answers) connection.destroy();
  }
}

/** Tells a site that has nothing either, or looks for one to compare with, that there is nothing here; LINK_NOT_HERE to any other one. */
export function answerWhileJoining({ connection, greeting }: Visitor, { guid, site }: LinkedDatabase): void {
  if (greeting.joining !== true && greeting.comparing !== true)
    throw new Fault(faults.notHere, "This site gets the data of the other sites.");
  connection.end(
    encodeGreeting({ ...emptyIntroduction(guid, site, greeting.from), formats: [commonFormat(greeting)] }),
  );
}

function ask({ database, own, signal }: JoiningOptions, site: LinkedSite): Promise<Greeted> {
  return greet(site, own(), emptyIntroduction(database.guid, database.site, site.id), signal);
}

async function requestTransfer({ connection }: Greeted, origin: number) {
  await connection.send(encodeTransfer(origin));
  return receiveTransfer(connection.frames);
}

function emptyIntroduction(guid: string, from: number, to: number): Introduction {
  return { guid, from, to, received: NOTHING, origin: originOf(from, 0), joining: true };
}
