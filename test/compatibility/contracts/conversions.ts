/** A change that readers of the other release would stumble over, and what keeps them from it. */
export interface Conversion {
  /** Part of the sentences about it. */
  readonly about: string;
  /** The file that reads what an older release writes. */
  readonly by: string;
  /** What becomes of programs of the older release that read what this checkout writes. */
  readonly olderReaders: string;
}

const OPERATOR_FIRST =
  "none reads it: the operator is upgraded before the first node, and the rigger and older nodes read other fields";

/** Every one that was made on purpose. */
export const CONVERSIONS: readonly Conversion[] = [
  { about: ".shard_list[]:", by: "src/ports/management/databases.ts", olderReaders: OPERATOR_FIRST },
  { about: "answer of GET /v1/actions:", by: "src/ports/management/answer.ts", olderReaders: OPERATOR_FIRST },
];
