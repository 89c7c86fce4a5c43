import { expect, it, onTestFinished } from "vitest";
import { linkSignals } from "../../../src/base/process/signals.ts";

it("the signal of an action can be waited for by many calls at once, without a warning", async () => {
  const warnings: Error[] = [];
  const warn = (warning: Error): void => void warnings.push(warning);
  process.on("warning", warn);
  onTestFinished(() => void process.off("warning", warn));
  const { signal } = linkSignals(new AbortController().signal, new AbortController().signal);
  for (let call = 0; call < 40; call++) signal.addEventListener("abort", () => undefined);
  await new Promise((resolve) => setImmediate(resolve));
  expect(warnings).toEqual([]);
});
