import { timestamp } from "../../../../controller-kit/src/kube/timestamp.ts";
import { signToken, DEFAULT_AUDIENCE } from "../auth/tokens.ts";
import { invalidError, apiErrors, apiError } from "../faults.ts";
import { decodeBody, mediaTypeOf, readBody } from "../http/body.ts";
import { answer, isDryRun, type ApiCall } from "../http/call.ts";
import { jsonAt, numberAt, textsAt, type Json } from "../objects/json.ts";
import type { KubeObject } from "../objects/object.ts";
import { trackUpdate } from "../patch/track-update.ts";
import type { Subresource } from "../resources/resource.ts";
import type { ServerContext } from "../context/server-context.ts";
import { evict } from "./eviction.ts";
import { jsonBody, methodNotAllowed, success } from "./exchange.ts";
import { patch, applyPatch } from "./patch.ts";
import { bindPod, refuseStream, streamLog } from "./pods.ts";
import { presentObject } from "./present.ts";
import { get } from "./read.ts";
import { withReplicas, scaleFrom, scaleOf } from "./scale.ts";
import { objectFrom } from "./shape.ts";
import { changeTarget, type ResolvedTarget } from "./write.ts";

/** Carries out a request for a subresource of an object. */
export async function serveSubresource(
  context: ServerContext,
  call: ApiCall,
  resolved: ResolvedTarget,
  name: Subresource,
): Promise<void> {
  switch (name) {
    case "status":
    case "finalize":
    case "ephemeralcontainers":
      return serveView(context, call, resolved);
    case "scale":
      return serveScale(context, call, resolved);
    case "log":
      if (resolved.target.verb !== "get") throw methodNotAllowed();
      return streamLog(context, call, await get(context, call, resolved));
    case "binding":
      return serveBinding(context, call, resolved);
    case "eviction":
      return serveEviction(context, call, resolved);
    case "token":
      return serveToken(context, call, resolved);
    case "attach":
    case "exec":
    case "portforward":
      return refuseStream(resolved.resource.plural, name);
  }
}

async function serveView(context: ServerContext, call: ApiCall, resolved: ResolvedTarget): Promise<void> {
  const { resource, target } = resolved;
  switch (target.verb) {
    case "get":
      presentObject(context, call, resource, 200, await get(context, call, resolved));
      return;
    case "update": {
      const object = objectFrom(resource, await jsonBody(call));
      presentObject(
        context,
        call,
        resource,
        200,
        await changeTarget(context, call, resolved, () => ({ object, tracked: false })),
      );
      return;
    }
    case "patch": {
      const { code, object } = await patch(context, call, resolved);
      presentObject(context, call, resource, code, object);
      return;
    }
    default:
      throw methodNotAllowed();
  }
}

async function serveScale(context: ServerContext, call: ApiCall, resolved: ResolvedTarget): Promise<void> {
  const { resource, target } = resolved;
  const whole: ResolvedTarget = { resource, target: { ...target, subresource: undefined } };
  switch (target.verb) {
    case "get":
      answer(call, 200, scaleOf(resource, await get(context, call, resolved)));
      return;
    case "update": {
      const scale = scaleFrom(await jsonBody(call));
      const object = await changeTarget(context, call, whole, (live) =>
        applyScale(context, call, resolved, live, scale),
      );
      answer(call, 200, scaleOf(resource, object));
      return;
    }
    case "patch": {
      const mediaType = mediaTypeOf(call.request.headers["content-type"]);
      const body = decodeBody(await readBody(call.request), mediaType);
      // a Scale has no lists, so a strategic patch of it is a merge patch
      const type = mediaType === "application/json-patch+json" ? mediaType : "application/merge-patch+json";
      const object = await changeTarget(context, call, whole, (live) => {
        const scale = applyPatch(resolved, type, scaleOf(resource, live), body);
        return applyScale(context, call, resolved, live, scale);
      });
      answer(call, 200, scaleOf(resource, object));
      return;
    }
    default:
      throw methodNotAllowed();
  }
}

function applyScale(
  context: ServerContext,
  call: ApiCall,
  { resource }: ResolvedTarget,
  live: KubeObject,
  scale: Json,
): { object: KubeObject; tracked: boolean } {
  const after = withReplicas(resource, live, scale);
  const manager =
    call.query.get("fieldManager") ?? (call.request.headers["user-agent"] ?? "unknown").split("/")[0] ?? "";
  const now = context.clock.now();
  const managed = trackUpdate({ before: live, after, manager, schema: resource.schema(), now, subresource: "scale" });
  after.metadata.managedFields = managed.map((entry) => ({ ...entry }));
  return { object: after, tracked: true };
}

async function serveBinding(context: ServerContext, call: ApiCall, resolved: ResolvedTarget): Promise<void> {
  if (resolved.target.verb !== "create") throw methodNotAllowed();
  const binding = await jsonBody(call);
  const { resource, target } = resolved;
  const { name = "", namespace = "" } = target;
  const key = `${namespace}/${name}`;
  await get(context, call, resolved);
  const pod = context.store.get(resource.bucket, key);
  if (pod === undefined) throw apiError(apiErrors.conflict, `the pod ${key} went away`);
  const next = bindPod(context, pod, binding);
  if (!isDryRun(call.query)) {
    const written = context.store.put(resource.bucket, key, next, pod);
    if (written === undefined) throw apiError(apiErrors.conflict, `the pod ${key} has changed`);
    await written;
  }
  answer(call, 201, success());
}

async function serveEviction(context: ServerContext, call: ApiCall, resolved: ResolvedTarget): Promise<void> {
  if (resolved.target.verb !== "create") throw methodNotAllowed();
  const eviction = await jsonBody(call);
  const pod = await get(context, call, resolved);
  await evict(context, call, { ...resolved, target: { ...resolved.target, subresource: undefined } }, pod, eviction);
  answer(call, 201, success());
}

const HOUR = 3600;

function tooShort(seconds: number): Error {
  const message = `Invalid value: ${seconds}: may not specify a duration less than 10 minutes`;
  const causes = [{ reason: "FieldValueInvalid", field: "spec.expirationSeconds", message }];
  return invalidError({ group: "authentication.k8s.io", kind: "TokenRequest" }, "", causes);
}

async function serveToken(context: ServerContext, call: ApiCall, resolved: ResolvedTarget): Promise<void> {
  if (resolved.target.verb !== "create") throw methodNotAllowed();
  const request = await jsonBody(call);
  const account = await get(context, call, resolved);
  const now = context.clock.now();
  const seconds = numberAt(request, "spec", "expirationSeconds") ?? HOUR;
  if (seconds < 600) throw tooShort(seconds);
  const asked = textsAt(request, "spec", "audiences");
  const audiences = asked.length === 0 ? [DEFAULT_AUDIENCE] : asked;
  const expires = Math.floor(now.getTime() / 1000) + seconds;
  const { name, namespace = "", uid = "" } = account.metadata;
  const token = signToken(context.tokenKey, { namespace, name, uid, audiences, expires }, now);
  const spec = { ...jsonAt(request, "spec"), audiences, expirationSeconds: seconds };
  const status = { token, expirationTimestamp: timestamp(new Date(expires * 1000)) };
  const metadata = { name, namespace, creationTimestamp: timestamp(now) };
  answer(call, 201, { kind: "TokenRequest", apiVersion: "authentication.k8s.io/v1", metadata, spec, status });
}
