import { evenSlots } from "../../../src/core/slots/shard-slots.ts";
import { manifestOf, type BackupManifest } from "../../../src/core/backup/manifest.ts";
import type { Dice } from "../world/chaos.ts";
import { mutatedBytes, mutatedJson } from "./mutate.ts";

/** A manifest of three files that is whole. */
export const WHOLE_MANIFEST: BackupManifest = manifestOf({
  name: "nightly-1a2b3c4d",
  database: {
    cluster: "rec",
    namespace: "store",
    uid: 3,
    name: "orders",
    createdTime: "2026-11-01T00:00:00.000Z",
    storeVersion: "7.2",
  },
  began: "2026-11-30T01:00:00.000Z",
  ended: "2026-11-30T01:00:09.000Z",
  files: evenSlots(3).map((slots, at) => ({
    shard: at + 1,
    slots: [...slots],
    file: `0123456789abcdef/shard-${at + 1}.rdb`,
    bytes: 1_000 + at,
    memory: 10_000,
    sha256: "f".repeat(64),
    keys: 10,
    rdb: 10,
    engine: { family: "redis", version: "7.0.15" } as const,
    role: "replica" as const,
    replicationId: "e".repeat(40),
    offset: 14,
    at: "2026-11-30T01:00:01.000Z",
  })),
});

/** A manifest that was damaged on its way, or made with care to do harm. */
export function hostileManifest(dice: Dice): string {
  const kind = dice();
  if (kind < 0.2) return mutatedBytes(dice, Buffer.from(JSON.stringify(WHOLE_MANIFEST))).toString();
  if (kind < 0.45) return JSON.stringify(mutatedJson(dice, WHOLE_MANIFEST)) ?? "";
  if (kind < 0.55) return oneOf(dice, TEXTS)(dice);
  if (kind < 0.65) return withFiles(dice);
  return withValue(dice);
}

function oneOf<T>(dice: Dice, values: readonly [T, ...T[]]): T {
  return values[Math.floor(dice() * values.length)] ?? values[0];
}

/** Some value is another one, which may be huge, or of another type, or lead elsewhere. */
function withValue(dice: Dice): string {
  const text = JSON.stringify(WHOLE_MANIFEST);
  const values = [...text.matchAll(/(?<=":)(?:"[^"]*"|\d+)/g)];
  const chosen = values[Math.floor(dice() * values.length)];
  if (chosen === undefined) return text;
  return `${text.slice(0, chosen.index)}${oneOf(dice, VALUES)}${text.slice(chosen.index + chosen[0].length)}`;
}

/** Files that are not together those of one database. */
function withFiles(dice: Dice): string {
  const { files } = WHOLE_MANIFEST;
  const [first] = files;
  const changed = oneOf(dice, [
    () => [...files, ...files],
    () => files.slice(1),
    () => files.map((file) => ({ ...file, file: first?.file })),
    () => files.map((file) => ({ ...file, shard: 1 })),
    () => files.map((file) => ({ ...file, slots: [{ from: 0, to: 16_383 }] })),
    () => files.map((file) => ({ ...file, slots: file.slots.map(({ from, to }) => ({ from: to, to: from })) })),
    () => files.map((file) => ({ ...file, slots: file.slots.map(({ from, to }) => ({ from: from + 1, to })) })),
    () => files.map((file) => ({ ...file, slots: [] })),
    () => files.toReversed(),
    () => Array.from({ length: 3_000 }, () => first),
    () => Array.from({ length: 3_000 }, (_, at) => ({ ...first, shard: at, file: `a/${at}` })),
  ]);
  return JSON.stringify({ ...WHOLE_MANIFEST, files: changed() });
}

const VALUES = [
  ...["-1", "0", "1.5", "1e400", "9007199254740991", "9007199254740992", "18446744073709551615", '"1"', "null", "true"],
  ...["[]", "{}", '""', '"../../etc"', '"/etc/passwd"', '"a/.."', '"./a"', '"a/../../b"', '"a\\\\b"', '"a/b/c"'],
  ...[String.raw`"\u0000"`, String.raw`"a\u001b[2Kb"`, String.raw`"\u202egnp"`, String.raw`"\ud800"`, '"💾"', '"ＡＢ"'],
  ...['"$(reboot)"', '"`reboot`"', '"; rm -rf /"', String.raw`"a\nb"`, '"%00"', `"${"x".repeat(300_000)}"`],
  ...[
    '"7.2.4"',
    '"99.0.0"',
    '"valkey"',
    '"primary"',
    '"2026-11-30T01:00:01.000Z"',
    '"9999-99-99T99:99:99Z"',
    "2",
    "10",
  ],
] as readonly string[] as readonly [string, ...string[]];

type MadeText = (dice: Dice) => string;
const whole = JSON.stringify(WHOLE_MANIFEST);
const deep = (open: string, close: string) => (): string => open.repeat(150_000) + close.repeat(150_000);
/** What JSON itself may be, around what a manifest is. */
const TEXTS: readonly [MadeText, ...MadeText[]] = [
  () => "",
  () => "\ufeff" + whole,
  () => whole + whole,
  () => whole.slice(1),
  deep("[", "]"),
  deep('{"files":', "}"),
  () => whole.replace('"cut"', '"x":' + deep("[", "]")() + ',"cut"'),
  () => whole.replace('"cut"', '"__proto__":{"format":9},"cut"'),
  () => whole.replace('"uid":3', '"uid":3,"__proto__":{"polluted":1}'),
  () => whole.replace('"cut"', '"constructor":{"prototype":{"polluted":1}},"cut"'),
  () => whole.replace('"format":1', '"format":1,"format":2'),
  () => whole.replace('"uid":3', '"uid":3,"uid":-3'),
  () => whole.replace('"format":1', '"format":2'),
  () => whole.replace('"format":1', '"format":99999999999999999999'),
  (dice) =>
    `{${Array.from({ length: 20_000 }, (_, at) => `"${String.raw`\u0007`.repeat(dice() * 5)}${at}":1`).join()}}`,
  () => whole.replace('"cut"', `"${String.raw`\u001b`.repeat(50_000)}":1,"cut"`),
  () => `{"format":1,"files":[${"0,".repeat(400_000)}0]}`,
  () => `{"format":1,"files":[${"{},".repeat(250_000)}{}]}`,
  () => whole.replace('"readableFrom":[', `"readableFrom":[${'{"family":"redis","version":"7"},'.repeat(20_000)}`),
];
