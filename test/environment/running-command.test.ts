import { expect, it } from "vitest";
import { createLivingCommands } from "../../src/environment/running-command.ts";
import { byHand } from "../world.ts";

it("commands of twenty environments are ended at the runtime's exit by one listener (E5)", async () => {
  const before = process.listeners("exit");
  const ended: number[] = [];
  const over = byHand();
  const running = Array.from({ length: 20 }, (_, n) =>
    createLivingCommands().during(
      () => void ended.push(n),
      () => over.promise,
    ),
  );
  const added = process.listeners("exit").filter((listener) => !before.includes(listener));
  expect(added).toHaveLength(1);
  added[0]!(0);
  expect(ended).toHaveLength(20);
  over.resolve();
  await Promise.all(running);
  expect(process.listeners("exit")).toEqual(before);
});
