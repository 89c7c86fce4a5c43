// A node of a legion in Redis whose one agent is closed as soon as it has nothing to do. It tells its parent whether it is, and how often
// it has decided here; it ends by being killed.

import { core } from "../../../modules/core.ts";
import { indexActions } from "../../../src/agent/parts/module-set.ts";
import { displayName } from "../../../src/domain/message/message.ts";
import { createLocalEnvironment } from "../../../src/environment/local.ts";
import { startLegion } from "../../../src/legion/legion.ts";
import { toolsProtocol } from "../../../src/model/protocol/tools.ts";
import { createScriptedModel } from "../../../src/model/scripted/scripted.ts";
import { createRedisBackend } from "../../../src/storage/redis/backend.ts";
import { parseRedisAddress } from "../../../src/storage/redis/connection/address.ts";
import { openLink } from "../../../src/storage/redis/connection/link.ts";
import { UNBOUND } from "../../unbound.ts";

const [url = "", name = "", leaseMs, project = ""] = process.argv.slice(2);
const LOOK_MS = 20;

const link = await openLink(parseRedisAddress(url));
let decisions = 0;
const { agents } = await startLegion({
  project,
  plans: [
    {
      identity: { id: "1", name: displayName("1"), description: "", brief: "" },
      model: createScriptedModel(() => ({ text: "Done.", usage: { input: 10, output: 2 } })),
      protocol: toolsProtocol,
      actions: indexActions([core], toolsProtocol),
      limits: {},
      policy: UNBOUND,
      memory: { strategy: "legion", threshold: 0.75, pin: "newest" },
      errors: "keep",
      tickMs: 0,
    },
  ],
  limits: {},
  durability: "process",
  delayMs: 0,
  heartbeatMs: "off",
  closesIdle: true,
  environment: createLocalEnvironment({}),
  settings: () => ({}),
  backend: createRedisBackend({ link, legion: name, durability: "always", leaseMs: Number(leaseMs) }),
  watch(seen) {
    if (seen.kind === "event" && seen.event.kind === "decision") decisions++;
  },
});
setInterval(() => {
  const one = agents.get("1");
  one?.lieDown();
  process.send?.({ isClosed: one?.isAsleep === true && one.agent === undefined, decisions });
}, LOOK_MS);
process.once("disconnect", () => process.exit(1));
