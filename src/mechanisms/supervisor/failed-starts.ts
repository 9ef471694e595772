import { parseInfo, replicationView } from "../../ports/resp/info.ts";
import { cannotReadItsFiles, lastWarnings } from "./engine-log.ts";
import { putUnreadAside, removeUnread, type InstanceFiles } from "./instance-files.ts";

/**
 * How often in a row an engine has ended before it had its data, and what it said then. A primary has its data when it answers; a
 * replica when its primary has given it: one that cannot take these data answers first and ends then, at each start.
 */
export class FailedStarts {
  readonly #files: InstanceFiles;
  #count = 0;
  #lastWords = "";
  #hasData = true;

  constructor(files: InstanceFiles) {
    this.#files = files;
  }

  get count(): number {
    return this.#count;
  }

  /** The last warnings of the engine when it ended, or why it could not be started; empty before. */
  get lastWords(): string {
    return this.#lastWords;
  }

  /** Its process runs. */
  started(): void {
    this.#hasData = false;
  }

  /** It answers, and says this of its replication, as INFO has it. */
  async answered(info: string): Promise<void> {
    if (this.#hasData) return;
    const view = replicationView(parseInfo(info));
    this.#hasData = view?.role === "primary" || view?.link?.status === "up";
    if (!this.#hasData) return;
    this.#count = 0;
    await removeUnread(this.#files);
  }

  /** Its process has ended unasked. */
  ended(): void {
    if (!this.#hasData) this.#count += 1;
  }

  /** Reads what it said when it ended. A replica that could not read its files gets them anew from its primary. */
  async readLastWords(role: "primary" | "replica"): Promise<void> {
    this.#lastWords = await lastWarnings(this.#files).catch(() => ""); // the directory may be gone with the instance
    if (role === "replica" && cannotReadItsFiles(this.#lastWords)) await putUnreadAside(this.#files);
  }

  /** It could not be started. */
  failed(why: string): void {
    this.#lastWords = why;
    this.#count += 1;
  }
}
