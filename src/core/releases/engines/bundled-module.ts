/** A module that an engine brings, built in or in a package beside it; the version is its own, for instance "1.2.0". */
export interface BundledModule {
  readonly name: string;
  readonly version: string;
}

/** The names of the modules that the engine of a database version brings. */
export interface VersionModules {
  /** For instance "8.2". */
  readonly storeVersion: string;
  readonly modules: readonly string[];
}
