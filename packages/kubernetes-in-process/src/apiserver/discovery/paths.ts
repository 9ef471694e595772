import { apiErrors, apiError } from "../faults.ts";
import { viewOf } from "../http/accept.ts";
import { answer, writeHead, type ApiCall } from "../http/call.ts";
import type { Json } from "../objects/json.ts";
import { OPENAPI_V2_PROTOBUF, openapiV2Document } from "../openapi/version-2.ts";
import type { Registry } from "../resources/registry.ts";
import { aggregatedDiscovery } from "./aggregated.ts";
import { apiVersions, groupList, groupDiscovery, resourceList } from "./groups.ts";
import { createOpenapi, type OpenapiDocuments } from "./openapi.ts";

/** Everything that is not a resource: discovery, documents, health, version. */
export interface DiscoveryPaths {
  /** Answers the call; 404 for a path that is none of them. */
  serve(call: ApiCall): void;
}

/** Serves the paths that tell what `registry` serves. `address` is where this server listens. */
export function createDiscovery(registry: Registry, kubernetesVersion: string, address: () => string): DiscoveryPaths {
  const openapi = createOpenapi(registry);
  const fixed: Readonly<Record<string, (call: ApiCall) => void>> = {
    "/api": (call) => aggregate(registry, call, () => apiVersions(address())),
    "/apis": (call) => aggregate(registry, call, () => groupList(registry)),
    "/version": (call) => answer(call, 200, versionBody(kubernetesVersion)),
    "/openapi/v3": (call) => answer(call, 200, openapi.index()),
    "/openapi/v2": sendOpenapiV2,
    "": (call) => answer(call, 200, { paths: ROOT_PATHS }),
  };
  return {
    serve: (call) => {
      if (call.method !== "GET" && call.method !== "HEAD") {
        throw apiError(apiErrors.methodNotAllowed, `${call.path} can only be read`);
      }
      const path = call.path.replace(/\/+$/, "");
      if (HEALTH.test(path)) sendText(call, "ok");
      else if (Object.hasOwn(fixed, path)) fixed[path]?.(call);
      else if (!sendDocument(call, openapi, path)) answer(call, 200, listOf(registry, path));
    },
  };
}

const HEALTH = /^\/(?:healthz|livez|readyz)(?:\/.*)?$/;
const ROOT_PATHS = ["/api", "/apis", "/healthz", "/livez", "/openapi/v2", "/openapi/v3", "/readyz", "/version"];

/** The list of groups or versions: with all resources for a client that asks for that, else the plain one. */
function aggregate(registry: Registry, call: ApiCall, plain: () => Json): void {
  const view = viewOf(call.request.headers.accept, ["APIGroupDiscoveryList"]);
  const isCore = call.path.startsWith("/api/") || call.path === "/api";
  const whole = view.as === "APIGroupDiscoveryList";
  answer(call, 200, whole ? aggregatedDiscovery(registry, isCore, view.version) : plain(), view);
}

/** False when the path is not that of an OpenAPI document. */
function sendDocument(call: ApiCall, openapi: OpenapiDocuments, path: string): boolean {
  const prefix = "/openapi/v3/";
  const document = path.startsWith(prefix) ? openapi.document(path.slice(prefix.length)) : undefined;
  if (document === undefined) return false;
  writeHead(call, 200, "application/json");
  call.response.end(document);
  return true;
}

/** 404 for a path that names no group or version. */
function listOf(registry: Registry, path: string): Json {
  const found = findList(registry, path);
  if (found !== undefined) return found;
  throw apiError(apiErrors.notFound, `the server could not find the requested resource (${path})`);
}

function findList(registry: Registry, path: string): Json | undefined {
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
