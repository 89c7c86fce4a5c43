// The process that is killed: the person has spoken to all of its agents, and it is gone.

import { parseRedisAddress } from "../../../../src/storage/redis/connection/address.ts";
import { openLink } from "../../../../src/storage/redis/connection/link.ts";
import { openLife, type KilledOrder } from "./lives.ts";

const { cells, redis, afterMs } = JSON.parse(process.argv[2]!) as KilledOrder;
const link = redis === undefined ? undefined : await openLink(parseRedisAddress(redis));
const lives = await Promise.all(cells.map((cell) => openLife(cell, "first", link)));
await Promise.all(lives.map(({ reached }) => reached));
// Those that are steered had something to do later.
const steered = lives.filter((_, index) => cells[index]!.lane === "steer");
await Promise.all(steered.map(({ legion }) => legion.control.say(["1"], "Later.", "follow-up")));
await Promise.all(
  lives.map(({ legion }, index) => legion.control.say(["1"], "Hear me.", cells[index]!.lane)),
);
if (afterMs === 0) process.kill(process.pid, "SIGKILL");
setTimeout(() => process.kill(process.pid, "SIGKILL"), afterMs);
