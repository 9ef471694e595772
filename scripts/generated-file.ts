/** A file that is made from the sources and checked in all the same. */
export interface GeneratedFile {
  /** Relative to the root of the project. */
  readonly path: string;
  readonly text: string;
}
