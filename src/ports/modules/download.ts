import { Fault, messageOf } from "#kit/base/fault";
import { ARCHIVE_LIMITS } from "./entries.ts";
import { faults } from "./faults.ts";
import { fetchBounded, shownUrl, type HttpsSource } from "./https.ts";

/** Where an archive is. */
export interface ModuleSource extends HttpsSource {
  readonly credentials?: { readonly username: string; readonly password: string };
}

/**
 * Fetches an archive: TLS verified, at most `ARCHIVE_LIMITS.packed` bytes, few redirects, and credentials only for the host
 * that they were given for. MODULES_UNREACHABLE names the address, never the credentials.
 */
export async function downloadArchive(source: ModuleSource, signal?: AbortSignal): Promise<Blob> {
  const { credentials, ...rest } = source;
  try {
    const headers = credentials === undefined ? {} : basic(credentials);
    return new Blob([await fetchBounded({ ...rest, headers }, ARCHIVE_LIMITS.packed, signal)]);
  } catch (error) {
    const why = `the module archive ${shownUrl(source.url)} cannot be fetched: ${messageOf(error)}`;
    throw new Fault(faults.unreachable, why, {}, error);
  }
}

function basic({ username, password }: { readonly username: string; readonly password: string }): {
  readonly authorization: string;
} {
  return { authorization: `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}` };
}
