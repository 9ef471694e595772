import { Agent, request } from "undici";
import { Fault, messageOf } from "../base/fault.ts";
import { ARCHIVE_LIMITS } from "./entries.ts";
import { faults } from "./faults.ts";

/** Where an archive is. */
export interface ModuleSource {
  /** `https://…`; another scheme is refused. */
  readonly url: string;
  readonly credentials?: { readonly username: string; readonly password: string };
  /** Authority of the server's certificate, PEM; the public ones when absent. */
  readonly ca?: string;
}

const REDIRECTS = 3;
const PATIENCE_MS = 60_000;

/**
 * Fetches an archive: TLS verified, at most `ARCHIVE_LIMITS.packed` bytes, few redirects, and credentials only for the host
 * that they were given for. MODULES_UNREACHABLE names the address, never the credentials.
 */
export async function downloadArchive(source: ModuleSource, signal?: AbortSignal): Promise<Buffer> {
  const dispatcher = new Agent({ connect: source.ca === undefined ? {} : { ca: source.ca } });
  const deadline = AbortSignal.timeout(PATIENCE_MS);
  const until = signal === undefined ? deadline : AbortSignal.any([deadline, signal]);
  try {
    return await follow(source, requireHttps(source.url, source.url), dispatcher, until, REDIRECTS);
  } catch (error) {
    throw error instanceof Fault ? error : unreachable(source.url, messageOf(error));
  } finally {
    await dispatcher.destroy();
  }
}

async function follow(
  source: ModuleSource,
  at: URL,
  dispatcher: Agent,
  signal: AbortSignal,
  redirects: number,
): Promise<Buffer> {
  const isOwnHost = at.host === new URL(source.url).host;
  const headers = isOwnHost && source.credentials !== undefined ? basic(source.credentials) : {};
  const answer = await request(at, { dispatcher, signal, headers });
  if (answer.statusCode >= 300 && answer.statusCode < 400) {
    await answer.body.dump();
    const { location } = answer.headers;
    if (typeof location !== "string" || redirects === 0) throw unreachable(source.url, `it is redirected too often`);
    const next = requireHttps(new URL(location, at).href, source.url);
    return follow(source, next, dispatcher, signal, redirects - 1);
  }
  if (answer.statusCode !== 200) {
    await answer.body.dump();
    throw unreachable(source.url, `the server answers ${answer.statusCode}`);
  }
  return bounded(answer.body, source.url);
}

async function bounded(body: AsyncIterable<Buffer>, url: string): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > ARCHIVE_LIMITS.packed) throw unreachable(url, `it has more than ${ARCHIVE_LIMITS.packed} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function requireHttps(text: string, asked: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== "https:") throw unreachable(asked, `only https:// is fetched, not ${url?.protocol ?? text}`);
  return url;
}

function basic({ username, password }: { readonly username: string; readonly password: string }): {
  readonly authorization: string;
} {
  return { authorization: `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}` };
}

/** A URL may hold credentials of its own: they are not shown. */
function unreachable(url: string, why: string): Fault {
  const shown = URL.canParse(url) ? new URL(url).origin + new URL(url).pathname : url;
  return new Fault(faults.unreachable, `the module archive ${shown} cannot be fetched: ${why}`);
}
