/** What a site is told when it begins. */
export interface SiteOptions {
  /** Who numbers its operations: see `originOf`. */
  readonly origin: number;
  /** All sites, this one included. */
  readonly sites: readonly number[];
  /** A text that no earlier process of this site had, so that marks that it left in the stream are not taken for new ones. */
  readonly life: string;
  readonly limits: SiteLimits;
}

/** How much a site keeps and sends at once. */
export interface SiteLimits {
  /** Bytes of operations that are kept for other sites. One that lacks more gets a summary. */
  readonly keptBytes: number;
  /** Bytes of operations that wait for one that they follow. */
  readonly earlyBytes: number;
  /** Keys in one part of a summary. */
  readonly partKeys: number;
}
