import { createHash, timingSafeEqual } from "node:crypto";

/** Whether `header` carries these Basic credentials; takes the same time however much of them is right. */
export function isAuthorized(
  header: string | undefined,
  expected: { readonly username: string; readonly password: string },
): boolean {
  const token = /^Basic ([A-Za-z0-9+/=]{1,1024})$/i.exec(header ?? "")?.[1] ?? "";
  const given = Buffer.from(token, "base64").toString("utf8");
  return timingSafeEqual(digest(given), digest(`${expected.username}:${expected.password}`));
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
