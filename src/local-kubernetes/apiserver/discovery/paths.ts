import { apiErrors, apiError } from "../faults.ts";
import { viewOf } from "../http/accept.ts";
import { answer, writeHead, type ApiCall } from "../http/call.ts";
import type { Json } from "../objects/json.ts";
import { OPENAPI_V2_PROTOBUF, openapiV2Document } from "../openapi/version-2.ts";
import type { Registry } from "../resources/registry.ts";
import { aggregatedDiscovery } from "./aggregated.ts";
import { apiVersions, groupList, groupDiscovery, resourceList } from "./groups.ts";
import { createOpenapi } from "./openapi.ts";

/** Everything that is not a resource: discovery, documents, health, version. */
export interface DiscoveryPaths {
  /** Answers the call; 404 for a path that is none of them. */
  serve(call: ApiCall): void;
}

/** Serves the paths that tell what `registry` serves. `address` is where this server listens. */
export function createDiscovery(registry: Registry, kubernetesVersion: string, address: () => string): DiscoveryPaths {
  const openapi = createOpenapi(registry);

  const aggregate = (call: ApiCall, plain: () => Json): void => {
    const view = viewOf(call.request.headers.accept, ["APIGroupDiscoveryList"]);
    const whole = view.as === "APIGroupDiscoveryList";
    answer(
      call,
      200,
      whole
        ? aggregatedDiscovery(registry, call.path.startsWith("/api/") || call.path === "/api", view.version)
        : plain(),
      view,
    );
  };

  return {
    serve: (call) => {
      if (call.method !== "GET" && call.method !== "HEAD") {
        throw apiError(apiErrors.methodNotAllowed, `${call.path} can only be read`);
      }
      const path = call.path.replace(/\/+$/, "");
      const health = /^\/(?:healthz|livez|readyz)(?:\/.*)?$/.test(path);
      if (health) {
        sendText(call, "ok");
        return;
      }
      switch (path) {
        case "/api":
          aggregate(call, () => apiVersions(address()));
          return;
        case "/apis":
          aggregate(call, () => groupList(registry));
          return;
        case "/version":
          answer(call, 200, versionBody(kubernetesVersion));
          return;
        case "/openapi/v3":
          answer(call, 200, openapi.index());
          return;
        case "/openapi/v2":
          sendOpenapiV2(call);
          return;
        case "":
          answer(call, 200, {
            paths: ["/api", "/apis", "/healthz", "/livez", "/openapi/v2", "/openapi/v3", "/readyz", "/version"],
          });
          return;
        default:
          break;
      }
      const document = path.startsWith("/openapi/v3/")
        ? openapi.document(path.slice("/openapi/v3/".length))
        : undefined;
      if (document !== undefined) {
        writeHead(call, 200, "application/json");
        call.response.end(document);
        return;
      }
      const found = listOf(registry, path);
      if (found === undefined)
        throw apiError(apiErrors.notFound, `the server could not find the requested resource (${path})`);
      answer(call, 200, found);
    },
  };
}

function listOf(registry: Registry, path: string): Json | undefined {
  const [root, first = "", second] = path.split("/").slice(1);
  if (root === "api") return resourceList(registry, "", first);
  if (root !== "apis") return undefined;
  return second === undefined ? groupDiscovery(registry, first) : resourceList(registry, first, second);
}

function versionBody(gitVersion: string): Json {
  const [, major = "1", minor = "0"] = /^v(\d+)\.(\d+)/.exec(gitVersion) ?? [];
  return {
    major,
    minor,
    gitVersion,
    gitCommit: "",
    gitTreeState: "clean",
    buildDate: "",
    goVersion: "",
    compiler: "",
    platform: `${process.platform}/${process.arch === "x64" ? "amd64" : process.arch}`,
  };
}

function sendOpenapiV2(call: ApiCall): void {
  const binary = call.request.headers.accept?.includes("protobuf") ?? false;
  writeHead(call, 200, binary ? OPENAPI_V2_PROTOBUF : "application/json");
  call.response.end(binary ? openapiV2Document.protobuf : openapiV2Document.json);
}

function sendText(call: ApiCall, text: string): void {
  writeHead(call, 200, "text/plain; charset=utf-8");
  call.response.end(text);
}
