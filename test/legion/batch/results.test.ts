import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createResults, type Prediction } from "../../../src/legion/batch/results.ts";
import { createHandClock } from "../../hand-clock.ts";
import { byHand, temporaryFolder } from "../../world.ts";

/** Whose tasks are over, and read from logs: that takes as long as the test says. */
async function createResulting(...over: string[]) {
  const folder = await temporaryFolder();
  const path = join(folder, "preds.json");
  const clock = createHandClock();
  let reading = { begun: byHand(), go: byHand() };
  async function* told(): AsyncGenerator<Prediction, void> {
    reading.begun.resolve();
    await reading.go.promise;
    for (const id of over) yield { id, submission: `${id} is done` };
  }
  const results = createResults({
    ...{ folder, model: "tester", rows: () => [], told, clock },
    tell: (problem) => expect.unreachable(problem),
  });
  const end = (id: string): void => {
    over.push(id);
    results.add({ id, submission: `${id} is done` });
  };
  return {
    path,
    results,
    /** `first` ends, and `second` while what is over is read because of that. */
    async endWhileRead(first: string, second: string): Promise<void> {
      reading = { begun: byHand(), go: byHand() };
      end(first);
      clock.advance(await clock.asleep());
      await reading.begun.promise;
      end(second);
      reading.go.resolve();
      // It is written once the next time is waited for.
      await clock.asleep();
    },
    /** As they stand there: of two that are the same a parser would show one. */
    async keys(): Promise<readonly string[]> {
      return [...(await readFile(path, "utf8")).matchAll(/^ {2}"(\w+)": \{/gm)].map(([, key]) => key!);
    },
  };
}

it("a task that ends while what was told before is read stands in preds.json once, also where somebody changed that", async () => {
  const { path, results, endWhileRead, keys } = await createResulting("a", "b");
  await endWhileRead("c", "d");
  expect(await keys()).toEqual(["a", "b", "c", "d"]);
  await writeFile(path, "{}");
  await endWhileRead("e", "f");
  expect(await results.close()).toBeUndefined();
  expect(await keys()).toEqual(["a", "b", "c", "d", "e", "f"]);
});
