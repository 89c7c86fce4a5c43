import type { Clock } from "../../base/clock.ts";
import type { AgentId } from "../../domain/message/message.ts";
import { leadsOut } from "../../config/mini/output.ts";
import type { AgentRecord, Reader } from "../../storage/contract/reader.ts";
import { trajectoryFacts } from "../watching/trajectory-facts.ts";
import { createTrajectoryFile, type TrajectoryFile } from "../watching/trajectory-file.ts";
import type { Workshop } from "./workshop.ts";

export interface TrajectoryOrder {
  /** Absolute. */
  readonly path: string;
  /** Of the home that the run has, for as long as it is written. */
  readonly reader: Reader;
  readonly clock: Pick<Clock, "sleep">;
  /** Told what stands against writing it. */
  readonly tell: (problem: string) => void;
}

/** The name of the file in the home of a run. */
export const TRAJECTORY = "trajectory.json";

/**
 * Where the configuration of an agent had it written, as far as that held; `undefined` where it named nothing. No link that leads
 * out of the project by now is followed.
 */
export async function outputOf(
  { configuration }: Pick<AgentRecord, "configuration">,
  project: string,
): Promise<string | undefined> {
  const path = configuration?.["agent"]?.["output_path"];
  return typeof path === "string" && !(await leadsOut(path, project)) ? path : undefined;
}

/** Writes what the agent does from now on, and did before; close it when nothing is committed any more. */
export async function writeTrajectory(
  { legion, agent }: Workshop,
  order: TrajectoryOrder,
): Promise<TrajectoryFile> {
  const file = await openTrajectory(agent, order);
  const unwatch = legion.inspector.watch(file.see);
  const close: TrajectoryFile["close"] = () => {
    unwatch();
    return file.close();
  };
  return { ...file, close };
}

/**
 * Has the trajectory of an agent that nobody runs say all of its log, also where its process was killed before it could. Resolves
 * with what stood against that, if anything did.
 */
export async function completeTrajectory(
  agent: AgentId,
  order: Omit<TrajectoryOrder, "tell">,
): Promise<string | undefined> {
  const file = await openTrajectory(agent, { ...order, tell: () => undefined });
  return file.close();
}

async function openTrajectory(
  agent: AgentId,
  { path, reader, ...order }: TrajectoryOrder,
): Promise<TrajectoryFile> {
  return createTrajectoryFile(path, {
    ...order,
    facts: trajectoryFacts(agent, await reader.record(agent)),
    events: (from?: number) => reader.events(agent, from),
    blobs: reader.blobs(agent),
  });
}
