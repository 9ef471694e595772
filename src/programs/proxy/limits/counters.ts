import { HOLD_BOUNDS, REQUEST_BOUNDS } from "../../../core/api/metrics/bounds.ts";
import { Histogram } from "#kit/base/histogram";
import type { EndpointCounts } from "../../../ports/management/proxy-control.ts";

/** Numbers of one endpoint that its sessions add to. */
export class Counters {
  requests = 0;
  /** Of clients, and what they were given. */
  receivedBytes = 0;
  sentBytes = 0;
  /** Replies that are errors. */
  errors = 0;
  /** Connections that were ended because a limit was passed or the outcome of a request was unknown. */
  cut = 0;
  /** Requests that were refused by one engine and sent again. */
  resent = 0;
  holdsExpired = 0;
  /** Requests and transactions over several slots, by command; a database with several shards refuses them. */
  readonly crossings = new Map<string, number>();
  /** Requests of clients of a cluster: those that they were to send to another node, and those for an engine at another node. */
  readonly ofCluster = { moved: 0, forwarded: 0 };
  /** Connections to the engine that clients have for themselves now. */
  pins = 0;
  /** Changes of primary for which clients were held, and others. */
  readonly changes = { switchovers: 0, failovers: 0 };
  /** In seconds: from when a request was sent to the engine, and from when one arrived that was held. */
  readonly answered = new Histogram(REQUEST_BOUNDS);
  readonly answeredLate = new Histogram(REQUEST_BOUNDS);
  /** In seconds: holds, and times without a primary. */
  readonly holds = new Histogram(HOLD_BOUNDS);
  readonly outages = new Histogram(HOLD_BOUNDS);

  /** Counts a whole reply if it is an error. */
  noteReply(reply: Buffer): void {
    if (reply[0] === MINUS) this.errors++;
  }

  /** Counts a request whose keys lie in several slots. */
  noteCrossing(command: string): void {
    this.crossings.set(command, (this.crossings.get(command) ?? 0) + 1);
  }

  /** What the agent is told besides. */
  get counted(): EndpointCounts {
    const { receivedBytes, sentBytes, errors, pins } = this;
    return {
      crossings: Object.fromEntries(this.crossings),
      receivedBytes,
      sentBytes,
      errors,
      pins,
      ...this.changes,
      ...this.ofCluster,
      answered: this.answered.distribution,
      answeredLate: this.answeredLate.distribution,
      holds: this.holds.distribution,
      outages: this.outages.distribution,
    };
  }
}

const MINUS = 45;
