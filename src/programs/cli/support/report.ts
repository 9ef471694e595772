import type { BackupStanding } from "../backup/standing.ts";
import { foldText } from "../console/output.ts";
import { preflightOf } from "../preflight/command.ts";
import { preflightTable } from "../preflight/report.ts";
import { statusReport, statusTable } from "../status/report.ts";
import type { Look } from "../access/look.ts";
import { whyTable, type WhyReport } from "../why/report.ts";
import type { Collection } from "./collect.ts";

/** What was seen of a cluster; `backups` are undefined when the caller may not read them. */
interface SupportedSight {
  readonly look: Look;
  readonly why: WhyReport;
  readonly backups: readonly BackupStanding[] | undefined;
}

/** The page that is read first: the status, what blocks, what every check says, and what is in the archive. */
export function supportReport(
  { look, why, backups }: SupportedSight,
  { files, missing }: Collection,
  at: Date,
): string {
  const title = `Support bundle of ${look.observation.namespace}/${look.observation.view.name}, ${at.toISOString()}`;
  return [
    `${title}\n${"=".repeat(title.length)}\n`,
    section("How things stand", statusTable(statusReport(look, backups))),
    section("What blocks", whyTable(why)),
    section("Every check", preflightTable(preflightOf(look), true)),
    section("What could not be looked at", missing.map((line) => foldText(line, "")).join("") || "nothing\n"),
    section("Files", files.map(({ path }) => `${path}\n`).join("")),
    section("What was taken out", foldText(WITHOUT, "")),
  ].join("\n");
}

const WITHOUT =
  "Values of Secrets wherever they appear, fields and options whose names promise a secret, keys, licences, tokens and " +
  "credentials in addresses: [redacted] stands where they were. No data of databases was read. Look through it before you " +
  "hand it on, all the same.";

function section(title: string, text: string): string {
  return `${title}\n${"-".repeat(title.length)}\n${text}`;
}
