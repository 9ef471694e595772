import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { decodeProtobuf } from "./decode.ts";

/** A field that holds bytes: text or a message. */
function bytes(number: number, ...parts: readonly (string | Buffer)[]): Buffer {
  const content = Buffer.concat(parts.map((part) => Buffer.from(part)));
  return Buffer.concat([varint((BigInt(number) << 3n) | 2n), varint(BigInt(content.length)), content]);
}

function integer(number: number, value: bigint): Buffer {
  return Buffer.concat([varint(BigInt(number) << 3n), varint(BigInt.asUintN(64, value))]);
}

function varint(value: bigint): Buffer {
  const groups = [];
  let rest = value;
  do {
    groups.push(Number(rest & 0x7fn) | (rest > 0x7fn ? 0x80 : 0));
    rest >>= 7n;
  } while (rest > 0n);
  return Buffer.from(groups);
}

function envelope(apiVersion: string, kind: string, ...fields: readonly Buffer[]): Buffer {
  return Buffer.concat([Buffer.from("k8s\0"), bytes(1, bytes(1, apiVersion), bytes(2, kind)), bytes(2, ...fields)]);
}

test("what kubectl create configmap sends is a ConfigMap", () => {
  const sent =
    "6b3873000a0f0a0276311209436f6e6669674d6170121c0a120a027a7a12001a0022002a003200380042001206" +
    "0a0161120162" +
    "1a002200";
  assert.deepEqual(decodeProtobuf(Buffer.from(sent, "hex")), {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "zz" },
    data: { a: "b" },
  });
});

test("zero is kept where Go can tell it from nothing, and dropped elsewhere", () => {
  const spec = Buffer.concat([integer(1, 0n), integer(5, 0n), integer(7, 0n)]);
  const { spec: decoded } = decodeProtobuf(envelope("apps/v1", "Deployment", bytes(2, spec)));
  assert.deepEqual(decoded, { replicas: 0 });
});

test("fields of embedded types belong to their parent, quantities are text, bytes base64", () => {
  const volume = bytes(1, bytes(1, "data"), bytes(2, bytes(2)));
  const memory = bytes(1, bytes(1, "memory"), bytes(2, bytes(1, "1Gi")));
  const port = Buffer.concat([integer(1, 1n), bytes(3, "http")]);
  const probe = bytes(11, bytes(1, bytes(2, bytes(1, "/"), bytes(2, port))), integer(3, 7n));
  const container = bytes(2, bytes(1, "c"), bytes(8, memory), probe);
  assert.deepEqual(decodeProtobuf(envelope("v1", "Pod", bytes(2, volume, container)))["spec"], {
    volumes: [{ name: "data", emptyDir: {} }],
    containers: [
      {
        name: "c",
        resources: { limits: { memory: "1Gi" } },
        readinessProbe: { httpGet: { path: "/", port: "http" }, timeoutSeconds: 7 },
      },
    ],
  });
  const secret = decodeProtobuf(envelope("v1", "Secret", bytes(2, bytes(1, "k"), bytes(2, "value"))));
  assert.deepEqual(secret["data"], { k: Buffer.from("value").toString("base64") });
});

test("times are instants, unset times are absent", () => {
  const instant = integer(1, 1_767_225_600n);
  const spec = bytes(2, bytes(4, instant, integer(2, 5000n)), bytes(3));
  const lease = decodeProtobuf(envelope("coordination.k8s.io/v1", "Lease", bytes(1, bytes(8, instant)), spec));
  assert.deepEqual(lease["metadata"], { creationTimestamp: "2026-01-01T00:00:00Z" });
  assert.deepEqual(lease["spec"], { renewTime: "2026-01-01T00:00:00.000005Z" });
});

test("a kind without an entry, and bytes that are no message, are errors", () => {
  assert.throws(() => decodeProtobuf(envelope("v1", "Unheard")), /no protobuf message core\/v1.Unheard/);
  assert.throws(() => decodeProtobuf(Buffer.from("{}")), /magic number/);
  assert.throws(() => decodeProtobuf(envelope("v1", "ConfigMap", Buffer.from([0x0a, 0x7f]))), /ends within/);
});

test("any bytes at all end in an object or in an error", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (garbage) => {
      const body = envelope("v1", "Pod", Buffer.from(garbage));
      try {
        assert.equal(typeof decodeProtobuf(body), "object");
      } catch (error) {
        assert.ok(error instanceof Error);
      }
    }),
  );
});
