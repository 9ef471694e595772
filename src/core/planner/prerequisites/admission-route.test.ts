import assert from "node:assert/strict";
import { test } from "node:test";
import type { ServiceSpec } from "kubernetes-types/core/v1.js";
import type { Endpoint, EndpointPort } from "kubernetes-types/discovery/v1.js";
import { CLOSED } from "../../../../test/kit/facts/admission-routes.ts";
import { read } from "../../../../test/kit/facts/checked-cluster.ts";
import { typedLines } from "../../../../test/kit/frozen/typed-lines.ts";
import { ADMISSION_PORT } from "../../api/names.ts";
import { admissionService } from "../../releases/bundle/admission.ts";
import { admissionRoute, openingRemedy } from "./admission-route.ts";

const RIGHT = admissionService().spec;
const PORT = ADMISSION_PORT;
const ADDRESS: Endpoint = { addresses: ["10.0.0.1"] };
const LEAD =
  `kubectl patch svc admission --type json -p '[{"op":"add","path":"/spec/selector","value":{"name":"store-enterprise-operator"}},` +
  `{"op":"add","path":"/spec/ports","value":[{"name":"admission","port":443,"targetPort":8443,"protocol":"TCP"}]},` +
  `{"op":"add","path":"/spec/type","value":"ClusterIP"}]'`;

interface Case {
  readonly rule: string;
  /** What the Service says otherwise than that of the bundle; undefined when there is none. */
  readonly service?: ServiceSpec | undefined;
  readonly endpoints?: readonly Endpoint[];
  readonly ports?: readonly EndpointPort[];
  readonly counts?: number;
  readonly closed?: RegExp;
  readonly types?: string;
}

const cases: readonly Case[] = [
  { rule: "a ready address at the port of the webhook counts", counts: 1 },
  {
    rule: "an address of which nothing is known may be ready",
    endpoints: [
      { ...ADDRESS, conditions: {} },
      { ...ADDRESS, conditions: { ready: true } },
    ],
    counts: 2,
  },
  {
    rule: "an address that is not ready does not count, and its pods are looked for",
    endpoints: [{ ...ADDRESS, conditions: { ready: false } }],
    closed: /^no address is ready behind service admission$/,
    types: "kubectl get endpointslices -l kubernetes.io/service-name=admission",
  },
  {
    rule: "an address at another port does not count",
    service: { ports: [{ ...PORT, port: 443, targetPort: 9999 }] },
    ports: [{ name: "admission", port: 9999 }],
    closed: /^service admission leads port 443 to 9999, where the operator answers at 8443$/,
    types: LEAD,
  },
  {
    rule: "a Service without a target leads to its own port",
    service: { ports: [{ name: "admission", port: 443 }] },
    ports: [{ name: "admission", port: 443 }],
    closed: /leads port 443 to 443/,
    types: LEAD,
  },
  {
    rule: "the API server calls port 443 alone",
    service: { ports: [{ ...PORT, port: 8443 }] },
    closed: /^service admission has no port 443, which the API server calls \(it has 8443 -> 8443\)$/,
    types: LEAD,
  },
  {
    rule: "and by TCP",
    service: { ports: [{ ...PORT, protocol: "UDP" }] },
    closed: /has no port 443, .* \(it has 443\/UDP -> 8443\)$/,
    types: LEAD,
  },
  {
    rule: "addresses are those of the port that is called, by its name",
    service: {
      ports: [
        { ...PORT, name: "one", targetPort: 80 },
        { ...PORT, name: "two", port: 444 },
      ],
    },
    ports: [
      { name: "one", port: 80 },
      { name: "two", port: 8443 },
    ],
    closed: /leads port 443 to 80/,
    types: LEAD,
  },
  {
    rule: "a target may have the name of the port of the container",
    service: { ports: [{ ...PORT, targetPort: "admission" }] },
    counts: 1,
  },
  {
    rule: "a name that no container has leads nowhere",
    service: { ports: [{ ...PORT, targetPort: "https" }] },
    ports: [],
    closed: /leads port 443 to https/,
    types: LEAD,
  },
  {
    rule: "other pods are none of the operator",
    service: { selector: { app: "other" } },
    endpoints: [],
    closed:
      /^service admission leads to pods with app=other, where those of the operator have name=store-enterprise-operator$/,
    types: LEAD,
  },
  {
    rule: "a Service that is a name leads to no pods",
    service: { type: "ExternalName", externalName: "example.com" },
    closed: /^service admission is of type ExternalName$/,
    types: LEAD,
  },
  {
    rule: "nor does one that selects none, whatever it led to before",
    service: { selector: {} },
    closed: /^service admission leads to pods with no label, /,
    types: LEAD,
  },
  {
    rule: "a Service that is gone is made again",
    service: undefined,
    closed: /^service admission is not there$/,
    types: "kubectl apply -f deploy/admission/webhook.yaml",
  },
];

for (const { rule, endpoints = [ADDRESS], ports = [{ name: "admission", port: 8443 }], ...expected } of cases)
  test(`the way to the webhook: ${rule}`, () => {
    const isGone = "service" in expected && expected.service === undefined;
    const service = isGone ? undefined : { spec: { ...RIGHT, ...expected.service } };
    const route = admissionRoute(service, [{ endpoints: [...endpoints], ports: [...ports] }]);
    assert.equal(route.endpoints, expected.counts ?? 0);
    assert.match(route.closed, expected.closed ?? /^$/);
    if (expected.types !== undefined) assert.deepEqual(typedLines(openingRemedy(route)), [expected.types]);
  });

test("the way to the webhook: an operator that is away comes first", () => {
  const away = read({ image: "operator:8.2.0-12", ready: 0, wanted: 1 });
  assert.equal(openingRemedy(CLOSED, away), "kubectl describe deployment/store-enterprise-operator");
});

test("the way to the webhook: a slice may have null in the place of its endpoints, and of its ports", () => {
  const slices = JSON.parse(
    '[{"endpoints":null,"ports":[{"name":"admission","port":8443}]},{"endpoints":null,"ports":null}]',
  );
  assert.equal(admissionRoute({ spec: RIGHT }, slices).endpoints, 0);
});
