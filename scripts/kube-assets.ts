// Makes the programs of a real Kubernetes, a folder outside the repository, and prints the folder alone on standard output:
//   npm run -s kube-assets -- api      the control plane: kube-apiserver, kube-controller-manager, etcd, kubectl, helm
//   npm run -s kube-assets -- nodes    and what nodes run: kubelet, kube-proxy, kube-scheduler, containerd, runc, …
// Exit codes: 0 they are there, 1 something failed, 2 wrong arguments, 3 not possible on this machine.
import { messageOf } from "#kit/base/fault";
import { ensureAssets, Impossible, isLevel, LEVELS } from "../test/kubernetes/assets/assets.ts";

const FAILED = 1;
const WRONG_ARGUMENTS = 2;
const NOT_POSSIBLE = 3;

process.exitCode = await main(process.argv.slice(2));

async function main([level, ...others]: readonly string[]): Promise<number> {
  if (!isLevel(level) || others.length > 0) {
    say(`give one level, ${LEVELS.join(" or ")}: npm run -s kube-assets -- ${LEVELS[0]}`);
    return WRONG_ARGUMENTS;
  }
  try {
    process.stdout.write(`${await ensureAssets(level, say)}\n`);
    return 0;
  } catch (error) {
    say(messageOf(error));
    return error instanceof Impossible ? NOT_POSSIBLE : FAILED;
  }
}

function say(line: string): void {
  process.stderr.write(`kube-assets: ${line}\n`);
}
