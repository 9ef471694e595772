/** The number under which a node keeps an engine that loads a file to show that it can be loaded: no database has it, and no record names it. */
export const THROW_AWAY_BDB = 0;

/** What an engine says of a file that it has loaded. */
export interface LoadedFile {
  /** Keys that it holds. */
  readonly keys: number;
  /** Keys of the file that have expired since. */
  readonly expired: number;
  /** Over all that it holds, 40 hexadecimal digits. */
  readonly digest: string;
}
