import type { Release } from "../../../core/releases/catalogue/release.ts";

/** Platforms of the nodes of a release, for instance `rhel9/x86_64`: the base of its image, and the machine. */
export function nodePlatforms({ baseSystems }: Release): readonly string[] {
  return baseSystems.map((os) => `${os}/${MACHINE}`);
}

/** Name of this machine as module manifests have it. */
export const MACHINE = { arm64: "aarch64", x64: "x86_64" }[String(process.arch)] ?? process.arch;
