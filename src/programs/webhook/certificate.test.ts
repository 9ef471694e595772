import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeClock } from "#kit/testing/fake-clock";
import { until } from "#kit/testing/until";
import { LABELS } from "../../core/api/names.ts";
import { jsonLog } from "#kit/base/log";
import { createAuthority } from "#kit/pki/authority";
import { followCertificate } from "./certificate.ts";

const clock = new FakeClock();
const pair = createAuthority({ commonName: "admission", now: clock.now(), days: 100 });

for (const [whose, labels, presented] of [
  ["of the operator", {}, 1],
  ["of a cluster", { [LABELS.cluster]: "admission-tls" }, 0],
] as const)
  test(`the Secret admission-tls, when it is ${whose}, is presented ${presented} times`, async () => {
    const stop = new AbortController();
    const said: string[] = [];
    const log = jsonLog(
      (line) => void said.push(line),
      () => clock.now(),
    );
    let shown = 0;
    const present = async (): Promise<void> => void (shown += 1);
    const following = followCertificate(
      { kube: { get: reads(labels) } as never, clock, log, namespace: "team" },
      present,
      stop.signal,
    );
    await until("it has looked", () => clock.sleeping === 1);
    stop.abort();
    await following;
    assert.deepEqual([shown, said.length], [presented, 1 - presented]);
    assert.match(said.join(""), presented === 1 ? /^$/ : /another's.*StoreEnterpriseCluster admission-tls/);
  });

function reads(labels: Readonly<Record<string, string>>) {
  const texts = { cert: pair.certificate, privateKey: pair.key };
  const data = Object.entries(texts).map(([key, text]) => [key, Buffer.from(text).toString("base64")]);
  const secret = { metadata: { name: "admission-tls", resourceVersion: "1", labels }, data: Object.fromEntries(data) };
  return async (): Promise<unknown> => secret;
}
