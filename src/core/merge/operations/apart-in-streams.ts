/**
 * The engines of an Active-Active database write UNLINK into their streams for a key whose time has come, and DEL for what they remove for another
 * reason: from their start on, since links read what came before they connected, and versions differ in what they do by themselves.
 */
export const APART_IN_STREAMS: Readonly<Record<string, string>> = {
  "lazyfree-lazy-expire": "yes",
  "lazyfree-lazy-eviction": "no",
  "lazyfree-lazy-server-del": "no",
};
