import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:https";
import { test } from "node:test";
import { loopbackAddress } from "../../../../test/kit/engines/engine.ts";
import { authorityNamed, endpointCertificate } from "../../../../test/kit/tls/certificates.ts";
import { clusterNames, LABELS } from "../../../core/api/names.ts";
import type { Authority } from "#kit/pki/authority";
import { reachPeer } from "./peer-cluster.ts";

const theirs = authorityNamed("of the other site");
const NAME = clusterNames.dnsName("recb", "far");
const LOGIN = `Basic ${Buffer.from("admin@b:of-b").toString("base64")}`;

/** Who is at the host and the port that a StoreEnterpriseRemoteCluster names, and which logins get there. */
const HOSTS: readonly (readonly [who: string, authority: Authority, name: string, logins: readonly string[]])[] = [
  ["the site itself", theirs, NAME, [LOGIN]],
  ["a host with the certificate of another authority", authorityNamed("of a stranger"), NAME, []],
  ["another host with a certificate of that authority", theirs, clusterNames.dnsName("recc", "far"), []],
];

for (const [who, authority, name, wanted] of HOSTS)
  test(`apiFqdnUrl and apiPort: ${who} gets ${wanted.length === 0 ? "no login" : "the login"}`, async () => {
    await using host = await listening(authority, name);
    const remote = { name: "b", namespace: "near", spec: { recName: "recb", recNamespace: "far", ...host.place } };
    const peer = await reachPeer(
      { kube: { get: () => readsSecret() }, clock: { uptimeMs: () => 0 } },
      remote,
      undefined,
    );
    assert.ok("client" in peer);
    const answer = await peer.client.call("cluster").then(
      () => "an answer",
      () => "none",
    );
    assert.deepEqual([answer, host.logins], [wanted.length === 0 ? "none" : "an answer", wanted]);
  });

test("the Secret of a remote cluster that belongs to a cluster of the namespace is sent to no host", async () => {
  const remote = { name: "b", namespace: "near", spec: { recName: "recb", recNamespace: "far", apiFqdnUrl: "b" } };
  const labels = { [LABELS.cluster]: "store-enterprise-b" };
  const get = (): Promise<never> => readsSecret(labels);
  const peer = await reachPeer({ kube: { get }, clock: { uptimeMs: () => 0 } }, remote, undefined);
  assert.ok("evidence" in peer);
  assert.match(peer.evidence, /store-enterprise-b belongs to StoreEnterpriseCluster store-enterprise-b/);
});

const readsSecret = (labels: object = {}): Promise<never> => {
  const texts = { username: "admin@b", password: "of-b", "ca.crt": theirs.certificate };
  const data = Object.fromEntries(
    Object.entries(texts).map(([key, text]) => [key, Buffer.from(text).toString("base64")]),
  );
  return Promise.resolve({ metadata: { resourceVersion: "1", labels }, data } as never);
};

async function listening(authority: Authority, name: string) {
  const logins: string[] = [];
  const host = loopbackAddress();
  const { certificate, key } = endpointCertificate(authority, name);
  const server = createServer({ cert: certificate, key }, (request, response) => {
    logins.push(request.headers.authorization ?? "none");
    response.setHeader("content-type", "application/json").end("{}");
  });
  await once(server.listen(9443, host), "listening");
  return {
    logins,
    place: { apiFqdnUrl: host, apiPort: 9443 },
    [Symbol.asyncDispose]: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}
