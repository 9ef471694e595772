import { createHash } from "node:crypto";
import { parseAllDocuments } from "yaml";
import { RELEASE_ANNOTATION } from "../../../core/api/names.ts";
import { Fault, messageOf } from "#kit/base/fault";
import { fetchBounded, shownUrl } from "../../../ports/modules/https.ts";
import { faults } from "../faults.ts";

/** Longest bundle that is taken, in bytes; one of ours has less than a tenth of it. */
const MOST = 4 << 20;

export interface FetchedBundle {
  readonly text: string;
  readonly sha256: string;
  /** As its objects say. */
  readonly release: string;
  readonly objects: number;
}

/** Fetches a bundle and looks whether it is one, and the one that is meant; CLI_NOT_FETCHED, CLI_OTHER_CONTENT. */
export async function downloadBundle(from: {
  readonly url: string;
  readonly sha256?: string;
  readonly ca?: string;
}): Promise<FetchedBundle> {
  const bytes = await fetchBounded(from, MOST).catch((error: unknown) => {
    throw new Fault(faults.notFetched, `${shownUrl(from.url)} cannot be fetched: ${messageOf(error)}`, {}, error);
  });
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  if (from.sha256 !== undefined && from.sha256 !== sha256)
    throw new Fault(
      faults.otherContent,
      `${shownUrl(from.url)} has the sha256 ${sha256}, and ${from.sha256} is wanted`,
    );
  const text = bytes.toString();
  const releases = releasesOf(text, from.url);
  return { text, sha256, release: [...new Set(releases)].join(" and "), objects: releases.length };
}

/** The release that each object says it belongs to. */
function releasesOf(text: string, url: string): readonly string[] {
  return parseAllDocuments(text).map((document) => {
    const release: unknown = document.getIn(["metadata", "annotations", RELEASE_ANNOTATION]);
    if (document.errors.length === 0 && typeof release === "string") return release;
    throw new Fault(faults.otherContent, `${shownUrl(url)} is no bundle: an object in it does not say its release`);
  });
}
