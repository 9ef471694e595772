import type { VersionVector } from "../operations/version-vector.ts";

/** What a site tells the others beside its operations. */
export interface SiteStatement {
  /** The sites whose operations it takes from themselves. */
  readonly sites: readonly number[];
  /** What it has received, whether or not that would outlast its process. */
  readonly received: VersionVector;
  /** What it has forgotten since every site that it knew of had applied it. */
  readonly forgotten: VersionVector;
  /** What of it would outlast a power cut, or is kept no more surely than memory; absent from links of releases before 0.5.0. */
  readonly durable?: VersionVector | undefined;
}
