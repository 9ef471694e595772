import { encodeSummary } from "../../../src/core/merge/summary/summary.ts";
import type { VersionVector } from "../../../src/core/merge/operations/version-vector.ts";
import type { ModelLinks } from "./model-links.ts";
import { isLinked, type Place, type Work } from "./place.ts";

/** What sites give each other beside the operations that they have just made. */
export class Exchange {
  readonly #links: ModelLinks;
  readonly #places: readonly Place[];

  constructor(links: ModelLinks, places: readonly Place[]) {
    this.#links = links;
    this.#places = places;
  }

  /** The places at both ends. */
  ends(link: string): readonly (Place | undefined)[] {
    return link.split(">").map((id) => this.#places[Number(id) - 1]);
  }

  /** One end says what it has, and the other one sends what it keeps beyond that, operations of others as well, or a summary. */
  resend(link: string): void {
    const [from, to] = this.ends(link);
    if (this.#links.isCut(link) || !isLinked(from) || !isLinked(to) || !from.sites.includes(to.id)) return;
    const { received } = to.site;
    if (from.site.kept.reachesBack(received)) {
      this.#links.put(link, keptFor(from, received));
      return;
    }
    this.#links.hold(link);
    if (from.site.canSummarizeFor(received))
      from.work.push({ kind: "summarize", link, parts: from.site.summaryFor(received), given: [] });
  }

  /** A part of a summary; what came since follows the last one, unless that is no longer kept. */
  give(from: Place, work: Extract<Work, { kind: "summarize" | "summarized" }>): void {
    if (work.kind === "summarize") giveNext(from, work);
    else if (from.site.kept.reachesBack(work.received))
      this.#links.put(work.link, [work.parts, ...keptFor(from, work.received)]);
  }

  /** A site says what it has received, so that others need not keep it. */
  tell(place: Place): void {
    for (const link of this.#links.names) {
      const [from, to] = this.ends(link);
      if (from !== place || to?.isBeginning === true || this.#links.isCut(link) || !isLinked(place)) continue;
      const durable = place.disk?.received ?? place.site.seen;
      to?.site.participants.states(place.origin, { ...place.site.statement(), durable });
      to?.site.peerReceived(place.origin, place.site.seen);
    }
  }
}

function giveNext(from: Place, { kind, link, parts, given }: Extract<Work, { kind: "summarize" }>): void {
  const next = parts.next();
  if (next.done === true) return;
  const { received, isLast } = next.value;
  const all = [...given, encodeSummary(next.value)];
  from.work.push(isLast ? { kind: "summarized", link, parts: all, received } : { kind, link, parts, given: all });
}

function keptFor(place: Place, received: VersionVector): Uint8Array[] {
  return Array.from(place.site.kept.after(received, Infinity), ({ bytes }) => bytes);
}
