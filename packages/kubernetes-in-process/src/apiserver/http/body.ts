import type { IncomingMessage } from "node:http";
import { parse as parseYaml } from "yaml";
import { messageOf } from "../../../../controller-kit/src/base/fault.ts";
import { apiErrors, apiError } from "../faults.ts";
import { decodeProtobuf } from "../protobuf/decode.ts";

/** The most that a request may send. */
const BODY_LIMIT = 3 * 1024 * 1024;

/** Reads the whole body; 413 beyond 3 MiB, as soon as that is known. */
export function readBody(request: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    request.on("data", (chunk: Buffer) => {
      length += chunk.length;
      // the rest is read and forgotten, so that the client can read the answer
      if (length <= BODY_LIMIT) chunks.push(chunk);
      else reject(apiError(apiErrors.tooLarge, `Request entity too large: limit is ${BODY_LIMIT}`));
      if (length > BODY_LIMIT * 8) request.destroy();
    });
    request.on("end", () => {
      resolve(Buffer.concat(chunks));
    });
    request.on("close", () => {
      if (!request.complete) reject(apiError(apiErrors.badRequest, "the body ended early"));
    });
    request.on("error", reject);
  });
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
      return parseBodyText(body, mediaType, (text) => JSON.parse(text));
    case "application/apply-patch+yaml":
    case "application/yaml":
      return parseBodyText(body, mediaType, (text) => parseYaml(text, { version: "1.1", maxAliasCount: 100 }));
    case "application/vnd.kubernetes.protobuf":
      return parseBodyText(body, mediaType, () => decodeProtobuf(body));
    default:
      throw apiError(
        apiErrors.unsupportedMediaType,
        `the body of the request was in an unknown format - accepted media types include: application/json, application/yaml (not ${mediaType})`,
      );
  }
}

function parseBodyText(body: Buffer, mediaType: string, parse: (text: string) => unknown): unknown {
  try {
    return parse(body.toString("utf8"));
  } catch (error) {
    throw apiError(apiErrors.badRequest, `the body is not valid ${mediaType}: ${messageOf(error)}`);
  }
}
