import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createMetrics } from "../../../src/control/metrics/metrics.ts";
import { createTotals, type LegionTotals } from "../../../src/control/metrics/totals.ts";
import { watchLegion } from "../../../src/control/reading/watched.ts";
import { createFileBackend } from "../../../src/storage/files/backend.ts";
import { createFileReader } from "../../../src/storage/files/reader/reader.ts";
import { NOOP } from "../../workshop.ts";
import { createWorld, type World } from "../../world.ts";
import { checkMetrics, samplesIn } from "./promtool.ts";

function callsIn({ counts }: LegionTotals): number {
  return [...counts].reduce((sum, [name, n]) => (/^\["call",.*"\d+"\]$/.test(name) ? sum + n : sum), 0);
}

const agents = { "1": { script: () => NOOP }, "2": { script: () => NOOP } };

async function work(world: World): Promise<void> {
  await world.say("1", "Go on");
  await world.say("2", "Go on");
  await world.idle();
}

it("an agent that is deleted, or begun anew, takes nothing back, and what it does then is added", async () => {
  const world = await createWorld(agents);
  const totals = createTotals(createFileReader(world.project));
  expect(callsIn(await totals.read())).toBe(0);
  await work(world);
  const before = await totals.read();
  expect(callsIn(before)).toBe(2);
  await world.stop();
  await rm(join(world.project, ".ai-legion/agents/2"), { recursive: true });
  expect(callsIn(await totals.read())).toBe(2);
  const again = await world.restart();
  await work(again);
  const after = await totals.read();
  expect(callsIn(after)).toBe(4);
  for (const [name, n] of before.counts) expect(after.counts.get(name)).toBeGreaterThanOrEqual(n);
});

it("one whose log cannot be read is told of, and counts as it was known", async () => {
  const world = await createWorld(agents);
  await work(world);
  await world.stop();
  const totals = createTotals(createFileReader(world.project));
  expect(await totals.read()).toMatchObject({ unread: 0 });
  const log = join(world.project, ".ai-legion/agents/2/log");
  await rm(log, { recursive: true });
  await writeFile(log, "This is no folder.");
  const broken = await totals.read();
  expect([broken.unread, callsIn(broken)]).toEqual([1, 2]);
});

it("names the first models, and no more than those, in labels that mean the same in every metric", async () => {
  const script = () => NOOP;
  const world = await createWorld(
    Object.fromEntries(
      Array.from({ length: 23 }, (_, n) => [
        String(n + 1),
        { script, profile: { name: `scripted:m-${n + 1}` } },
      ]),
    ),
  );
  await world.say("all", "Go on");
  await world.idle();
  const backend = createFileBackend(world.project);
  const watched = watchLegion({ project: world.project, backend, config: { durability: "process" } }, 1_000);
  const metrics = createMetrics(watched);
  const text = await metrics.tell();
  expect(checkMetrics(text)).toBe("");
  const calls = [...samplesIn(text)].filter(([name]) => name.startsWith("ai_legion_model_calls_total"));
  expect(calls).toHaveLength(21);
  expect(samplesIn(text).get('ai_legion_model_calls_total{model="other",outcome="answered"}')).toBe(3);
  expect(calls.reduce((sum, [, n]) => sum + n, 0)).toBe(23);
  // Nobody runs it here: nothing of a node is told.
  expect(text).not.toContain("ai_legion_commit_duration_seconds");
  metrics.close();
});
