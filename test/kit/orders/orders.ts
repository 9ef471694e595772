import type { Dice } from "../world/chaos.ts";
import { RELEASES, type OrderedWorld } from "./world.ts";
import { templateOf } from "./stateful-set.ts";

/** What a user, or another program, does to a cluster at any time. */
export type Order = (world: OrderedWorld, dice: Dice) => string | undefined;

/** Every order that a schedule may give. */
export const ORDERS: readonly Order[] = [
  (world, dice) => {
    const release = pick(RELEASES, dice);
    world.asked = { ...world.asked, tag: release.nodeTag };
    return `tag ${release.nodeTag}`;
  },
  (world) => {
    world.asked = { ...world.asked, tag: world.operator.nodeTag };
    return `tag of the operator, ${world.operator.nodeTag}`;
  },
  (world) => {
    world.asked = { ...world.asked, tag: "9.9.9-9" };
    return "tag that is in no release";
  },
  (world, dice) => {
    world.operator = pick(RELEASES, dice);
    world.written = undefined;
    return `operator ${world.operator.operator}`;
  },
  (world) => {
    world.written = undefined;
    return "operator starts again";
  },
  (world) => {
    world.operatorRuns = !world.operatorRuns;
    return `operator runs: ${world.operatorRuns}`;
  },
  (world, dice) => {
    world.asked = { ...world.asked, auto: dice() < 0.5 };
    return `automatic upgrade ${world.asked.auto}`;
  },
  (world, dice) => {
    world.asked = { ...world.asked, note: String(Math.floor(dice() * 3)) };
    return `template edited through the spec: ${world.asked.note}`;
  },
  (world) => {
    world.asked = { ...world.asked, nodes: 5 };
    return "5 nodes";
  },
  (world) => {
    world.licensed = !world.licensed;
    return `licence valid: ${world.licensed}`;
  },
  (world, dice) => {
    const revisions = [...new Set([...world.pods.map(({ revision }) => revision), world.set.currentRevision])];
    const revision = pick(revisions, dice);
    world.edit({ template: templateOf(revision) });
    return `kubectl rollout undo to ${revision}`;
  },
  (world) => {
    const { template } = world.set;
    world.edit({ template: { ...template, restarted: template.restarted + 1 } });
    return "kubectl rollout restart";
  },
  (world, dice) => {
    const tag = dice() < 0.5 ? "nonsense" : pick(RELEASES, dice).nodeTag;
    world.edit({ template: { ...world.set.template, tag } });
    return `kubectl set image ${tag}`;
  },
  (world, dice) => {
    const replicas = pick([1, 3, 5], dice);
    world.edit({ replicas });
    return `kubectl scale ${replicas}`;
  },
  (world, dice) => {
    const partition = pick([0, 1, 2, 3], dice);
    world.edit({ partition });
    return `kubectl edit sts, partition ${partition}`;
  },
  (world, dice) => {
    const ordinal = anyPod(world, dice);
    if (ordinal === undefined) return undefined;
    world.deletePod(ordinal);
    return `kubectl delete pod ${ordinal}`;
  },
  (world, dice) => {
    const ordinal = anyPod(world, dice);
    if (ordinal === undefined) return undefined;
    world.loseWorker(ordinal);
    return `the worker of pod ${ordinal} dies`;
  },
  (world, dice) => {
    const ordinal = anyPod(world, dice);
    if (ordinal === undefined) return undefined;
    if (dice() < 0.5) world.nodes.leave(ordinal + 1, { demote: dice() < 0.5 });
    else world.nodes.takeBack(ordinal + 1);
    return `maintenance of node ${ordinal + 1}`;
  },
];

/** Undefined when every pod was scaled away. */
function anyPod({ pods }: OrderedWorld, dice: Dice): number | undefined {
  return pods.length === 0 ? undefined : pick(pods, dice).ordinal;
}

function pick<T>(all: readonly T[], dice: Dice): T {
  const found = all[Math.floor(dice() * all.length)];
  if (found === undefined) throw new Error("there is nothing to pick from");
  return found;
}
