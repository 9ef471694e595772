/** What is known of the user-defined modules of a cluster. */
export interface CustomModulesKnown {
  /** Names of those that databases use, however they came to the cluster. */
  readonly used: readonly string[];
  /** Names in `spec.userDefinedModules`. */
  readonly listed: readonly string[];
}

/** The modules on whose account a cluster is upgraded by hand (§2.2): automatic upgrade would replace nodes before their builds are in place. */
export function modulesAgainstAutomatic({ used, listed }: CustomModulesKnown): readonly string[] {
  return [...new Set([...used, ...listed])];
}
