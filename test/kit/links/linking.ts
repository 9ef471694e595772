import type { LinkCertificate, LinkedDatabase, LinkedSite } from "../../../src/ports/management/link-control.ts";
import type { Address } from "../../../src/ports/management/proxy-control.ts";
import { issue, type Authority } from "#kit/pki/authority";
import type { CuttableWay } from "../../../src/programs/demo/sites/way.ts";
import { authorityNamed } from "../tls/certificates.ts";
import { startLink, type LinkProcess, type ReleaseCommand } from "./link-process.ts";
import type { Ways } from "./ways.ts";

const GUID = "b0a1";

/** What the link of a site is to follow. */
export interface Followed {
  readonly id: number;
  readonly engine: Address;
  readonly confirmedBy: number;
  readonly awaitsSites: boolean;
  /** Where the engine keeps its append-only file, if the link is to read it. */
  readonly appendOnlyFolder?: string | undefined;
}

export interface LinkingOptions {
  /** Bytes of operations that are kept for a site which does not answer. */
  readonly keptBytes?: number;
  /** Sites whose certificates no other one trusts. */
  readonly strangers?: readonly number[];
  /** Sites whose links are those of a kept release: of each number, until it is taken out. */
  readonly older?: ReadonlyMap<number, ReleaseCommand>;
}

/** Plays the agents: says to links what they link. */
export class Linking {
  readonly #listening: readonly Address[];
  readonly #ways: Ways;
  readonly #strangers: readonly number[];
  readonly #keptBytes: number;
  readonly #older: ReadonlyMap<number, ReleaseCommand>;
  readonly #removed = new Set<number>();
  readonly #authority = authorityNamed("sites");
  readonly #stranger = authorityNamed("strangers");

  constructor(listening: readonly Address[], ways: Ways, options: LinkingOptions) {
    const { strangers = [], keptBytes = 33_554_432, older = new Map<number, ReleaseCommand>() } = options;
    this.#older = older;
    this.#listening = listening;
    this.#keptBytes = keptBytes;
    this.#ways = ways;
    this.#strangers = strangers;
  }

  remove(id: number): void {
    this.#removed.add(id);
  }

  async open(site: Followed): Promise<LinkProcess> {
    const link = await startLink(this.#older.get(site.id));
    await this.configure(link, site);
    return link;
  }

  /** Links of other nodes, which have no primary, where a site is reached elsewhere than at its own link. */
  async openBeside(reached: readonly Address[]): Promise<readonly LinkProcess[]> {
    const beside = reached.map((at, index) => ({ at, id: index + 1, relay: this.#listening[index] }));
    return Promise.all(
      beside
        .filter(({ at, relay }) => at !== relay)
        .map(async ({ at: listen, id, relay }) => {
          const link = await startLink();
          const { primary: _primary, ...database } = this.#databaseOf({
            id,
            engine: listen,
            confirmedBy: 0,
            awaitsSites: false,
          });
          const databases = [relay === undefined ? database : { ...database, relay }];
          await link.configure({ op: "configure", listen, certificate: certificateOf(id, this.#authority), databases });
          return link;
        }),
    );
  }

  async configure(link: LinkProcess, site: Followed): Promise<void> {
    const listen = this.#listening[site.id - 1];
    if (listen === undefined) throw new Error(`there is no site ${site.id}`);
    const certificate = certificateOf(site.id, this.#strangers.includes(site.id) ? this.#stranger : this.#authority);
    await link.configure({ op: "configure", listen, certificate, databases: [this.#databaseOf(site)] });
  }

  #databaseOf({ id, engine: { host, port }, confirmedBy, awaitsSites, appendOnlyFolder }: Followed): LinkedDatabase {
    const others = this.#listening
      .map((_, index) => index + 1)
      .filter((other) => other !== id && !this.#removed.has(other));
    return {
      guid: GUID,
      bdb: 1,
      site: id,
      logins: [],
      confirmedBy,
      awaitsSites,
      primary: { host, port },
      keptBytes: this.#keptBytes,
      ...(appendOnlyFolder === undefined ? {} : { appendOnlyFolder }),
      sites: others.map((other) => remoteSite(other, this.#ways.between(id, other), this.#authority)),
    };
  }
}

/** A site as the link of another one reaches it. */
export function remoteSite(id: number, { address }: CuttableWay, { certificate }: Authority): LinkedSite {
  return { id, name: `site-${id}`, address, serverName: nameOf(id), authorities: certificate };
}

/** What the link of a site shows. */
export function certificateOf(id: number, authority: Authority): LinkCertificate {
  const about = {
    commonName: nameOf(id),
    dnsNames: [nameOf(id)],
    ipAddresses: [],
    usages: ["server", "client"] as const,
  };
  const pair = issue(authority, { ...about, now: new Date(), days: 1 });
  return { ...pair, authorities: authority.certificate, serverName: nameOf(id) };
}

function nameOf(id: number): string {
  return `site-${id}.example`;
}
