// Archives of real legions, and what becomes of them.

import { createWriteStream } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { receiveAgents } from "../../../src/storage/files/arrivals.ts";
import type { Event } from "../../../src/domain/event/event.ts";
import { fromLine, toLine } from "../../../src/storage/folder/line.ts";
import type { AgentId } from "../../../src/domain/message/message.ts";
import { createFileSource } from "../../../src/storage/files/reader/source.ts";
import { fromArchive } from "../../../src/storage/archive/imported.ts";
import { packAgents, type Packing } from "../../../src/storage/archive/pack.ts";
import { legionPaths } from "../../../src/storage/folder/paths.ts";
import { createFileReader } from "../../../src/storage/files/reader/reader.ts";
import { READABLE } from "../../readable.ts";
import { ownHand } from "../../own-hand.ts";
import { createWorld, temporaryFolder, type World } from "../../world.ts";

export const goal = { calls: [{ action: "addGoal", parameters: { goal: "Plan" } }] };
export const note = { calls: [{ action: "writeNote", parameters: { title: "a/b", content: "Text" } }] };

/** Agents 1 and 2, at rest: 2 has a goal and a note, and 1 has read a text too long for a line. */
export async function restingLegion(): Promise<World> {
  const world = await createWorld({ "1": {}, "2": { script: [goal, note] } });
  await world.say("1", `é${"x".repeat(70_000)}`);
  await world.say("2", "Work");
  await world.idle();
  await world.stop();
  return world;
}

/** Writes the archive of `agents` to a file of its own. */
export async function archiveOf(project: string, agents: readonly AgentId[]): Promise<string> {
  return written(packAgents(createFileSource(createFileReader(project)), agents, await ownHand()));
}

export async function written({ pieces }: Pick<Packing, "pieces">): Promise<string> {
  const file = join(await temporaryFolder(), "a.legion");
  await pipeline(Readable.from(pieces), createWriteStream(file));
  return file;
}

/** Takes the archive into a new project. */
export async function received(file: string): Promise<string> {
  const project = await temporaryFolder();
  await receiveAgents(
    legionPaths(project),
    await fromArchive(file, { readable: READABLE, authorship: await ownHand() }),
  );
  return project;
}

type Line = Readonly<Record<string, unknown>>;

export async function linesIn(file: string): Promise<Line[]> {
  const lines = (await readFile(file, "utf8")).trimEnd().split("\n");
  return lines.map((line) => fromLine<Line>(Buffer.from(line))!);
}

/** The same archive with other lines, each with the right checksum, and the right number of them. */
export async function forge(
  file: string,
  change: (lines: readonly Line[]) => readonly Line[],
): Promise<string> {
  const lines = change(await linesIn(file));
  const counted = lines.map((line) => (line["kind"] === "end" ? { ...line, lines: lines.length } : line));
  const forged = join(await temporaryFolder(), "forged.legion");
  await writeFile(forged, counted.map((line) => toLine(line)).join(""));
  return forged;
}

export async function eventsOf(project: string, agent: AgentId): Promise<readonly Event[]> {
  const events: Event[] = [];
  for await (const event of createFileReader(project).events(agent)) events.push(event);
  return events;
}

export async function unreadOf(project: string, agent: AgentId): Promise<readonly string[]> {
  const reader = createFileReader(project);
  const mail = await reader.unread(agent, await reader.ledger(agent));
  return mail.map(({ message }) => message.content);
}
