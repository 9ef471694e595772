/** Who trusts the authority of a cluster, or shows what it has signed. */
export type HoldersView =
  | { readonly kind: "able"; readonly holders: readonly Holder[] }
  /** A node knows of one authority alone. */
  | { readonly kind: "unable"; readonly why: string }
  | { readonly kind: "silent"; readonly why: string };

/** A node, a program or a Secret: which authorities it trusts, and by which is what it shows; or why that is not known. */
export type Holder =
  | { readonly name: string; readonly trusts: readonly string[]; readonly shows: readonly string[] }
  | { readonly name: string; readonly why: string };

/** Which of them do not trust this authority, or are not known to; empty when all do. */
export function lackingText(holders: readonly Holder[], id: string): string {
  return holdersText(holders, (holder) => (holder.trusts.includes(id) ? "" : `${holder.name} does not trust it yet`));
}

/** Which of them keep the former authority trusted: what it has signed is shown, or the current one is not trusted; empty when none does. */
export function stillNeededText(holders: readonly Holder[], current: string, former: string): string {
  return holdersText(holders, ({ name, trusts, shows }) => {
    if (!trusts.includes(current)) return `${name} does not trust the new one`;
    return shows.includes(former) ? `${name} shows what it has signed` : "";
  });
}

type KnownHolder = Extract<Holder, { readonly trusts: readonly string[] }>;

/** Some of them: a cluster may have thousands. */
function holdersText(holders: readonly Holder[], sayOf: (holder: KnownHolder) => string): string {
  const said = holders.map((holder) => ("why" in holder ? `${holder.name}: ${holder.why}` : sayOf(holder)));
  const first = said.filter((text) => text !== "");
  const more = first.length > SHOWN ? [`and ${first.length - SHOWN} more`] : [];
  return [...first.slice(0, SHOWN), ...more].join("; ");
}

const SHOWN = 5;
