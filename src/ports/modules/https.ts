import { Agent, request } from "undici";
import { patientSignal } from "#kit/timing/patience";

/** Where something is fetched. */
export interface HttpsSource {
  /** `https://...`; another scheme is refused. */
  readonly url: string;
  /** Sent to the host of `url` alone. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Authority of the server's certificate, PEM; the public ones when absent. */
  readonly ca?: string;
}

const REDIRECTS = 3;
const PATIENCE_MS = 60_000;

/** Fetches at most `most` bytes: TLS verified, few redirects, within a minute. Throws an Error whose message is the reason. */
export async function fetchBounded(
  source: HttpsSource,
  most: number,
  signal?: AbortSignal,
): Promise<Buffer<ArrayBuffer>> {
  const dispatcher = new Agent({ connect: source.ca === undefined ? {} : { ca: source.ca } });
  using deadline = patientSignal(PATIENCE_MS, signal);
  try {
    return await follow(source, requireHttps(source.url), { dispatcher, signal: deadline.signal, most }, REDIRECTS);
  } finally {
    await dispatcher.destroy();
  }
}

/** An address for messages: without the credentials that it may contain. */
export function shownUrl(url: string): string {
  return URL.canParse(url) ? new URL(url).origin + new URL(url).pathname : url;
}

interface Way {
  readonly dispatcher: Agent;
  readonly signal: AbortSignal;
  readonly most: number;
}

async function follow(source: HttpsSource, at: URL, way: Way, redirects: number): Promise<Buffer<ArrayBuffer>> {
  const { dispatcher, signal, most } = way;
  const isOwnHost = at.host === new URL(source.url).host;
  const answer = await request(at, { dispatcher, signal, headers: isOwnHost ? { ...source.headers } : {} });
  if (answer.statusCode >= 300 && answer.statusCode < 400) {
    await answer.body.dump();
    const { location } = answer.headers;
    if (typeof location !== "string" || redirects === 0) throw new Error("it is redirected too often");
    return follow(source, requireHttps(new URL(location, at).href), way, redirects - 1);
  }
  if (answer.statusCode !== 200) {
    await answer.body.dump();
    throw new Error(`the server answers ${answer.statusCode}`);
  }
  return readLimited(answer.body, most);
}

async function readLimited(body: AsyncIterable<Buffer>, most: number): Promise<Buffer<ArrayBuffer>> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > most) throw new Error(`it has more than ${most} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function requireHttps(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== "https:") throw new Error(`only https:// is fetched, not ${url?.protocol ?? text}`);
  return url;
}
