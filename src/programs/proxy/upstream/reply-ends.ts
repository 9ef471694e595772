/**
 * Where the whole replies end that a lane passes on together, in the memory in which they lie. Their receiver may look at them until it returns: all lanes use the
 * same memory, in turn.
 */
export const REPLY_ENDS = new Uint32Array(4096);
