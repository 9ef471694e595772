/** An image of a registry, with the digest that a build takes. */
export interface PinnedBase {
  /** For instance `docker.io`. */
  readonly host: string;
  /** For instance `library/node`. */
  readonly repository: string;
  readonly tag: string;
  /** `sha256:` and the digest of the index. */
  readonly digest: string;
}

/** The bases that a Containerfile names by tag and digest. */
export function pinnedBases(containerfile: string): readonly PinnedBase[] {
  const named = containerfile.matchAll(/^FROM ([\w.-]+(?::\d+)?)\/([\w./-]+):([\w.-]+)@(sha256:[0-9a-f]{64})/gm);
  return [...named].map(([, host = "", repository = "", tag = "", digest = ""]) => ({ host, repository, tag, digest }));
}

const ACCEPTED = "application/vnd.oci.image.index.v1+json, application/vnd.docker.distribution.manifest.list.v2+json";
const PATIENCE_MS = 30_000;

/**
 * The digest that a tag has now, asked of the registry at `origin` (OCI distribution specification), with the anonymous token that
 * public registries hand out. Throws an Error when it does not say.
 */
export async function digestNow({ repository, tag }: PinnedBase, origin: string): Promise<string> {
  const url = `${origin}/v2/${repository}/manifests/${tag}`;
  const ask = (headers: Record<string, string>): Promise<Response> =>
    fetch(url, { method: "HEAD", headers: { accept: ACCEPTED, ...headers }, signal: AbortSignal.timeout(PATIENCE_MS) });
  const first = await ask({});
  const answer = first.status === 401 ? await ask({ authorization: `Bearer ${await tokenFor(first)}` }) : first;
  const digest = answer.headers.get("docker-content-digest");
  if (!answer.ok || digest === null) throw new Error(`${url} answers ${answer.status} and no digest`);
  return digest;
}

/** Where the API of a registry is; the one of Docker is elsewhere than its name says. */
export function registryOrigin(host: string): string {
  return host === "docker.io" ? "https://registry-1.docker.io" : `https://${host}`;
}

async function tokenFor(refusal: Response): Promise<string> {
  const challenge = refusal.headers.get("www-authenticate") ?? "";
  const words = new Map([...challenge.matchAll(/(\w+)="([^"]*)"/g)].map(([, name = "", value = ""]) => [name, value]));
  const realm = words.get("realm");
  if (realm === undefined) throw new Error(`${refusal.url} wants a login that it does not describe`);
  const url = new URL(realm);
  for (const name of ["service", "scope"]) url.searchParams.set(name, words.get(name) ?? "");
  const answer: unknown = await (await fetch(url, { signal: AbortSignal.timeout(PATIENCE_MS) })).json();
  const token = typeof answer === "object" && answer !== null && "token" in answer ? answer.token : undefined;
  if (typeof token !== "string") throw new Error(`${realm} hands out no token`);
  return token;
}
