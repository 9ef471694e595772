import { createPrivateKey, createPublicKey, generateKeyPairSync, sign, verify, type KeyObject } from "node:crypto";
import { licenseTerms, type LicenseTerms } from "../../core/api/license.ts";
import { Fault, messageOf } from "#kit/base/fault";
import { faults } from "./faults.ts";

const BEGIN = "-----BEGIN STORE ENTERPRISE LICENSE-----";
const END = "-----END STORE ENTERPRISE LICENSE-----";
/** Longest text that is read, in characters. */
const LONGEST = 16_384;
const LINE = 64;

/** A pair of keys that signs licences and proves them: PKCS #8 and SPKI, both PEM. */
export interface LicenseAuthority {
  readonly privateKey: string;
  readonly publicKey: string;
}

/** Creates an authority (Ed25519). */
export function createLicenseAuthority(): LicenseAuthority {
  return generateKeyPairSync("ed25519", {
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
    publicKeyEncoding: { type: "spki", format: "pem" },
  });
}

/** The licence with these terms, as a text block that people can mail and paste; MANAGEMENT_LICENSE_KEY for a key of another kind. */
export function signLicense(terms: LicenseTerms, privateKey: string): string {
  const payload = Buffer.from(JSON.stringify(terms));
  const signature = sign(
    null,
    payload,
    signingKey("private", () => createPrivateKey(privateKey)),
  );
  const text = `${payload.toString("base64url")}.${signature.toString("base64url")}`;
  return [BEGIN, ...(text.match(new RegExp(`.{1,${LINE}}`, "g")) ?? []), END, ""].join("\n");
}

/**
 * The terms of a licence that one of `authorities` (public keys, PEM) has signed; MANAGEMENT_LICENSE_MALFORMED when the text is
 * none, MANAGEMENT_LICENSE_UNTRUSTED when none of them has. Whether the terms fit a cluster is not checked here.
 */
export function openLicense(text: string, authorities: readonly string[]): LicenseTerms {
  const { payload, signature } = partsOf(text);
  const keys = authorities.map((authority) => signingKey("public", () => createPublicKey(authority)));
  if (!keys.some((key) => verify(null, payload, key, signature))) {
    throw new Fault(
      faults.licenseUntrusted,
      `none of the ${keys.length} authorities that are known here has signed the licence`,
    );
  }
  return termsOf(payload);
}

/** The terms of a licence, by whatever key it is signed; MANAGEMENT_LICENSE_MALFORMED when the text is none. */
export function readLicense(text: string): LicenseTerms {
  return termsOf(partsOf(text).payload);
}

function partsOf(text: string): { readonly payload: Buffer; readonly signature: Buffer } {
  if (text.length > LONGEST) throw malformedLicense(`it has ${text.length} characters, at most ${LONGEST} are read`);
  const begin = text.indexOf(BEGIN);
  const end = text.indexOf(END);
  if (begin < 0 || end < begin) throw malformedLicense(`the lines "${BEGIN}" and "${END}" are missing`);
  const body = text.slice(begin + BEGIN.length, end).replaceAll(/\s/g, "");
  const [payload = "", signature = "", ...more] = body.split(".");
  if (payload === "" || signature === "" || more.length > 0)
    throw malformedLicense("the text between its lines is not signed");
  return { payload: Buffer.from(payload, "base64url"), signature: Buffer.from(signature, "base64url") };
}

function termsOf(payload: Buffer): LicenseTerms {
  try {
    return licenseTerms.parse(JSON.parse(payload.toString()));
  } catch (error) {
    throw malformedLicense(`its terms are not readable: ${messageOf(error)}`);
  }
}

function signingKey(kind: "private" | "public", read: () => KeyObject): KeyObject {
  const key = readKey(kind, read);
  if (key.asymmetricKeyType === "ed25519") return key;
  throw unusable(`it is a key for ${key.asymmetricKeyType ?? "something else"}`);
}

/** What the library says of a text that it cannot read is no sentence for people. */
function readKey(kind: "private" | "public", read: () => KeyObject): KeyObject {
  try {
    return read();
  } catch (error) {
    throw unusable(`it is no ${kind} key in PEM`, error);
  }
}

function unusable(why: string, cause?: unknown): Fault {
  return new Fault(faults.licenseKey, `a licence authority's key is not usable: ${why}`, {}, cause);
}

function malformedLicense(why: string): Fault {
  return new Fault(faults.licenseMalformed, `the text is no licence: ${why}`);
}
