/** What an engine lists those connections of endpoints as that carry requests of clients, but for scans. */
export const ENDPOINT_CONNECTION = "store-endpoint";

/** The same for scans, which go on at an engine that is no primary any more. */
export const SCAN_CONNECTION = "store-scan";
