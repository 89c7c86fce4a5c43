// `start --model replay:<folder>`: a legion that does again what an earlier one did.

import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { createRedactor } from "../../../base/redaction/redactor.ts";
import { describeDifference } from "../../../legion/replay/difference.ts";
import { LegionError } from "../../../base/errors.ts";
import { displayName } from "../../../domain/message/message.ts";
import { describeRecorded } from "../../../model/scripted/recorded.ts";
import { isArchive } from "../../../storage/archive/format.ts";
import { unpackArchive } from "../../../storage/archive/unpack.ts";
import { createFileReader } from "../../../storage/files/reader/reader.ts";
import type { Reader } from "../../../storage/contract/reader.ts";
import {
  checkCast,
  createLegionReplay,
  openRecording,
  type Recording,
} from "../../../legion/replay/replay-legion.ts";
import { planRoster } from "../../../legion/roster.ts";
import { packageDir } from "../../../base/package.ts";
import { checkHome } from "../../../storage/folder/home.ts";
import { legionPaths } from "../../../storage/folder/paths.ts";
import { openPersonFolder } from "../../../storage/folder/person/folder.ts";
import { FAREWELL, REPLAY, type Workload, type WorkloadOrder } from "./workload.ts";
import { count } from "../../../base/text/wording.ts";

/** Agents that follow their tapes; an obstacle is a difference. Only of an order that `isReplay`. Throws USAGE and CONFIG before anything is written. */
export async function openReplay(order: WorkloadOrder): Promise<Workload> {
  const { config, project, task } = order;
  const model = config.flags.model ?? "";
  if (config.bus.kind !== "memory")
    throw new LegionError("USAGE", "--model: a replay runs in files; add --bus memory");
  if (task !== undefined)
    throw new LegionError("USAGE", "--task: a replay says what was said; leave the option out");
  await refusePast(createFileReader(project));
  const { reader, close } = await openRecordingAt(resolve(project, model.slice(REPLAY.length)));
  try {
    return { ...(await prepare(order, await openRecording(reader))), close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** What an agent remembers already would be in its first prompt. */
async function refusePast(today: Reader): Promise<void> {
  for (const id of await today.known()) {
    for await (const _ of today.events(id)) {
      const advice = "replay in a folder without .ai-legion/agents, such as a fresh clone";
      throw new LegionError("CONFIG", `${displayName(id)} has a past here; ${advice}`);
    }
  }
}

async function prepare(
  { who, project, config, admit }: WorkloadOrder,
  recording: Recording,
): Promise<Omit<Workload, "close">> {
  const replay = createLegionReplay(recording, createRedactor(config.secrets()));
  const roster = await planRoster(who, {
    config,
    places: { projectDir: project, packageDir },
    admit,
    modelFor: ({ id }) => describeRecorded(recording.modelOf(id) ?? "offline", config.models),
  });
  checkCast(
    recording,
    roster.roles.map(({ plan }) => plan.identity.id),
  );
  return {
    roster: { ...roster, roles: roster.roles.map((role) => ({ ...role, plan: replay.follow(role.plan) })) },
    farewell: FAREWELL,
    isReplay: true,
    begin: replay.begin,
    heartbeatMs: "off",
    done: (_, signal) => replay.ended(signal),
    async obstacle(_, tell) {
      const difference = await replay.verdict(createFileReader(project));
      if (difference) {
        for (const line of describeDifference(difference).split("\n")) tell(line);
        return `${displayName(difference.agent)} is not as it was recorded: ${difference.part}`;
      }
      const { size } = recording.tapes;
      tell(`${count(size, "agent")}: ${count(replay.decisions, "decision")}, identical.`);
      return undefined;
    },
  };
}

interface OpenedRecording {
  readonly reader: Reader;
  close(): Promise<void>;
}

/**
 * The tapes of a project, of its .ai-legion, or of a file of `legion export --all`. Throws CONFIG if there are no logs at `path`,
 * DAMAGED if a file of them is not whole.
 */
async function openRecordingAt(path: string): Promise<OpenedRecording> {
  if (await isArchive(path)) return openArchive(path);
  const project = basename(path) === ".ai-legion" ? dirname(path) : path;
  const reader = createFileReader(project);
  await checkHome(reader.paths, openPersonFolder(process.env));
  const found = await stat(reader.paths.agents).catch(() => undefined);
  if (found?.isDirectory() && (await reader.known()).length > 0)
    return { reader, close: () => Promise.resolve() };
  throw new LegionError(
    "CONFIG",
    `there is no recorded legion at ${path}: name a project's folder, or a file of legion export --all`,
  );
}

async function openArchive(path: string): Promise<OpenedRecording> {
  const project = await mkdtemp(join(tmpdir(), "legion-"));
  const close = (): Promise<void> => rm(project, { recursive: true, force: true });
  try {
    await unpackArchive(path, legionPaths(project).agents);
    return { reader: createFileReader(project), close };
  } catch (error) {
    await close();
    throw error;
  }
}
