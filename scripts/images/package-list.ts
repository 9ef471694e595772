/** Packages of a distribution that a layer was made from. */
export interface PackageList {
  /** For instance "debian". */
  readonly distribution: string;
  /** Where they came from, the last one first when it has a package too. */
  readonly suites: readonly string[];
  readonly versions: ReadonlyMap<string, string>;
}

/** What stands for the list of an engine that was unpacked before lists were kept. */
export const UNKNOWN_PACKAGES = "packages not written down";

/** The list as text, for the history of an image. */
export function packageText({ distribution, suites, versions }: PackageList): string {
  return `${distribution} ${suites.join(",")}: ${[...versions].map((one) => one.join("=")).join(" ")}`;
}

/** Every list in the history of an image. */
export function packageLists(history: string): readonly PackageList[] {
  return [...history.matchAll(/\b(debian|ubuntu) ([a-z][\w,-]*):((?: [a-z0-9][a-z0-9.+-]*=[^\s\]]+)+)/g)].map(
    ([, distribution = "", suites = "", packages = ""]) => ({
      distribution,
      suites: suites.split(","),
      versions: new Map(packages.trim().split(" ").map(pairOf)),
    }),
  );
}

/** A sentence for each package of which the mirror has another version now, or none. */
export function changedPackages(built: PackageList, now: ReadonlyMap<string, string>): readonly string[] {
  const place = `${built.distribution} ${built.suites.join(",")}`;
  return [...built.versions].flatMap(([name, version]) => {
    const current = now.get(name);
    if (current === version) return [];
    return [`${name} of ${place}: built with ${version}, the mirror has ${current ?? "none"}`];
  });
}

function pairOf(pair: string): [name: string, version: string] {
  const at = pair.indexOf("=");
  return [pair.slice(0, at), pair.slice(at + 1)];
}
