// Each ablation changes a line of the sources by its text: whoever rewrites that line finds the error here, and says what
// now stands for the same part of the protocol. Here are those that are found at once; all of them by
// `npm run torture:redis -- --ablations`.

import { describe, expect, it } from "vitest";
import { redisIsThere } from "../storage/redis/servers.ts";
import { changedFiles } from "../torture/program.ts";
import { ABLATIONS, tryWithout } from "./ablations.ts";

const AT_ONCE = [
  "token and sequence number in the commit",
  "the recipient's watermarks",
  "the look at the deadline before acting",
  "judging once more after a yes",
];

describe.skipIf(!redisIsThere)(
  "the checker of the torture test in Redis finds what goes wrong without",
  () => {
    it.each(ABLATIONS.filter(({ part }) => AT_ONCE.includes(part)))(
      "$part",
      { timeout: 300_000 },
      async (ablation) => {
        expect((await tryWithout(ablation, 1)).isFound).toBe(true);
      },
    );

    it.each(ABLATIONS)("$part, which is still where it was", ({ changes }) => {
      expect(() => changedFiles(changes)).not.toThrow();
    });
  },
);
