import { parseQuantity } from "#kit/base/quantity";
import { NODE_RESERVE_BYTES, STARTER_RESERVE_BYTES, type ContainerMemory } from "./capacity.ts";

/** Requests or limits of a container, by resource. */
type Quantities = Readonly<Record<string, string>>;

/** Resources of a pod or a container, as Kubernetes has them. */
export interface Resources {
  readonly requests?: Quantities;
  readonly limits?: Quantities;
}

/**
 * What each container of a node gets of the resources of the node: together exactly these. Memory: agent and proxy get what they take
 * at worst, in a small node 11 sixteenths, and in a large one, which has more clients, one; the engines get the rest. CPU: agent and
 * proxy get a half, and no more than they can use. Anything else stays with the agent.
 */
export function dividedResources({ requests, limits }: Resources): {
  readonly agent: Resources;
  readonly engines: Resources;
} {
  const [asked, most] = [divideResources(requests), divideResources(limits)];
  const resources = (part: "agent" | "engines"): Resources => ({
    ...(asked === undefined ? {} : { requests: asked[part] }),
    ...(most === undefined ? {} : { limits: most[part] }),
  });
  return { agent: resources("agent"), engines: resources("engines") };
}

/**
 * The memory of a node whose engines have a container of their own: that of both, less what agent, proxy and starter take of it. Where
 * nothing limits them, they share the machine.
 */
export function dividedMemory(
  agent: { readonly bytes: number; readonly reserve: number },
  enginesBytes: number,
  machineBytes: number,
): ContainerMemory {
  const limit = Math.min(machineBytes, agent.bytes + enginesBytes);
  const taken = Math.max(limit - enginesBytes, Math.min(agent.reserve, agent.bytes));
  return { limit, reserve: taken + STARTER_RESERVE_BYTES };
}

const MEBIBYTE = 1024 * 1024;
/** Of the memory of a small and of a large node. Both parts grow with the whole, so that no request is above its limit. */
const AGENT_SHARE = { most: 11 / 16, least: 1 / 16 };
/** In thousandths: agent and proxy have one thread each that computes. */
const AGENT_CPU = 2_000;

function divideResources(
  whole: Quantities | undefined,
): { readonly agent: Quantities; readonly engines: Quantities } | undefined {
  if (whole === undefined) return undefined;
  const { cpu, memory, ...rest } = whole;
  const [ofCpu, ofMemory] = [
    cpu === undefined ? undefined : cpus(cpu),
    memory === undefined ? undefined : shares(memory),
  ];
  const part = (index: 0 | 1): Quantities => ({
    ...(ofCpu === undefined ? {} : { cpu: `${ofCpu[index]}m` }),
    ...(ofMemory === undefined ? {} : { memory: memoryText(ofMemory[index]) }),
  });
  return { agent: { ...part(0), ...rest }, engines: part(1) };
}

/** In thousandths. */
function cpus(cpu: string): readonly [number, number] {
  const whole = Math.round(parseQuantity(cpu) * 1_000);
  const agent = Math.min(AGENT_CPU, Math.floor(whole / 2));
  return [agent, whole - agent];
}

function shares(memory: string): readonly [number, number] {
  const whole = Math.floor(parseQuantity(memory));
  const { most, least } = AGENT_SHARE;
  const agent = Math.floor(Math.min(whole * most, Math.max(NODE_RESERVE_BYTES, whole * least)));
  return [agent, whole - agent];
}

function memoryText(bytes: number): string {
  return bytes % MEBIBYTE === 0 ? `${bytes / MEBIBYTE}Mi` : String(bytes);
}
