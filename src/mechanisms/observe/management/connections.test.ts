import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeClock } from "#kit/testing/fake-clock";
import { CLUSTERS_ANNOTATION, CREDENTIALS_ANNOTATION, LABELS } from "../../../core/api/names.ts";
import { openConnections } from "./connections.ts";

const REC = { name: "rec", namespace: "team" };

interface Kept {
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly texts: Readonly<Record<string, string>>;
}

const tls: Kept = { labels: { [LABELS.cluster]: "rec" }, texts: { "ca.crt": "an authority" } };
const login: Kept = { texts: { username: "admin@rec", password: "of-rec" } };
const used = { [CREDENTIALS_ANNOTATION]: "former" };
const given = { [CLUSTERS_ANNOTATION]: "rec" };

const cases: readonly {
  readonly rule: string;
  readonly secrets: Readonly<Record<string, Kept>>;
  readonly named?: string;
  /** Absent: it is connected. */
  readonly refused?: RegExp;
}[] = [
  { rule: "the login of the cluster itself is used", secrets: { "rec-node-tls": tls, rec: login } },
  {
    rule: "certificates of another cluster are not trusted",
    secrets: { "rec-node-tls": { ...tls, labels: { [LABELS.cluster]: "rec-node" } }, rec: login },
    refused: /^secret rec-node-tls belongs to StoreEnterpriseCluster rec-node, /,
  },
  {
    rule: "the login of another is sent to no node",
    secrets: { "rec-node-tls": tls, mine: { ...login, labels: { [LABELS.database]: "orders" } } },
    named: "mine",
    refused: /^secret mine belongs to StoreEnterpriseDatabase orders, /,
  },
  {
    rule: "a Secret that was in use when a release began that asks for marks is used",
    secrets: { "rec-node-tls": tls, mine: login },
    named: "mine",
  },
  {
    rule: "another one is used only once its owner has given it",
    secrets: { "rec-node-tls": { ...tls, annotations: used }, mine: login },
    named: "mine",
    refused: /has not given the Secret "mine" for this.*kubectl annotate secret mine/,
  },
  {
    rule: "one that was given is used",
    secrets: { "rec-node-tls": { ...tls, annotations: used }, mine: { ...login, annotations: given } },
    named: "mine",
  },
];

for (const { rule, secrets, named = "rec", refused } of cases) {
  test(`connections to clusters: ${rule}`, async () => {
    const connections = openConnections({ get: reads(secrets) } as never, new FakeClock());
    const connection = await connections.to(REC, named);
    await connections.close();
    if (refused === undefined) assert.equal(typeof connection, "object", String(connection));
    else assert.match(String(connection), refused);
  });
}

function reads(secrets: Readonly<Record<string, Kept>>) {
  return async (_: unknown, { name }: { readonly name: string }): Promise<unknown> => {
    const found = secrets[name];
    if (found === undefined) return undefined;
    const { labels, annotations, texts } = found;
    const data = Object.entries(texts).map(([key, text]) => [key, Buffer.from(text).toString("base64")]);
    return { metadata: { name, namespace: "team", labels, annotations }, data: Object.fromEntries(data) };
  };
}
