/** A module that an engine brings, built in or in a package beside it; the version is its own, for instance "1.2.0". */
export interface BundledModule {
  readonly name: string;
  readonly version: string;
}
