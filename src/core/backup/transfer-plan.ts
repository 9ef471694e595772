/** How the files of a backup are sent. */
export interface TransferPlan {
  readonly shardsAtOnce: number;
  /** Size of the parts in which a file is sent. */
  readonly partBytes: number;
  /** Parts of a file that are on their way at once; one more is being filled. */
  readonly partsAtOnce: number;
}

/** What the parts of all files take of the memory of the process at most. */
const MOST_PART_MEMORY = 40 * 1024 * 1024;
const USUAL_PART = 5 * 1024 * 1024;
/** As many parts may a file have at most by the protocol of S3. */
const MOST_PARTS = 10_000;
/** A file is as large as the memory that its data take, seldom larger: how much room there is for that. */
const MARGIN = 1.25;

/**
 * How files of about these sizes, in bytes, are sent within the memory that there is for it: what is large has large parts and goes alone.
 * Undefined when the largest one cannot be sent.
 */
export function transferPlan(sizes: readonly number[]): TransferPlan | undefined {
  const partBytes = Math.max(USUAL_PART, Math.ceil((Math.max(0, ...sizes) * MARGIN) / MOST_PARTS));
  const parts = Math.floor(MOST_PART_MEMORY / partBytes);
  if (parts < 2) return undefined;
  const shardsAtOnce = Math.max(1, Math.min(sizes.length, Math.floor(parts / 3)));
  return { shardsAtOnce, partBytes, partsAtOnce: Math.min(3, Math.floor(parts / shardsAtOnce) - 1) };
}
