/** The media type in which kubectl asks for the OpenAPI v2 document. */
export const OPENAPI_V2_PROTOBUF = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";

/**
 * The OpenAPI v2 document: its head alone, for kinds are described in version 3. kubectl falls back to it for kinds
 * that it does not find there, and gives up with another error than "no matches for kind" when there is none.
 */
export const openapiV2Document = {
  json: JSON.stringify({ swagger: "2.0", info: { title: "Kubernetes", version: "unversioned" }, paths: {} }),
  /** Fields 1 (swagger) and 2 (info: 1 title, 2 version) of openapi.v2.Document. */
  protobuf: Buffer.concat([
    field(1, Buffer.from("2.0")),
    field(2, Buffer.concat([field(1, Buffer.from("Kubernetes")), field(2, Buffer.from("unversioned"))])),
  ]),
} as const;

/** A length-delimited field; lengths here fit one byte. */
function field(number: number, content: Buffer): Buffer {
  return Buffer.concat([Buffer.from([number * 8 + 2, content.length]), content]);
}
