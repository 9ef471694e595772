/** The holders of the authority of a cluster: each trusts it, or shows a certificate that it signed. */
export type HoldersView =
  | { readonly kind: "able"; readonly holders: readonly Holder[] }
  /** A node knows of one authority alone. */
  | { readonly kind: "unable"; readonly why: string }
  | { readonly kind: "silent"; readonly why: string };

/** A node, a program or a Secret, with the authorities that it trusts and the one that signed its certificate; or why these are not known. */
export type Holder =
  | { readonly name: string; readonly trusts: readonly string[]; readonly shows: readonly string[] }
  | { readonly name: string; readonly why: string };

/** Names the holders that do not trust this authority, or may not trust it; empty when all do. */
export function lackingText(holders: readonly Holder[], id: string): string {
  return holdersText(holders, (holder) => (holder.trusts.includes(id) ? "" : `${holder.name} does not trust it yet`));
}

/** Names the holders that need the former authority: its certificate is shown, or the current one is not trusted; empty when none does. */
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
