import type { Fault } from "../../../../controller-kit/src/base/fault.ts";
import { apiErrors, apiError } from "../faults.ts";
import { decodeBody, mediaTypeOf, readBody } from "../http/body.ts";
import type { ApiCall } from "../http/call.ts";
import { isJson, type Json } from "../objects/json.ts";
import type { KubeObject } from "../objects/object.ts";
import { applyJsonPatch } from "../patch/json-patch.ts";
import { applyMergePatch } from "../patch/merge-patch.ts";
import { applyStrategicPatch } from "../patch/strategic-patch.ts";
import type { PatchOutcome } from "../patch/outcome.ts";
import type { ServerContext } from "../context/server-context.ts";
import { applyConfiguration } from "./apply.ts";
import { asObject, sameUid } from "./shape.ts";
import { changeTarget, type ResolvedTarget } from "./write.ts";

/** Carries out a PATCH; the code is 201 when a server-side apply made the object. */
export async function patch(
  context: ServerContext,
  call: ApiCall,
  resolved: ResolvedTarget,
): Promise<{ code: number; object: KubeObject }> {
  const mediaType = mediaTypeOf(call.request.headers["content-type"]);
  const body = decodeBody(await readBody(call.request), mediaType);
  if (mediaType === "application/apply-patch+yaml") return applyConfiguration(context, call, resolved, body);
  if (!patchTypes(resolved.resource).includes(mediaType)) throw unsupportedTypeError(mediaType);
  const object = await changeTarget(context, call, resolved, (live) => ({
    object: sameUid(resolved.resource, live, asObject(applyPatch(resolved, mediaType, live, body))),
    tracked: false,
  }));
  return { code: 200, object };
}

/** `live` after a JSON, merge or strategic patch; 415 for other types. */
export function applyPatch(
  { resource }: Pick<ResolvedTarget, "resource">,
  mediaType: string,
  live: Json,
  body: unknown,
): Json {
  switch (mediaType) {
    case "application/json-patch+json":
      return outcome(applyJsonPatch(live, body));
    case "application/merge-patch+json":
      return applyMergePatch(live, objectBody(body));
    case "application/strategic-merge-patch+json":
      return outcome(applyStrategicPatch(live, objectBody(body), resource.schema()));
    default:
      throw unsupportedTypeError(mediaType);
  }
}

/** Lists of a custom resource have no merge keys that a strategic patch could know. */
function patchTypes({ custom }: ResolvedTarget["resource"]): string[] {
  const plain = ["application/json-patch+json", "application/merge-patch+json"];
  return custom ? plain : [...plain, "application/strategic-merge-patch+json"];
}

function outcome(result: PatchOutcome): Json {
  if (result.kind === "patched") return { ...result.object };
  switch (result.why) {
    case "malformed":
      throw apiError(apiErrors.badRequest, result.message);
    case "unprocessable":
      throw apiError(apiErrors.invalid, result.message);
    case "tooLarge":
      throw apiError(apiErrors.tooLarge, result.message);
  }
}

function objectBody(body: unknown): Json {
  if (isJson(body)) return body;
  throw apiError(apiErrors.badRequest, "the patch is no object");
}

function unsupportedTypeError(mediaType: string): Fault {
  const supported = "application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml";
  const message = `the body of the request was in an unknown format - accepted media types include: ${supported} (not ${mediaType})`;
  return apiError(apiErrors.unsupportedMediaType, message);
}
