import { z } from "zod";
import { Fault, messageOf } from "#kit/base/fault";
import { fetchBounded, shownUrl } from "../../../ports/modules/https.ts";
import { faults } from "../faults.ts";

/** Longest object of a release that is taken, in bytes. */
const MOST = 1 << 20;

/** Where releases are published (§4.1), and which bundle of which one is meant. */
export interface PublishedOptions {
  /** {bundle_base_url} of the contract. */
  readonly base?: string;
  /** {releases_api_url} of the contract: the object of the latest release. */
  readonly releases?: string;
  readonly tag?: string;
  readonly variant: "kubernetes" | "openshift";
}

/** What the bundle of a platform is called where it is published. */
export function bundleFile(variant: PublishedOptions["variant"]): string {
  return variant === "openshift" ? "distro.bundle.yaml" : "bundle.yaml";
}

/** Where the bundle is: at `url`, or under the tag of its release; CLI_USAGE, CLI_NOT_FETCHED, CLI_OTHER_CONTENT. */
export async function bundleUrl(
  url: string | undefined,
  { base, releases, tag, variant }: PublishedOptions,
  trust: { readonly ca?: string },
): Promise<string> {
  if (url !== undefined && base === undefined && releases === undefined && tag === undefined) return url;
  if (url === undefined && base !== undefined && (releases === undefined) !== (tag === undefined))
    return `${base.replace(/\/$/, "")}/${tag ?? (await latestTag(releases ?? "", trust))}/${bundleFile(variant)}`;
  throw new Fault(faults.usage, "give the address of the bundle, or --base with one of --releases and --tag");
}

/** Whether a text can be the tag of a release, and a part of an address. */
export function isTag(text: string): boolean {
  return /^\w[\w.-]{0,63}$/.test(text);
}

async function latestTag(url: string, trust: { readonly ca?: string }): Promise<string> {
  const bytes = await fetchBounded({ url, ...trust }, MOST).catch((error: unknown) => {
    throw new Fault(faults.notFetched, `${shownUrl(url)} cannot be fetched: ${messageOf(error)}`, {}, error);
  });
  try {
    return latestRelease.parse(JSON.parse(bytes.toString())).tag_name;
  } catch (error) {
    throw new Fault(faults.otherContent, `${shownUrl(url)} is no object of a release: it has no tag_name`, {}, error);
  }
}

const latestRelease = z.object({ tag_name: z.string().refine(isTag) });
