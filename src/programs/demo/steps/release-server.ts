import { createServer } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";

/** Where a user finds releases: the shapes of {releases_api_url} and {bundle_base_url} (§4.1). */
export interface ReleaseServer {
  readonly releasesApiUrl: string;
  readonly bundleBaseUrl: string;
  close(): Promise<void>;
}

/** Serves the latest-release object and `<tag>/bundle.yaml` for the tags that `bundleOf` knows, on loopback. */
export async function startReleaseServer(
  latestTag: string,
  bundleOf: (tag: string) => string | undefined,
): Promise<ReleaseServer> {
  const server = createServer((request, response) => {
    const reply = (status: number, type: string, body: string): void => {
      response.writeHead(status, { "content-type": type }).end(body);
    };
    const path = request.url ?? "/";
    if (request.method !== "GET") return reply(405, "text/plain", "only GET\n");
    if (path === "/releases/latest") return reply(200, "application/json", JSON.stringify({ tag_name: latestTag }));
    const tag = /^\/download\/([\w.-]{1,64})\/bundle\.yaml$/.exec(path)?.[1];
    const bundle = tag === undefined ? undefined : bundleOf(tag);
    return bundle === undefined
      ? reply(404, "text/plain", "no such release\n")
      : reply(200, "application/yaml", bundle);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    releasesApiUrl: `http://127.0.0.1:${port}/releases/latest`,
    bundleBaseUrl: `http://127.0.0.1:${port}/download`,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

/** The tag of the latest release, read as a user's script does (§4.1). */
export async function latestReleaseTag(releasesApiUrl: string): Promise<string> {
  const found: unknown = await (await ask(releasesApiUrl)).json();
  if (typeof found === "object" && found !== null && "tag_name" in found && typeof found.tag_name === "string") {
    return found.tag_name;
  }
  throw new Error(`${releasesApiUrl} names no tag_name`);
}

/** The bundle file of a release. */
export async function fetchReleaseBundle(bundleBaseUrl: string, tag: string): Promise<string> {
  return (await ask(`${bundleBaseUrl}/${tag}/bundle.yaml`)).text();
}

async function ask(url: string): Promise<Response> {
  const response = await fetch(url, { signal: AbortSignal.timeout(10_000) });
  if (!response.ok) throw new Error(`GET ${url} answered ${response.status}`);
  return response;
}
