import { expect, it } from "vitest";
import { expenseOf } from "../../../src/legion/observing/expense.ts";
import { estimateUsage } from "../../../src/model/tokens/tokens.ts";
import { createFileReader } from "../../../src/storage/files/reader/reader.ts";
import { createHandClock } from "../../hand-clock.ts";
import { QUIET } from "../../observed.ts";
import { obliging, scribeOf } from "../../scenarios/memory/scribe/listening.ts";
import { createWorld } from "../../world.ts";

const SCRIBE = { observer: "scribe", observe: "all" } as const;

it("an estimate of what was said before has as many calls as it takes, and about as many tokens", async () => {
  const clock = createHandClock();
  const before = await createWorld({ "1": QUIET, "2": QUIET }, { clock });
  const say = async (to: string, words: number, times: number): Promise<void> => {
    for (let n = 0; n < times; n++) {
      await before.say(to, "word ".repeat(words));
      await before.idle();
    }
  };
  await say("1", 20, 13);
  await say("2", 200, 2);
  clock.advance(40 * 60_000);
  await say("1", 500, 1);
  const reader = createFileReader(before.project);
  const price = { input: 1, output: 5 };
  const expense = await expenseOf(reader, SCRIBE, { summarises: true, price });
  expect(expense).toMatchObject({ messages: 16, threads: 2, cost: expect.any(Number) });
  expect(await expenseOf(reader, SCRIBE, { summarises: true, price: undefined })).not.toHaveProperty("cost");
  expect(await expenseOf(reader, SCRIBE, { summarises: false, price })).toMatchObject({ calls: 0, cost: 0 });

  const model = obliging();
  const after = await before.restart({
    ...{ "1": QUIET, "2": QUIET },
    scribe: scribeOf(model, { observesFrom: "start" }),
  });
  await after.idle();
  clock.advance(40 * 60_000);
  await after.idle();
  expect(model.requests).toHaveLength(expense.calls);
  const read = model.requests.reduce((sum, request) => sum + estimateUsage(request, []).input, 0);
  expect(expense.tokens).toBeGreaterThan(read / 2);
  expect(expense.tokens).toBeLessThan(read * 3);
  const left = await expenseOf(reader, SCRIBE, { summarises: true, price });
  expect(left).toMatchObject({ messages: 0, calls: 0, cost: 0 });
});
