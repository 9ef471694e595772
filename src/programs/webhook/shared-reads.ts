/**
 * Reads by a key. Callers that ask while a read is under way share the next one, so that each gets what was read after it asked, and any number
 * of callers makes two reads.
 */
export function sharedReads<T>(read: (key: string) => Promise<T>): (key: string) => Promise<T> {
  const reads = new Map<string, Reading<T>>();
  const begin = (key: string): Promise<T> => {
    const current = read(key);
    const reading: Reading<T> = { current, next: undefined };
    reads.set(key, reading);
    const end = (): void => {
      if (reads.get(key) === reading) reads.delete(key);
    };
    current.then(end, end);
    return current;
  };
  return (key) => {
    const reading = reads.get(key);
    if (reading === undefined) return begin(key);
    const again = (): Promise<T> => begin(key);
    return (reading.next ??= reading.current.then(again, again));
  };
}

interface Reading<T> {
  readonly current: Promise<T>;
  next: Promise<T> | undefined;
}
