import assert from "node:assert/strict";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import type { Address } from "../../../ports/management/proxy-control.ts";
import { clusterMap } from "../../../core/slots/cluster-map.ts";
import { engineNames, startEngine } from "../../../../test/kit/engines/engine.ts";
import { clusterInfoReply, clusterWords, nodesReply, shardsReply, slotsReply } from "./cluster-replies.ts";

/** A cluster of one engine, which an engine does not know the address of. */
const FACTS = {
  bdb: 1,
  own: { node: 1, host: "" },
  port: 6379,
  speaksTls: false,
  places: [{ node: 1, host: "" }],
  shards: [
    {
      slots: [
        { from: 0, to: 100 },
        { from: 200, to: 200 },
      ],
      host: "",
    },
  ],
} as const;
const SHAPED = ["SLOTS", "SHARDS", "NODES"] as const;
const REPLIES = { SLOTS: slotsReply, SHARDS: shardsReply, NODES: nodesReply } as const;

for (const engine of engineNames())
  for (const protocol of [2, 3])
    test(`replies have the bytes of ${engine} in cluster mode, by version ${protocol} of the protocol`, async () => {
      await using started = await startEngine({ engine, args: ["--cluster-enabled", "yes"] });
      await started.call("CLUSTER", "ADDSLOTSRANGE", "0", "100", "200", "200");
      const id = String(await started.call("CLUSTER", "MYID"));
      const map = clusterMap(FACTS);
      for (const name of SHAPED) {
        const asked = (await replyOf(started, protocol, name)).replaceAll(id, map.own.id);
        assert.equal(REPLIES[name](map, protocol).toString("latin1"), withoutBus(asked), name);
      }
      const asked = await replyOf(started, protocol, "INFO");
      assert.deepEqual(fieldsIn(clusterInfoReply(map, protocol).toString("latin1")), fieldsIn(asked));
    });

/** The bytes of the reply to CLUSTER with this word. */
async function replyOf({ host, port }: Address, protocol: number, word: string): Promise<string> {
  const socket = connect({ host, port });
  socket.write(`HELLO ${protocol}\r\nECHO asks\r\nCLUSTER ${word}\r\nQUIT\r\n`);
  const all = await text(socket.setEncoding("latin1"));
  return all.slice(all.indexOf(ASKS) + ASKS.length, -"+OK\r\n".length);
}

const ASKS = "$4\r\nasks\r\n";

/** An endpoint has no port for other nodes of a cluster. */
function withoutBus(reply: string): string {
  const bus = /@(\d+) /.exec(reply)?.[1];
  if (bus === undefined) return reply;
  const shorter = bus.length - 1;
  return reply
    .replace(`@${bus} `, "@0 ")
    .replace(/^([$=])(\d+)/, (_, kind: string, size: string) => `${kind}${Number(size) - shorter}`);
}

function fieldsIn(reply: string): readonly string[] {
  return [...reply.matchAll(/(\w+):\w+\r/g)].map(([, name = ""]) => name);
}

for (const engine of engineNames())
  test(`INFO of ${engine} says what it says in cluster mode`, async () => {
    await using single = await startEngine({ engine });
    await using cluster = await startEngine({ engine, args: ["--cluster-enabled", "yes"] });
    const modes = (info: string): readonly string[] => info.match(/^(\w+_mode|cluster_enabled):.*$/gm) ?? [];
    const shown = clusterWords(String(await single.call("INFO")));
    assert.deepEqual(modes(shown), modes(String(await cluster.call("INFO"))));
  });

test("replicas stand behind their primary, in the rows of each of its ranges", () => {
  const places = [1, 2].map((node) => ({ node, host: `10.0.0.${node}` }));
  const own = { node: 2, host: "10.0.0.2" };
  const shards = [{ slots: [{ from: 0, to: 16_383 }], host: "10.0.0.1" }];
  const map = clusterMap({ bdb: 1, own, port: 10_000, speaksTls: true, places, shards });
  const [primary, replica] = map.members.map(({ id }) => id);
  assert.equal(
    nodesReply(map, 2).toString().split("\r\n")[1],
    `${String(primary)} 10.0.0.1:10000@0 master - 0 0 0 connected 0-16383\n${String(replica)} 10.0.0.2:10000@0 myself,slave ${String(primary)} 0 0 0 connected\n`,
  );
  const slots = slotsReply(map, 2).toString();
  assert.ok(slots.indexOf(String(primary)) < slots.indexOf(String(replica)));
  assert.match(shardsReply(map, 3).toString(), /tls-port\r\n:10000[^]*replica/);
});
