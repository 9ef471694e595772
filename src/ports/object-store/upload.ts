import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  PutObjectCommand,
  UploadPartCommand,
  type CompletedPart,
  type S3Client,
} from "@aws-sdk/client-s3";

/** How an object is written out of a stream. */
export interface UploadOptions {
  readonly partBytes: number;
  readonly partsAtOnce: number;
}

/** Where an object is to be. */
interface ObjectName {
  readonly Bucket: string;
  readonly Key: string;
}

/**
 * Writes an object whose length is not known before, in parts whose SHA-256 the store compares; one that fits into a part is written at once. It takes the
 * memory of the parts that are on their way and of one more, and what comes is copied into that at once: pieces that wait for their part would
 * outlive collections, and take memory several times over when the process gets little of the processor. Rejects with the first failure, and then
 * nothing of it stays.
 */
export async function uploadObject(
  client: S3Client,
  name: ObjectName,
  content: AsyncIterable<Uint8Array>,
  options: UploadOptions,
): Promise<void> {
  const parts = new Parts(client, name, options);
  try {
    await parts.fill(content);
    await parts.finish();
  } catch (error) {
    await parts.abandon();
    throw error;
  }
}

/** The parts of one object: what is filled is sent, while the next one is filled. */
class Parts {
  readonly #client: S3Client;
  readonly #name: ObjectName;
  readonly #options: UploadOptions;
  readonly #stop = new AbortController();
  readonly #idle: Buffer[] = [];
  readonly #sending = new Set<Promise<void>>();
  readonly #sent: CompletedPart[] = [];
  #upload: Promise<string> | undefined;
  /** What the store calls it. */
  #begun: string | undefined;
  #count = 0;
  #current: Buffer = Buffer.alloc(0);
  #filled = 0;
  #failure: { readonly error: unknown } | undefined;

  constructor(client: S3Client, name: ObjectName, options: UploadOptions) {
    this.#client = client;
    this.#name = name;
    this.#options = options;
  }

  async fill(content: AsyncIterable<Uint8Array>): Promise<void> {
    for await (const piece of content)
      for (let at = 0; at < piece.length;) {
        if (this.#filled === this.#current.length) await this.#next();
        const taken = piece.subarray(at, at + this.#current.length - this.#filled);
        this.#current.set(taken, this.#filled);
        this.#filled += taken.length;
        at += taken.length;
      }
  }

  /** Sends what is left, and makes the object. */
  async finish(): Promise<void> {
    const rest = this.#current.subarray(0, this.#filled);
    if (this.#upload === undefined) {
      const object = { ...this.#name, Body: rest, ChecksumAlgorithm: "SHA256", IfNoneMatch: "*" } as const;
      await this.#client.send(new PutObjectCommand(object));
      return;
    }
    if (rest.length > 0) this.#send(rest);
    await Promise.all(this.#sending);
    this.#requireNoFailure();
    const parts = this.#sent.toSorted((one, other) => (one.PartNumber ?? 0) - (other.PartNumber ?? 0));
    const whole = { ...this.#name, UploadId: await this.#upload, MultipartUpload: { Parts: parts }, IfNoneMatch: "*" };
    await this.#client.send(new CompleteMultipartUploadCommand(whole));
  }

  /** Ends what is on its way. What the store does not remove now, the next attempt ends. */
  async abandon(): Promise<void> {
    this.#stop.abort();
    await Promise.all(this.#sending);
    if (this.#begun === undefined) return;
    const command = new AbortMultipartUploadCommand({ ...this.#name, UploadId: this.#begun });
    await this.#client.send(command).catch(() => undefined); // why it was abandoned counts
  }

  /** Has another part to fill: the full one is sent. */
  async #next(): Promise<void> {
    if (this.#filled > 0) {
      this.#upload ??= this.#begin();
      this.#send(this.#current);
    }
    const { partBytes, partsAtOnce } = this.#options;
    while (this.#sending.size > partsAtOnce) await Promise.race(this.#sending);
    this.#requireNoFailure();
    this.#current = this.#idle.pop() ?? Buffer.allocUnsafeSlow(partBytes);
    this.#filled = 0;
  }

  #requireNoFailure(): void {
    if (this.#failure !== undefined) throw this.#failure.error;
  }

  async #begin(): Promise<string> {
    const command = new CreateMultipartUploadCommand({ ...this.#name, ChecksumAlgorithm: "SHA256" });
    const { UploadId: upload } = await this.#client.send(command);
    if (upload === undefined) throw new Error("the store has begun an upload and does not say which");
    return (this.#begun = upload);
  }

  #send(body: Buffer): void {
    const sending = this.#sendPart(++this.#count, body)
      .catch((error: unknown) => {
        this.#failure ??= { error };
      })
      .finally(() => this.#sending.delete(sending));
    this.#sending.add(sending);
  }

  async #sendPart(number: number, body: Buffer): Promise<void> {
    const of = { ...this.#name, UploadId: await this.#upload, ChecksumAlgorithm: "SHA256" } as const;
    const command = new UploadPartCommand({ ...of, PartNumber: number, Body: body });
    const { ETag: tag, ChecksumSHA256: digest } = await this.#client.send(command, { abortSignal: this.#stop.signal });
    this.#sent.push({ PartNumber: number, ETag: tag, ChecksumSHA256: digest });
    if (body.length === this.#options.partBytes) this.#idle.push(body);
  }
}
