/** Where packages come from on this machine. */
export interface Distribution {
  readonly id: "debian" | "ubuntu";
  readonly codename: string;
  readonly mirror: string;
  readonly components: string;
  readonly keyring: string;
}

/** Both run to the end and reject when the command fails. */
export interface PrivateApt {
  get(args: readonly string[], cwd?: string): Promise<{ readonly stdout: string }>;
  cache(args: readonly string[]): Promise<{ readonly stdout: string }>;
}

export function readDistribution(): Distribution | undefined;
export function privateApt(work: string, distribution: Distribution, suites: readonly string[]): Promise<PrivateApt>;
export function hasCommand(name: string, path?: string): boolean;
