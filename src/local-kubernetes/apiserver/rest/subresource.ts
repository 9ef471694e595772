import { signToken, DEFAULT_AUDIENCE } from "../auth/tokens.ts";
import { invalid, refusals, refuse } from "../faults.ts";
import { decodeBody, mediaTypeOf, readBody } from "../http/body.ts";
import { answer, isDryRun, type Call } from "../http/call.ts";
import { jsonAt, numberAt, textsAt, type Json } from "../json.ts";
import { timestamp, type KubeObject } from "../object.ts";
import { trackUpdate } from "../patch/track-update.ts";
import type { Subresource } from "../resources/resource.ts";
import type { World } from "../world.ts";
import { evict } from "./eviction.ts";
import { bodyOf, methodNotAllowed, success } from "./exchange.ts";
import { patch, patched } from "./patch.ts";
import { bound, refuseStream, streamLog } from "./pods.ts";
import { presentObject } from "./present.ts";
import { get } from "./read.ts";
import { scaled, scaleFrom, scaleOf } from "./scale.ts";
import { objectFrom } from "./shape.ts";
import { change, type Place } from "./write.ts";

/** Carries out a request for a subresource of an object. */
export async function serveSubresource(world: World, call: Call, place: Place, name: Subresource): Promise<void> {
  switch (name) {
    case "status":
    case "finalize":
    case "ephemeralcontainers":
      return serveView(world, call, place);
    case "scale":
      return serveScale(world, call, place);
    case "log":
      if (place.target.verb !== "get") throw methodNotAllowed();
      return streamLog(world, call, await get(world, call, place));
    case "binding":
      return serveBinding(world, call, place);
    case "eviction":
      return serveEviction(world, call, place);
    case "token":
      return serveToken(world, call, place);
    case "attach":
    case "exec":
    case "portforward":
      return refuseStream(place.resource.plural, name);
  }
}

async function serveView(world: World, call: Call, place: Place): Promise<void> {
  const { resource, target } = place;
  switch (target.verb) {
    case "get":
      presentObject(world, call, resource, 200, await get(world, call, place));
      return;
    case "update": {
      const object = objectFrom(resource, await bodyOf(call));
      presentObject(world, call, resource, 200, await change(world, call, place, () => ({ object, tracked: false })));
      return;
    }
    case "patch": {
      const { code, object } = await patch(world, call, place);
      presentObject(world, call, resource, code, object);
      return;
    }
    default:
      throw methodNotAllowed();
  }
}

async function serveScale(world: World, call: Call, place: Place): Promise<void> {
  const { resource, target } = place;
  const whole: Place = { resource, target: { ...target, subresource: undefined } };
  switch (target.verb) {
    case "get":
      answer(call, 200, scaleOf(resource, await get(world, call, place)));
      return;
    case "update": {
      const scale = scaleFrom(await bodyOf(call));
      const object = await change(world, call, whole, (live) => rescaled(world, call, place, live, scale));
      answer(call, 200, scaleOf(resource, object));
      return;
    }
    case "patch": {
      const mediaType = mediaTypeOf(call.request.headers["content-type"]);
      const body = decodeBody(await readBody(call.request), mediaType);
      // a Scale has no lists, so a strategic patch of it is a merge patch
      const type = mediaType === "application/json-patch+json" ? mediaType : "application/merge-patch+json";
      const object = await change(world, call, whole, (live) => {
        const scale = patched(place, type, scaleOf(resource, live), body);
        return rescaled(world, call, place, live, scale);
      });
      answer(call, 200, scaleOf(resource, object));
      return;
    }
    default:
      throw methodNotAllowed();
  }
}

function rescaled(
  world: World,
  call: Call,
  { resource }: Place,
  live: KubeObject,
  scale: Json,
): { object: KubeObject; tracked: boolean } {
  const after = scaled(resource, live, scale);
  const manager =
    call.query.get("fieldManager") ?? (call.request.headers["user-agent"] ?? "unknown").split("/")[0] ?? "";
  const now = world.clock.now();
  const managed = trackUpdate({ before: live, after, manager, schema: resource.schema(), now, subresource: "scale" });
  after.metadata.managedFields = managed.map((entry) => ({ ...entry }));
  return { object: after, tracked: true };
}

async function serveBinding(world: World, call: Call, place: Place): Promise<void> {
  if (place.target.verb !== "create") throw methodNotAllowed();
  const binding = await bodyOf(call);
  const { resource, target } = place;
  const { name = "", namespace = "" } = target;
  const key = `${namespace}/${name}`;
  await get(world, call, place);
  const pod = world.store.get(resource.bucket, key);
  if (pod === undefined) throw refuse(refusals.conflict, `the pod ${key} went away`);
  const next = bound(world, pod, binding);
  if (!isDryRun(call.query)) {
    const written = world.store.put(resource.bucket, key, next, pod);
    if (written === undefined) throw refuse(refusals.conflict, `the pod ${key} has changed`);
    await written;
  }
  answer(call, 201, success());
}

async function serveEviction(world: World, call: Call, place: Place): Promise<void> {
  if (place.target.verb !== "create") throw methodNotAllowed();
  const eviction = await bodyOf(call);
  const pod = await get(world, call, place);
  await evict(world, call, { ...place, target: { ...place.target, subresource: undefined } }, pod, eviction);
  answer(call, 201, success());
}

const HOUR = 3600;

function tooShort(seconds: number): Error {
  const message = `Invalid value: ${seconds}: may not specify a duration less than 10 minutes`;
  const causes = [{ reason: "FieldValueInvalid", field: "spec.expirationSeconds", message }];
  return invalid({ group: "authentication.k8s.io", kind: "TokenRequest" }, "", causes);
}

async function serveToken(world: World, call: Call, place: Place): Promise<void> {
  if (place.target.verb !== "create") throw methodNotAllowed();
  const request = await bodyOf(call);
  const account = await get(world, call, place);
  const now = world.clock.now();
  const seconds = numberAt(request, "spec", "expirationSeconds") ?? HOUR;
  if (seconds < 600) throw tooShort(seconds);
  const asked = textsAt(request, "spec", "audiences");
  const audiences = asked.length === 0 ? [DEFAULT_AUDIENCE] : asked;
  const expires = Math.floor(now.getTime() / 1000) + seconds;
  const { name, namespace = "", uid = "" } = account.metadata;
  const token = signToken(world.tokenKey, { namespace, name, uid, audiences, expires }, now);
  const spec = { ...jsonAt(request, "spec"), audiences, expirationSeconds: seconds };
  const status = { token, expirationTimestamp: timestamp(new Date(expires * 1000)) };
  const metadata = { name, namespace, creationTimestamp: timestamp(now) };
  answer(call, 201, { kind: "TokenRequest", apiVersion: "authentication.k8s.io/v1", metadata, spec, status });
}
