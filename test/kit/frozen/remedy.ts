import type { Finding } from "../../../src/core/api/parts.ts";
import { EXIT } from "../../../src/programs/cli/console/context.ts";
import type { Lane } from "./lane.ts";
import { typedLines } from "./typed-lines.ts";

/** Which line of a remedy is typed, and what a person has at hand. */
interface Typing {
  /** A word of the line; absent where the remedy has one. */
  readonly naming?: string;
  /** What a person does in the editor that the line opens, as sed does it. */
  readonly editing?: string;
  /** Files that the line names, by what they are called. */
  readonly files?: Readonly<Record<string, string | Uint8Array>>;
}

/** Agrees to everything that storectl proposes; the cause of this name is gone when it ends. */
export async function recoverWith(lane: Lane, id: string, ...supplies: readonly string[]): Promise<void> {
  const said = await lane.storectl("recover", "--yes", ...supplies);
  if (!new RegExp(`rec/rec: ${id}\n(   .*\n)+   cleared\n`).test(said))
    throw new Error(`${id} is not cleared:\n${said}`);
}

/** Types the command that the finding prints, as it is printed. */
export function runRemedy(id: string, typing: (lane: Lane) => Typing | Promise<Typing> = () => ({})) {
  return async (lane: Lane): Promise<void> => {
    const { status } = await lane.cluster(id, ({ status: now }) => (now?.findings ?? []).some((one) => one.id === id));
    await typeRemedy(
      lane,
      status?.findings?.find((one) => one.id === id),
      await typing(lane),
    );
  };
}

/** Types what `storectl recover` proposes for a cause, each line as it is printed; what it needs is supplied. */
export function typeProposal(id: string, options: string, typing: (lane: Lane) => Typing | Promise<Typing>) {
  return async (lane: Lane): Promise<void> => {
    const { files = {} } = await typing(lane);
    const folder = await lane.folder(files);
    const said = await lane.sh(`cd '${folder}' && { storectl recover ${options} || ${OTHERS_ARE_LEFT}; }`);
    const lines = new RegExp(`rec/rec: ${id}\n((?: {3}.*\n)+)`).exec(said)?.[1]?.match(/(?<= {3}\$ ).*/g) ?? [];
    if (lines.length === 0) throw new Error(`nothing is proposed for ${id}:\n${said}`);
    for (const line of lines) await lane.sh(`cd '${folder}' && ${line}`);
  };
}

/** Types the line of a remedy that a person would choose. */
export async function typeRemedy(
  lane: Lane,
  finding: Pick<Finding, "remedy"> | undefined,
  { naming = "", editing, files = {} }: Typing = {},
): Promise<void> {
  const lines = typedLines(finding?.remedy ?? "").filter((line) => line.includes(naming));
  const [line] = lines;
  if (line === undefined || lines.length > 1)
    throw new Error(`${lines.length} lines can be typed in: ${finding?.remedy}`);
  const editor = editing === undefined ? "" : `export KUBE_EDITOR="sed -i '${editing}'" && `;
  // there is no terminal that storectl could ask at
  const agreed = line.startsWith("storectl recover ") ? `{ ${line} --yes || ${OTHERS_ARE_LEFT}; }` : line;
  await lane.sh(`cd '${await lane.folder(files)}' && ${editor}${agreed}`);
}

/** What `storectl recover` ends with when it has done its part and something else is in the way. */
const OTHERS_ARE_LEFT = `[ $? -eq ${EXIT.found} ]`;
