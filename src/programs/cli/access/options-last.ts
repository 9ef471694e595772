/** The arguments with the options of kubectl that stand before the command (`-n a status`, `--context=b why`) behind it, where commands take them. */
export function namespaceOptionsLast(args: readonly string[]): string[] {
  const first = args[0] ?? "";
  if (NAMED.includes(first) && args.length > 2) return [...namespaceOptionsLast(args.slice(2)), ...args.slice(0, 2)];
  if (NAMED.some((name) => first.startsWith(`${name}=`))) return [...namespaceOptionsLast(args.slice(1)), first];
  return [...args];
}

const NAMED = ["-n", "--namespace", "--context", "--kubeconfig"];
