/**
 * What connecting to engines that are to serve may take, in milliseconds. A proxy makes several connections one after the other, an engine that is busy may
 * need a second for each TLS handshake, and no client waits meanwhile.
 */
export const PREPARING_MS = 8_000;
