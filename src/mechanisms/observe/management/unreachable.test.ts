import assert from "node:assert/strict";
import { test } from "node:test";
import { Fault } from "#kit/base/fault";
import { attemptOf, type Attempt } from "../../../ports/management/attempt.ts";
import { faults } from "../../../ports/management/faults.ts";
import { whyUnreachable } from "./unreachable.ts";

const timedOut = new DOMException("The operation was aborted due to timeout", "TimeoutError");
const cases: readonly { readonly name: string; readonly tried: readonly Attempt[]; readonly says: string }[] = [
  { name: "no node was asked", tried: [], says: "no node has an address yet" },
  {
    name: "every node refuses: said once, without addresses",
    tried: [failed("127.1.0.1", "ECONNREFUSED"), failed("127.1.0.2", "ECONNREFUSED")],
    says: "no node answers on port 9443 (connection refused)",
  },
  {
    name: "different causes are all said, in an order that does not change",
    tried: [attemptOf("127.1.0.1", timedOut), failed("127.1.0.2", "ECONNREFUSED")],
    says: "no node answers on port 9443 (connection refused, no answer in time)",
  },
  {
    name: "a cause without plain words keeps its own",
    tried: [{ ...failed("127.1.0.1", "CERT_HAS_EXPIRED"), said: "certificate has expired" }],
    says: "no node answers on port 9443 (certificate has expired)",
  },
];

for (const { name, tried, says } of cases) {
  test(`whyUnreachable: ${name}`, () => {
    assert.equal(whyUnreachable(new Fault(faults.unreachable, "GET /v1/nodes reached no node", { tried })), says);
  });
}

test("whyUnreachable: an error other than a failure to reach a node keeps its own words", () => {
  assert.equal(whyUnreachable(new Error("secret rec has no password yet")), "secret rec has no password yet");
});

function failed(address: string, code: string): Attempt {
  return attemptOf(address, Object.assign(new Error(`connect ${code} ${address}:9443`), { code }));
}
