// A process that sends to a memory what `from` says, from number `first` on, and tells its parent what was taken in. It ends by
// being killed, or with number `last`.

import { parseRedisAddress } from "../../../../src/storage/redis/connection/address.ts";
import { openLink } from "../../../../src/storage/redis/connection/link.ts";
import { createRedisMemories } from "../../../../src/storage/redis/memories/memories.ts";
import { letter } from "../../../mail/letter.ts";

const [url = "", legion = "", from = "", first, last] = process.argv.slice(2);
const AT_ONCE = 10;
const NOTE = { summary: "", role: "user", speaker: "0", thread: "0,1", said: "2026-01-01", tags: {} };

const link = await openLink(parseRedisAddress(url));
const memories = createRedisMemories({ link, legion });
const details = { entry: { ...NOTE, summarised: "model" } };
for (let n = Number(first); n <= Number(last); n += AT_ONCE) {
  const sending = Array.from({ length: Math.min(AT_ONCE, Number(last) - n + 1) }, async (_, index) => {
    const { status } = await memories.receive(
      "main/legion",
      letter("main/legion", n + index, { from, details }),
    );
    process.send?.({ n: n + index, status });
  });
  await Promise.all(sending);
}
await memories.close();
await link.close();
process.disconnect();
