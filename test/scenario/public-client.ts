import assert from "node:assert/strict";

/** What a client of such APIs reads of an object: members are taken as they come. */
export type Described = Readonly<Record<string, unknown>>;

/** Sends a request and gives the status and what the body says. */
export type Transport = (
  method: string,
  path: string,
  body?: object,
) => Promise<{ readonly status: number; readonly body: unknown }>;

/**
 * A client as the public description of such APIs asks for one: paths, methods and members are from there, and nothing is from
 * the types of this product. A read or a change that is not answered 200 is an error.
 */
export class PublicClient {
  readonly #send: Transport;

  constructor(send: Transport) {
    this.#send = send;
  }

  async list(path: string): Promise<readonly Described[]> {
    const found = await this.#ok("GET", path);
    assert.ok(Array.isArray(found), `${path} is no list`);
    return found.map(described);
  }

  async get(path: string): Promise<Described> {
    return described(await this.#ok("GET", path));
  }

  async change(method: "POST" | "PUT" | "DELETE", path: string, body?: object): Promise<Described> {
    return described(await this.#ok(method, path, body));
  }

  /** `error_code` and what the description says about something that is not there. */
  async refused(method: string, path: string, body?: object): Promise<string> {
    const answer = await this.#send(method, path, body);
    const { error_code, description } = described(answer.body);
    return `${answer.status} ${String(error_code)}: ${String(description)}`;
  }

  async #ok(method: string, path: string, body?: object): Promise<unknown> {
    const answer = await this.#send(method, path, body);
    assert.equal(answer.status, 200, `${method} ${path}: ${JSON.stringify(answer.body)}`);
    return answer.body;
  }
}

function described(value: unknown): Described {
  assert.ok(typeof value === "object" && value !== null && !Array.isArray(value), "no object");
  return Object.fromEntries(Object.entries(value));
}
