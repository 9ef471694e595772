import assert from "node:assert/strict";
import { test } from "node:test";
import { stringify } from "yaml";
import { loadKubeConfig } from "./config.ts";

const base64 = (text: string): string => Buffer.from(text).toString("base64");
const kubeconfig = {
  "current-context": "here",
  contexts: [{ name: "here", context: { cluster: "c", user: "u", namespace: "ns" } }],
  clusters: [{ name: "c", cluster: { server: "https://127.0.0.1:6443", "certificate-authority-data": base64("CA") } }],
  users: [{ name: "u", user: { "client-certificate-data": base64("CERT"), "client-key": "keys/me.key" } }],
};

function files(known: Record<string, string>): (path: string) => string {
  return (path) => {
    const content = known[path];
    if (content === undefined) throw new Error(`ENOENT ${path}`);
    return content;
  };
}

test("a kubeconfig gives server, authority, client certificate and namespace, files beside it", () => {
  const read = files({ "/home/me/config": stringify(kubeconfig), "/home/me/keys/me.key": "KEY" });
  assert.deepEqual(loadKubeConfig({ KUBECONFIG: "/home/me/config" }, read), {
    server: "https://127.0.0.1:6443",
    ca: "CA",
    clientCertificate: { certificate: "CERT", key: "KEY" },
    namespace: "ns",
  });
});

test("of several kubeconfigs the first with a name wins", () => {
  const other = {
    "current-context": "there",
    contexts: null,
    clusters: [{ name: "c", cluster: { server: "https://other" } }],
  };
  const read = files({ "/a": stringify(other), "/b": stringify(kubeconfig), "/keys/me.key": "KEY" });
  assert.throws(() => loadKubeConfig({ KUBECONFIG: "/a:/b" }, read), {
    code: "KUBE_BAD_CONFIG",
    message: /no context "there", only: here/,
  });
  assert.equal(loadKubeConfig({ KUBECONFIG: "/b:/a" }, read).server, "https://127.0.0.1:6443");
});

test("a token file is read again for each request", () => {
  const users = [{ name: "u", user: { tokenFile: "token" } }];
  const known = { "/config": stringify({ ...kubeconfig, users }), "/token": "one\n" };
  const { token } = loadKubeConfig({ KUBECONFIG: "/config" }, files(known));
  assert.equal(token?.(), "one");
  known["/token"] = "two";
  assert.equal(token?.(), "two");
});

test("inside a pod the service account below CONTAINER_ROOT is used", () => {
  const folder = "/pods/a/var/run/secrets/kubernetes.io/serviceaccount";
  const read = files({ [`${folder}/ca.crt`]: "CA", [`${folder}/token`]: "t\n", [`${folder}/namespace`]: "ns" });
  const env = { KUBERNETES_SERVICE_HOST: "fd00::1", KUBERNETES_SERVICE_PORT: "6443", CONTAINER_ROOT: "/pods/a" };
  const config = loadKubeConfig(env, read);
  assert.equal(config.server, "https://[fd00::1]:6443");
  assert.equal(config.token?.(), "t");
  assert.equal(config.namespace, "ns");
});

const unusable = [
  { name: "nothing set", env: {}, file: "", code: "KUBE_NO_CONFIG" },
  { name: "a service account without files", env: { KUBERNETES_SERVICE_HOST: "h" }, file: "", code: "KUBE_NO_CONFIG" },
  { name: "a file that is missing", env: { KUBECONFIG: "/nowhere" }, file: "", code: "KUBE_BAD_CONFIG" },
  { name: "a file that is no kubeconfig", env: { KUBECONFIG: "/f" }, file: "contexts: 7", code: "KUBE_BAD_CONFIG" },
  {
    name: "no current context",
    env: { KUBECONFIG: "/f" },
    file: stringify({ ...kubeconfig, "current-context": "" }),
    code: "KUBE_BAD_CONFIG",
  },
  {
    name: "a cluster without verification",
    env: { KUBECONFIG: "/f" },
    file: stringify({
      ...kubeconfig,
      clusters: [{ name: "c", cluster: { server: "https://x", "insecure-skip-tls-verify": true } }],
    }),
    code: "KUBE_BAD_CONFIG",
  },
  {
    name: "a user that needs a plugin",
    env: { KUBECONFIG: "/f" },
    file: stringify({ ...kubeconfig, users: [{ name: "u", user: { exec: { command: "aws" } } }] }),
    code: "KUBE_BAD_CONFIG",
  },
];
for (const { name, env, file, code } of unusable) {
  test(`refused: ${name}`, () => {
    assert.throws(() => loadKubeConfig(env, files({ "/f": file })), { code });
  });
}
