import { Subscriptions } from "../protocol/subscriptions.ts";
import { TrackingOptions } from "./tracking-options.ts";

/** What a client of several shards has asked to be sent, at all of them. */
export class ListenerState {
  readonly subscriptions = new Subscriptions();
  readonly tracking = new TrackingOptions();
  /** It is shown what the engines do, and sends nothing more. */
  isMonitoring = false;
  /** The CLIENT CACHING that is for the next request. */
  caching: Buffer | undefined;

  /** Each of its requests may go to a lane as it is, with this version of the protocol. */
  isPlain(protocol: number): boolean {
    return !this.isMonitoring && !this.tracksReads && !this.isLimited(protocol);
  }

  /** It takes nothing but the commands of subscribers, with this version of the protocol. */
  isLimited(protocol: number): boolean {
    return protocol === 2 && this.subscriptions.size > 0;
  }

  /** Engines note which keys it reads: these requests go over the connections that get the invalidations. */
  get tracksReads(): boolean {
    return this.tracking.isOn && !this.tracking.isBroadcast;
  }

  /** It has asked for something. */
  get isUsed(): boolean {
    return this.subscriptions.size > 0 || this.tracking.isOn || this.isMonitoring;
  }
}
