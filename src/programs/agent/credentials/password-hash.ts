import { randomBytes, scrypt, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";

/** What one guess costs: about 0.2 s of a core and 32 MiB. */
const COST = { N: 2 ** 15, r: 8, p: 3, maxmem: 64 * 2 ** 20 };
const KEY_BYTES = 32;
const SALT_BYTES = 16;

const derive = promisify<string, Buffer, number, typeof COST, Buffer>(scrypt);

/** A salted hash of `password` (scrypt), as text. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  return `scrypt:${salt.toString("base64")}:${(await keyOf(password, salt)).toString("base64")}`;
}

/** Whether `hash` was made from `password`; takes the same time whatever it is compared with, also with no hash at all. */
export async function matchesHash(password: string, hash: string | undefined): Promise<boolean> {
  const [, salt = "", key = ""] = (hash ?? "").split(":");
  const expected = Buffer.from(key, "base64");
  const given = await keyOf(password, Buffer.from(salt, "base64"));
  return expected.length === KEY_BYTES && timingSafeEqual(given, expected);
}

function keyOf(password: string, salt: Buffer): Promise<Buffer> {
  return derive(password.normalize("NFC"), salt, KEY_BYTES, COST);
}
