// Signs files that are published, for instance the package with storectl: see USAGE.
import { dirname } from "node:path";
import { messageOf } from "#kit/base/fault";
import { signFile, signingKey, writePublicKey } from "./images/signature.ts";

const USAGE = `usage: STORE_SIGNING_KEY=<file> npm run sign -- <file>...
  Writes <file>.sig for each file, and cosign.pub beside the first one, for
  cosign verify-blob --key cosign.pub --insecure-ignore-tlog --signature <file>.sig <file>
`;

try {
  const files = process.argv.slice(2);
  const [first] = files;
  const key = await signingKey(process.env);
  if (first === undefined || key === undefined) throw new Error("it needs a key and a file");
  for (const file of files) await signFile(file, key);
  process.stdout.write(`signed by ${await writePublicKey(dirname(first), key)}: ${files.join(", ")}\n`);
} catch (error) {
  process.stderr.write(`${messageOf(error)}\n${USAGE}`);
  process.exit(2);
}
