import { parseInfo, replicationView } from "../../ports/resp/info.ts";
import type { Exit } from "#kit/processes/child";
import { cannotReadItsFiles, lastWarnings } from "./engine-log.ts";
import { putUnreadAside, removeUnread, type InstanceFiles } from "./instance-files.ts";
import type { InstanceReport } from "./instance-report.ts";

/** An engine that has served for so long, in milliseconds, has ended a row of crashes. */
const CRASHES_APART_MS = 300_000;

/**
 * How often in a row an engine has ended before it had its data, and what it said then. A primary has its data when it answers; a
 * replica when its primary has given it: one that cannot take these data answers first and ends then, at each start. Counts too how
 * often it has ended soon after it had them.
 */
export class FailedStarts {
  readonly #files: InstanceFiles;
  #count = 0;
  #lastWords = "";
  #hasData = true;
  #crashes = 0;
  #endedBy = "";
  #isSilent = false;

  constructor(files: InstanceFiles) {
    this.#files = files;
  }

  /** What a node reports of it, when it has served for `servedMs` since its last start. */
  report(servedMs: number): Pick<InstanceReport, "failed_starts" | "last_words" | "crashes" | "ended_by"> {
    if (servedMs >= CRASHES_APART_MS) this.#crashes = 0;
    const said = { failed_starts: this.#count, last_words: this.#lastWords };
    return { ...said, crashes: this.#crashes, ended_by: this.#endedBy };
  }

  /** Its process runs. */
  started(): void {
    this.#hasData = false;
    this.#isSilent = false;
  }

  /** It does not answer, and its agent ends it. */
  silenced(): void {
    this.#isSilent = true;
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

  /** Its process has ended unasked, after it had served for `servedMs`. */
  ended({ code, signal }: Exit, servedMs: number): void {
    this.#endedBy = this.#isSilent ? "its agent, since it did not answer" : (signal ?? `itself, with code ${code}`);
    if (!this.#hasData) this.#count += 1;
    else this.#crashes = servedMs >= CRASHES_APART_MS ? 1 : this.#crashes + 1;
  }

  /**
   * Reads what it said when it ended; of one that a value of its file has ended before it could say anything, what ended it. A replica that could not
   * read its files gets them anew from its primary.
   */
  async readLastWords(role: "primary" | "replica"): Promise<void> {
    const words = await lastWarnings(this.#files).catch(() => ""); // the directory may be gone with the instance
    this.#lastWords = words === "" && !this.#hasData ? `it said nothing, and was ended by ${this.#endedBy}` : words;
    if (role === "replica" && cannotReadItsFiles(this.#lastWords)) await putUnreadAside(this.#files);
  }

  /** It could not be started. */
  failed(why: string): void {
    this.#lastWords = why;
    this.#count += 1;
  }
}
