/** Asks for a pass over the object with this key, at once or after so many milliseconds. */
export type Enqueue = (key: string, afterMs?: number) => void;
