import { refusals, refuse, type StatusDetails } from "../faults.ts";
import { decodeBody, mediaTypeOf, readBody } from "../http/body.ts";
import type { Call } from "../http/call.ts";
import { isJson, type Json } from "../json.ts";

/** The Status of a request that was carried out and has nothing to show. */
export function success(details: StatusDetails = {}): Json {
  const about = Object.keys(details).length === 0 ? {} : { details };
  return { kind: "Status", apiVersion: "v1", metadata: {}, status: "Success", ...about };
}

/** 405 for a verb that the resource does not have. */
export function methodNotAllowed(): Error {
  return refuse(refusals.methodNotAllowed, "the server does not allow this method on the requested resource");
}

/** The object in the body of a request; 400 for anything else. */
export async function bodyOf(call: Call): Promise<Json> {
  const body = decodeBody(await readBody(call.request), mediaTypeOf(call.request.headers["content-type"]));
  if (isJson(body)) return body;
  throw refuse(refusals.badRequest, "the body is no object");
}
