import { apiErrors, apiError, type StatusDetails } from "../faults.ts";
import { decodeBody, mediaTypeOf, readBody } from "../http/body.ts";
import type { ApiCall } from "../http/call.ts";
import { duplicateFields } from "../http/duplicate-fields.ts";
import { isJson, type Json } from "../objects/json.ts";

/** The Status of a request that was carried out and has nothing to show. */
export function success(details: StatusDetails = {}): Json {
  const about = Object.keys(details).length === 0 ? {} : { details };
  return { kind: "Status", apiVersion: "v1", metadata: {}, status: "Success", ...about };
}

/** 405 for a verb that the resource does not have. */
export function methodNotAllowed(): Error {
  return apiError(apiErrors.methodNotAllowed, "the server does not allow this method on the requested resource");
}

/** The object in the body of a request; 400 for anything else. Fields given twice are reported as `fieldValidation` asks. */
export async function jsonBody(call: ApiCall): Promise<Json> {
  const bytes = await readBody(call.request);
  const mediaType = mediaTypeOf(call.request.headers["content-type"]);
  const body = decodeBody(bytes, mediaType);
  if (!isJson(body)) throw apiError(apiErrors.badRequest, "the body is no object");
  if (mediaType === "application/json")
    reportLooseFields(call, "duplicate field", duplicateFields(bytes.toString("utf8")));
  return body;
}

/** Warns of fields that strict decoding would not take; 400 that begins with `subject` when the client wants it strict. */
export function reportLooseFields(call: ApiCall, what: string, fields: readonly string[], subject = ""): void {
  const sentences = fields.map((field) => `${what} ${JSON.stringify(field)}`);
  const asked = call.query.get("fieldValidation");
  if (sentences.length === 0 || asked === "Ignore") return;
  if (asked === "Strict") {
    throw apiError(apiErrors.badRequest, `${subject}strict decoding error: ${sentences.join(", ")}`);
  }
  for (const sentence of sentences) call.warnings.add(sentence);
}
