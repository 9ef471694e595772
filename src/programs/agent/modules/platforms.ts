import { releaseByOperator } from "../../../core/releases/catalogue/find.ts";

/** What a node reports of the system that it runs on. */
export interface ReportedSystem {
  readonly operatorVersion: string;
  readonly baseSystem?: string | undefined;
}

/**
 * Platforms whose module builds a node takes, for instance `rhel9/x86_64`: its base system, and the machine. A node of release
 * 0.1.0 does not report its base system, and takes the builds for that of the official image of its release.
 */
export function nodePlatforms({ baseSystem, operatorVersion }: ReportedSystem): readonly string[] {
  const systems = baseSystem === undefined ? (releaseByOperator(operatorVersion)?.baseSystems ?? []) : [baseSystem];
  return systems.map((os) => `${os}/${MACHINE}`);
}

/** Name of this machine as module manifests have it. */
export const MACHINE = { arm64: "aarch64", x64: "x86_64" }[String(process.arch)] ?? process.arch;
