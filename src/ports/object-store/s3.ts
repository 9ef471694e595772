import { Readable } from "node:stream";
import {
  AbortMultipartUploadCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  ListMultipartUploadsCommand,
  paginateListObjectsV2,
  PutObjectCommand,
  S3Client,
} from "@aws-sdk/client-s3";
import { Fault, isFault, messageOf } from "#kit/base/fault";
import type { ObjectStoreAccess } from "../../core/backup/object-store-access.ts";
import { storeTrouble, type StoreFailure } from "../../core/backup/store-trouble.ts";
import { faults } from "./faults.ts";
import { uploadObject, type UploadOptions } from "./upload.ts";

/**
 * A bucket of an object store that speaks the protocol of S3. What it does not do is a fault of `faults`, with the answer in its message; credentials
 * are in none.
 */
export class ObjectStore {
  readonly #client: S3Client;
  readonly #bucket: string;
  readonly #where: string;

  /** `silenceMs`: a request that says nothing for so long has failed. */
  constructor(access: ObjectStoreAccess, silenceMs = SILENCE_MS) {
    const { bucket, region, endpoint, pathStyle, caCertificate: ca } = access;
    this.#bucket = bucket;
    this.#where = `bucket ${bucket}${endpoint === undefined ? "" : ` at ${endpoint}`}`;
    this.#client = new S3Client({
      region,
      ...(endpoint === undefined ? {} : { endpoint }),
      forcePathStyle: pathStyle,
      credentials: credentialsIn(access),
      maxAttempts: ATTEMPTS,
      // what a manifest says of its files is compared by whoever reads them
      responseChecksumValidation: "WHEN_REQUIRED",
      requestHandler: {
        connectionTimeout: CONNECT_MS,
        requestTimeout: silenceMs,
        socketTimeout: silenceMs,
        throwOnRequestTimeout: true,
        ...(ca === undefined ? {} : { httpsAgent: { ca } }),
      },
    });
    refusePages(this.#client, this.#where);
  }

  /**
   * Writes an object whose length is not known before, in parts whose SHA-256 the store compares. It is there when it is whole, and never before; when
   * `content` throws, nothing of it stays.
   */
  async write(key: string, content: AsyncIterable<Uint8Array>, options: UploadOptions): Promise<void> {
    const name = { Bucket: this.#bucket, Key: key };
    await this.#ask(`write ${key}`, () => uploadObject(this.#client, name, content, options));
  }

  /** Writes an object that is not there yet; OBJECT_STORE_EXISTS when it is. */
  async writeNew(key: string, text: string): Promise<void> {
    const object = {
      Bucket: this.#bucket,
      Key: key,
      Body: text,
      ChecksumAlgorithm: "SHA256",
      IfNoneMatch: "*",
    } as const;
    await this.#ask(`write ${key}`, () => this.#client.send(new PutObjectCommand(object)));
  }

  /** The text of an object of at most so many bytes; undefined when it is not there. */
  async read(key: string, most: number): Promise<string | undefined> {
    try {
      return await this.#ask(`read ${key}`, async () => {
        const { Body: body, ContentLength: length = 0 } = await this.#client.send(
          new GetObjectCommand({ Bucket: this.#bucket, Key: key }),
        );
        if (length <= most) return await body?.transformToString();
        throw new Fault(faults.tooLong, `${key} in ${this.#where} has ${length} bytes, and ${most} at most are read.`);
      });
    } catch (error) {
      if (isFault(error, faults.missing)) return undefined;
      throw error;
    }
  }

  /** The content of an object as it comes; OBJECT_STORE_MISSING when it is not there. */
  async *pieces(key: string): AsyncGenerator<Uint8Array> {
    const what = `read ${key}`;
    const { Body: body } = await this.#ask(what, () =>
      this.#client.send(new GetObjectCommand({ Bucket: this.#bucket, Key: key })),
    );
    if (!(body instanceof Readable))
      throw new Fault(faults.other, `Cannot ${what} in ${this.#where}: it has no content.`);
    const content = body[Symbol.asyncIterator]();
    try {
      for (;;) {
        const next: IteratorResult<Uint8Array, unknown> = await this.#ask(what, () => content.next());
        if (next.done === true) return;
        yield next.value;
      }
    } finally {
      body.destroy();
    }
  }

  /** The names of all objects that begin with `prefix`. */
  async list(prefix: string): Promise<readonly string[]> {
    return this.#ask(`list ${prefix}`, async () => {
      const keys: string[] = [];
      const pages = paginateListObjectsV2({ client: this.#client }, { Bucket: this.#bucket, Prefix: prefix });
      for await (const { Contents: objects = [] } of pages)
        for (const { Key: key } of objects) if (key !== undefined) keys.push(key);
      return keys;
    });
  }

  /** Removes these objects; one that is not there is no failure. */
  async remove(keys: readonly string[]): Promise<void> {
    for (let at = 0; at < keys.length; at += MOST_REMOVED) {
      const objects = keys.slice(at, at + MOST_REMOVED).map((key) => ({ Key: key }));
      const { Errors: [error] = [] } = await this.#ask("remove objects", () =>
        this.#client.send(
          new DeleteObjectsCommand({ Bucket: this.#bucket, Delete: { Objects: objects, Quiet: true } }),
        ),
      );
      if (error === undefined) continue;
      const { Code: name = "", Key: key = "", Message: message = "" } = error;
      throw this.#fault(`remove ${key}`, { name }, message);
    }
  }

  /** Ends the uploads below `prefix` of objects that `isMeant` accepts, which were begun and not ended: until then what they have sent takes room. */
  async endUploads(prefix: string, isMeant: (key: string) => boolean): Promise<void> {
    await this.#ask(`end unfinished uploads below ${prefix}`, async () => {
      const { Uploads: uploads = [] } = await this.#client.send(
        new ListMultipartUploadsCommand({ Bucket: this.#bucket, Prefix: prefix }),
      );
      for (const { Key: key, UploadId: id } of uploads.filter((upload) => isMeant(upload.Key ?? "")))
        await this.#client.send(new AbortMultipartUploadCommand({ Bucket: this.#bucket, Key: key, UploadId: id }));
    });
  }

  close(): void {
    this.#client.destroy();
  }

  async #ask<T>(what: string, request: () => Promise<T>): Promise<T> {
    try {
      return await request();
    } catch (error) {
      // what is written comes from somewhere: that it ends is no fault of the store
      if (error instanceof Fault) throw error;
      throw this.#fault(what, failureIn(error), messageOf(error));
    }
  }

  #fault(what: string, failure: StoreFailure, message: string): Fault {
    const said = [failure.name, failure.code, message].filter((part) => part !== undefined && part !== "").join(": ");
    return new Fault(faults[storeTrouble(failure)], `Cannot ${what} in ${this.#where}: ${said.slice(0, MOST_SAID)}`);
  }
}

