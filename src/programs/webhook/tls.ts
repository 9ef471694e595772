import { expiryOf, issue, succeedAuthority, type KeyPair } from "#kit/pki/authority";
import { purposeOf } from "#kit/pki/purpose";

/** What a server presents: its certificate with those that lead to older authorities, and its key; PEM. */
export interface Serving extends KeyPair {
  /** From then on a new one is wanted. */
  readonly renewAt: Date;
  readonly expiry: Date;
}

/** The pair of the secret `admission-tls`, one after another. */
export interface Pairs {
  /**
   * Takes another pair into use; the sentence says why not, and the one before stays. A client that trusts a pair that was in
   * use since the program started goes on trusting the server, as long as that pair was an authority.
   */
  use(pair: KeyPair, now: Date): string | undefined;
  /** Whether a client that trusts the pair in use would trust the server with `pair` too. */
  carriesTrust(pair: KeyPair, now: Date): boolean;
  /** The same again with a new certificate; undefined before the first pair. */
  serving(now: Date): Serving | undefined;
}

/** A certificate of the server lives this long, and is renewed when a third of it is left. */
const DAYS = 30;
const DAY_MS = 86_400_000;
/** Trust reaches back over so many authorities. */
const LINKS = 4;

/** Pairs for the server `hosts[0]`, also known as the other hosts. */
export function startPairs(hosts: readonly [string, ...string[]]): Pairs {
  let current: KeyPair | undefined;
  let links: readonly string[] = [];
  return {
    use(pair, now) {
      const purpose = purposeOf(pair, hosts[0], now);
      if (purpose.kind === "none") return purpose.why;
      if (current !== undefined && current.certificate !== pair.certificate) {
        links = linksFrom(current, pair, hosts[0], links, now);
      }
      current = pair;
      return undefined;
    },
    carriesTrust: (pair, now) =>
      current === undefined || (isAuthority(current, hosts[0], now) && isAuthority(pair, hosts[0], now)),
    serving(now) {
      if (current === undefined) return undefined;
      const own = isAuthority(current, hosts[0], now) ? issueServerPair(current, hosts, now) : current;
      const expiry = expiryOf(own.certificate);
      const left = expiry.getTime() - now.getTime();
      return {
        certificate: [own.certificate, ...links].join(""),
        key: own.key,
        expiry,
        renewAt: new Date(now.getTime() + Math.max(left - (DAYS / 3) * DAY_MS, left / 2)),
      };
    },
  };
}

/** Both must be authorities: a certificate that is presented itself cannot vouch, nor be vouched for. */
function linksFrom(
  before: KeyPair,
  next: KeyPair,
  host: string,
  links: readonly string[],
  now: Date,
): readonly string[] {
  if (!isAuthority(before, host, now) || !isAuthority(next, host, now)) return [];
  return [succeedAuthority(before, next.certificate, now), ...links].slice(0, LINKS);
}

function isAuthority(pair: KeyPair, host: string, now: Date): boolean {
  return purposeOf(pair, host, now).kind === "authority";
}

function issueServerPair(authority: KeyPair, hosts: readonly string[], now: Date): KeyPair {
  return issue(authority, {
    commonName: "admission",
    dnsNames: hosts,
    ipAddresses: [],
    usages: ["server"],
    now,
    days: DAYS,
  });
}
