// Replays for tests: of one agent of a world, or of all of it.

import { createLocalEnvironment } from "../../../src/environment/local.ts";
import type { Difference } from "../../../src/legion/replay/difference.ts";
import { startLegion } from "../../../src/legion/legion.ts";
import type { AgentId } from "../../../src/domain/message/message.ts";
import { createFileReader } from "../../../src/storage/files/reader/reader.ts";
import { replayAgent, type Replayed } from "../../../src/legion/replay/replay-agent.ts";
import { createLegionReplay, openRecording } from "../../../src/legion/replay/replay-legion.ts";
import { readTape } from "../../../src/legion/replay/recording.ts";
import { temporaryFolder, toPlan, type WorldAgent } from "../../world.ts";

export interface Changed {
  readonly to?: number;
  readonly brief?: string;
}

/** Replays agent `id` of a project as `agent` describes it today. */
export async function replay(
  project: string,
  id: AgentId,
  agent: WorldAgent,
  { to, brief }: Changed = {},
): Promise<Replayed> {
  const reader = createFileReader(project);
  const plan = toPlan(id, agent);
  const today = brief === undefined ? plan : { ...plan, identity: { ...plan.identity, brief } };
  return replayAgent({
    reader,
    project,
    tape: await readTape(reader, id, to),
    planFor: () => Promise.resolve(today),
    settings: () => ({}),
  });
}

export interface ReplayedLegion {
  /** Where it ran. */
  readonly project: string;
  readonly decisions: number;
  readonly difference: Difference | undefined;
}

/** Replays a whole project with the agents of today, in a folder of its own. */
export async function replayLegion(
  recorded: string,
  agents: Readonly<Record<AgentId, WorldAgent>>,
): Promise<ReplayedLegion> {
  const legionReplay = createLegionReplay(await openRecording(createFileReader(recorded)));
  const project = await temporaryFolder();
  const legion = await startLegion({
    project,
    plans: Object.entries(agents).map(([id, agent]) => legionReplay.follow(toPlan(id, agent))),
    limits: {},
    durability: "process",
    delayMs: 0,
    heartbeatMs: "off",
    environment: createLocalEnvironment({}),
    settings: () => ({}),
  });
  await legionReplay.begin(legion);
  await legionReplay.ended(new AbortController().signal);
  const difference = await legionReplay.verdict(createFileReader(project));
  await legion.stop();
  return { project, decisions: legionReplay.decisions, difference };
}
