import { Busboy } from "@fastify/busboy";
import type { BusboyFileStream, BusboyHeaders, BusboyInstance } from "@fastify/busboy";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { randomUUID } from "node:crypto";
import { createWriteStream, openAsBlob } from "node:fs";
import { rm } from "node:fs/promises";
import type { IncomingMessage } from "node:http";
import type { Server } from "node:https";
import { join } from "node:path";
import { finished, pipeline } from "node:stream/promises";
import { Fault, messageOf } from "#kit/base/fault";
import { ARCHIVE_LIMITS } from "../../../../ports/modules/entries.ts";
import { refusals, refuse } from "../http/refusals.ts";

/** The one file field that a form has. */
const FIELD = "module";

/** What a form became: its file, as long as the request is being answered. */
interface Form {
  readonly [FIELD]: Blob;
}

/** Takes multipart forms and nothing else. The file of a form lies in `folder` until its request has been answered. */
export function acceptArchives(server: FastifyInstance<Server>, folder: string): void {
  const received = new WeakMap<FastifyRequest, string>();
  const forget = async (request: FastifyRequest): Promise<void> => {
    const path = received.get(request);
    if (path !== undefined) await rm(path, { force: true });
  };
  server.removeAllContentTypeParsers();
  server.addContentTypeParser("multipart/form-data", (request: FastifyRequest, payload: IncomingMessage) => {
    const path = join(folder, `${randomUUID()}.part`);
    received.set(request, path);
    return receiveForm(payload, request.headers["content-type"] ?? "", path);
  });
  server.addHook("onResponse", forget);
  server.addHook("onRequestAbort", forget);
}

async function receiveForm(payload: IncomingMessage, type: string, path: string): Promise<Form> {
  const parser = parserOf(type);
  const files: Promise<void>[] = [];
  let wrong: Fault | undefined;
  const note = (error: unknown): void => {
    wrong ??=
      error instanceof Fault
        ? error
        : refuse(refusals.badRequest, `the body is no multipart form: ${messageOf(error)}`);
  };
  parser.on("file", (name: string, file: BusboyFileStream) => {
    const isWanted = name === FIELD && files.length === 0;
    if (!isWanted) note(refuse(refusals.noModule, `the form has the file "${name}"; one file, "${FIELD}", is taken`));
    files.push((isWanted ? storeArchive(file, path) : drainFile(file)).catch(note));
  });
  parser.on("field", (name: string) => note(refuse(refusals.noModule, `the field "${name}" is no file`)));
  await pipeline(payload, parser).catch(note);
  await Promise.all(files);
  if (files.length === 0) note(refuse(refusals.noModule, `the form has no file "${FIELD}"`));
  if (wrong !== undefined) {
    await rm(path, { force: true });
    throw wrong;
  }
  return { [FIELD]: await openAsBlob(path) };
}

function parserOf(type: string): BusboyInstance {
  const headers: BusboyHeaders = { "content-type": type };
  const limits = { fileSize: ARCHIVE_LIMITS.packed, files: 2, fields: 2, fieldSize: FIELD_BYTES };
  try {
    return new Busboy({ headers, limits, isPartAFile: (_name, _type, fileName) => fileName !== undefined });
  } catch (error) {
    throw refuse(refusals.badRequest, `the body is no multipart form: ${messageOf(error)}`);
  }
}

/** So much is read of what is no file, in bytes. */
const FIELD_BYTES = 1_024;

async function storeArchive(file: BusboyFileStream, path: string): Promise<void> {
  await pipeline(file, createWriteStream(path, { mode: 0o600 }));
  if (file.truncated)
    throw refuse(refusals.bodyTooLarge, `the archive is larger than the ${ARCHIVE_LIMITS.packed} bytes that are read`);
}

async function drainFile(file: BusboyFileStream): Promise<void> {
  file.resume();
  await finished(file);
}
