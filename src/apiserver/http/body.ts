import type { IncomingMessage } from "node:http";
import { parse as parseYaml } from "yaml";
import { messageOf } from "../../base/fault.ts";
import { refusals, refuse } from "../faults.ts";
import { decodeProtobuf } from "../protobuf/decode.ts";

/** The most that a request may send. */
export const BODY_LIMIT = 3 * 1024 * 1024;

/** Reads the whole body; 413 beyond 3 MiB. */
export async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request) {
    if (!Buffer.isBuffer(chunk)) continue;
    length += chunk.length;
    if (length > BODY_LIMIT) {
      throw refuse(refusals.tooLarge, `Request entity too large: limit is ${BODY_LIMIT}`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** The media type without its parameters, in lower case; JSON when the client names none. */
export function mediaTypeOf(header: string | undefined): string {
  const type = (header ?? "").split(";")[0]?.trim().toLowerCase() ?? "";
  return type === "" ? "application/json" : type;
}

/** The value in a JSON, YAML or protobuf body: 415 for other types, 400 for a body that is not what it says. */
export function decodeBody(body: Buffer, mediaType: string): unknown {
  switch (mediaType) {
    case "application/json":
    case "application/json-patch+json":
    case "application/merge-patch+json":
    case "application/strategic-merge-patch+json":
      return decoded(body, mediaType, (text) => JSON.parse(text));
    case "application/apply-patch+yaml":
    case "application/yaml":
      return decoded(body, mediaType, (text) => parseYaml(text, { version: "1.1", maxAliasCount: 100 }));
    case "application/vnd.kubernetes.protobuf":
      return decoded(body, mediaType, () => decodeProtobuf(body));
    default:
      throw refuse(
        refusals.unsupportedMediaType,
        `the body of the request was in an unknown format - accepted media types include: application/json, application/yaml (not ${mediaType})`,
      );
  }
}

function decoded(body: Buffer, mediaType: string, parse: (text: string) => unknown): unknown {
  try {
    return parse(body.toString("utf8"));
  } catch (error) {
    throw refuse(refusals.badRequest, `the body is not valid ${mediaType}: ${messageOf(error)}`);
  }
}
