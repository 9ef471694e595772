import assert from "node:assert/strict";
import { test } from "node:test";
import { storeTrouble } from "./store-trouble.ts";

for (const [rule, failure, trouble] of [
  ["a name counts before a status", { name: "SignatureDoesNotMatch", status: 403 }, "credentials"],
  ["a key that the store does not know", { name: "InvalidAccessKeyId", status: 403 }, "credentials"],
  ["a refusal without a known name", { name: "Forbidden", status: 403 }, "forbidden"],
  ["another region", { name: "PermanentRedirect", status: 301 }, "region"],
  ["a clock that is an hour off", { name: "RequestTimeTooSkewed", status: 403 }, "clock"],
  ["a bucket that is not there", { name: "NoSuchBucket", status: 404 }, "bucket"],
  ["an object that is not there", { name: "NoSuchKey", status: 404 }, "missing"],
  ["404 alone says of nothing that it is not there", { name: "NotFound", status: 404 }, "other"],
  ["a disk without room", { name: "InternalError", status: 507 }, "full"],
  ["an object that is there already", { name: "PreconditionFailed", status: 412 }, "exists"],
  ["an upload that was removed", { name: "NoSuchUpload", status: 404 }, "upload"],
  ["a certificate that another authority signed", { name: "Error", code: "SELF_SIGNED_CERT_IN_CHAIN" }, "certificate"],
  ["a certificate of another name", { name: "Error", code: "ERR_TLS_CERT_ALTNAME_INVALID" }, "certificate"],
  ["a server without TLS", { name: "Error", code: "EPROTO" }, "certificate"],
  ["nothing listens", { name: "Error", code: "ECONNREFUSED" }, "unreachable"],
  ["a name without an address", { name: "Error", code: "EAI_AGAIN" }, "unreachable"],
  ["silence", { name: "TimeoutError" }, "unreachable"],
  ["too many requests", { name: "SlowDown", status: 503 }, "busy"],
  ["a failure inside the store", { name: "InternalError", status: 500 }, "busy"],
  ["what is not known", { name: "Error" }, "other"],
] as const)
  test(rule, () => {
    assert.equal(storeTrouble(failure), trouble);
  });
