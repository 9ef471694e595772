import type { Rest, RoleRest } from "./rest.ts";

/** At 500 databases: what agents, proxies and operator take of one processor, and all of it with the engines in MiB. */
const GOALS = { databases: 500, cpu: 0.15, pss: 1.6 * 1024 } as const;
/** Resident memory at rest, in MiB. */
const MEMORY = { node: 150, operator: 110, rigger: 70 } as const;

/** The figures of one size, a role a line. */
export function linesOf(rest: Rest): readonly string[] {
  const { cpu, pss } = sums(rest);
  return [
    line("", ["processes", "CPU, %", "wakeups/s", "PSS, MiB", "RSS each"]),
    ...rest.roles.map(({ role, processes, cpu: share, wakeups, pss: memory, rss }) =>
      line(role, [String(processes), (share * 100).toFixed(1), wakeups.toFixed(0), memory.toFixed(0), rss.toFixed(0)]),
    ),
    `agents, proxies and operator ${(cpu * 100).toFixed(1)} % of one processor; with rigger, starters and engines ${pss.toFixed(0)} MiB`,
  ];
}

/** What is not as it must be, in words. */
export function goalsMissed(rest: Rest): readonly string[] {
  const { cpu, pss } = sums(rest);
  const each = (role: RoleRest["role"]): number => rest.roles.find((one) => one.role === role)?.rss ?? 0;
  const isLarge = rest.databases >= GOALS.databases;
  const checks: readonly (readonly [what: string, value: number, goal: number])[] = [
    ...(isLarge ? ([["CPU of agents, proxies and operator, %", cpu * 100, GOALS.cpu * 100]] as const) : []),
    ...(isLarge ? ([["memory with the engines, MiB", pss, GOALS.pss]] as const) : []),
    ["agent and proxy of a node, MiB", each("agent") + each("proxy"), MEMORY.node],
    ["operator, MiB", each("operator"), MEMORY.operator],
    ["rigger, MiB", each("rigger"), MEMORY.rigger],
  ];
  return checks
    .filter(([, value, goal]) => value > goal)
    .map(
      ([what, value, goal]) => `${rest.databases} databases: ${what}: ${value.toFixed(0)}, at most ${goal.toFixed(0)}`,
    );
}

/** The Kubernetes of the world is no part of the product. */
function sums({ roles }: Rest): { readonly cpu: number; readonly pss: number } {
  const product = roles.filter(({ role }) => role !== "world");
  const asked = product.filter(({ role }) => role === "agent" || role === "proxy" || role === "operator");
  return { cpu: asked.reduce((sum, one) => sum + one.cpu, 0), pss: product.reduce((sum, one) => sum + one.pss, 0) };
}

function line(role: string, cells: readonly string[]): string {
  return role.padEnd(10) + cells.map((cell) => cell.padStart(11)).join("");
}
