import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Server } from "node:https";
import { messageOf } from "../../../core/base/fault.ts";
import { ARCHIVE_LIMITS } from "../../../ports/modules/entries.ts";
import { refusals, refuse } from "./refusals.ts";

/** What a form adds to the archive in it. */
const FORM_BYTES = 65_536;

/** Takes multipart forms and nothing else; a form becomes an object of its files. */
export function acceptArchives(server: FastifyInstance<Server>): void {
  server.removeAllContentTypeParsers();
  const limits = { parseAs: "buffer", bodyLimit: ARCHIVE_LIMITS.packed + FORM_BYTES } as const;
  server.addContentTypeParser(
    "multipart/form-data",
    limits,
    (request: FastifyRequest, bytes: Buffer): Promise<Readonly<Record<string, Uint8Array>>> =>
      filesOf(new Uint8Array(bytes), request.headers["content-type"] ?? ""),
  );
}

async function filesOf(bytes: Uint8Array<ArrayBuffer>, type: string): Promise<Readonly<Record<string, Uint8Array>>> {
  const form = await new Response(bytes, { headers: { "content-type": type } }).formData().catch((error: unknown) => {
    throw refuse(refusals.badRequest, `the body is no multipart form: ${messageOf(error)}`);
  });
  const parts = [...form].map(async ([name, part]): Promise<[string, Uint8Array]> => {
    if (typeof part === "string") throw refuse(refusals.noModule, `the field "${name}" is no file`);
    return [name, new Uint8Array(await part.arrayBuffer())];
  });
  return Object.fromEntries(await Promise.all(parts));
}