function credentialsIn({ accessKeyId, secretAccessKey, sessionToken }: ObjectStoreAccess) {
  return { accessKeyId, secretAccessKey, ...(sessionToken === undefined ? {} : { sessionToken }) };
}

/** A proxy on the way may answer in the place of the store, with a page and the status 200: that is no answer, whatever was asked, and passes. */
function refusePages({ middlewareStack }: S3Client, where: string): void {
  middlewareStack.add(
    (next) => async (sent) => {
      const answered = await next(sent);
      const { statusCode = 0, headers = {}, body } = answered.response as Partial<HttpAnswer>; // as all answers of this client
      const type = headers["content-type"] ?? "";
      if (statusCode >= 300 || !/^text\/html\b/i.test(type)) return answered;
      if (body instanceof Readable) body.destroy();
      throw new Fault(faults.noStore, `What answers for ${where} is no object store: it sends a page, ${type}.`);
    },
    // beside the connection: before the answer is read as one of the store
    { step: "deserialize", priority: "low", name: "refusePages" },
  );
}

interface HttpAnswer {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** What errors of the library have: a name, the answer's status, the code of the system. */
function failureIn(error: unknown): StoreFailure {
  if (!(error instanceof Error)) return { name: "" };
  const metadata: unknown = Reflect.get(error, "$metadata");
  const status: unknown =
    typeof metadata === "object" && metadata !== null ? Reflect.get(metadata, "httpStatusCode") : 0;
  const code: unknown = Reflect.get(error, "code");
  return {
    name: error.name,
    ...(typeof status === "number" && status > 0 ? { status } : {}),
    ...(typeof code === "string" ? { code } : {}),
  };
}

const ATTEMPTS = 3;
const CONNECT_MS = 10_000;
const SILENCE_MS = 60_000;
const MOST_REMOVED = 1_000;
const MOST_SAID = 400;
