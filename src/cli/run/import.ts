import { stat } from "node:fs/promises";
import { basename, dirname, extname, resolve } from "node:path";
import { readableModules } from "../../config/module-loader.ts";
import { isArchive, isOwnArchive } from "../../storage/archive/format.ts";
import { receiveAt } from "../../storage/archive/unfold.ts";
import { LegionError, messageOf } from "../../base/errors.ts";
import { createDisk } from "../../base/files/disk.ts";
import { displayName, isAgentId, type AgentId } from "../../domain/message/message.ts";
import { fromArchive, fromOriginal, type FromArchive } from "../../storage/archive/imported.ts";
import { readOriginal, type Original, type OriginalPlace } from "../../storage/archive/legacy.ts";
import { memoryAt, readRemains } from "../../storage/archive/original-store.ts";
import { legionPaths } from "../../storage/folder/paths.ts";
import { shownPath } from "../../base/files/project-file.ts";
import { openPersonFolder } from "../../storage/folder/person/folder.ts";
import { authorshipOf } from "../../storage/folder/person/authorship.ts";
import type { CliCommand, Io, Typed } from "../kit/command.ts";
import { confirm } from "../consent/confirm.ts";
import { namesOf, oneLine, print, printJson } from "../kit/output.ts";
import { createProgress } from "../kit/progress.ts";
import { addJsonOption, addLegionOptions, addTrustOption, withSite, type Site } from "../kit/target.ts";
import { count } from "../../base/text/wording.ts";

/** Kinds of what was not understood. */
const MAX_NAMED = 5;
const MAX_SHOWN_CHARS = 60;

export const command: CliCommand = {
  define(parser) {
    parser
      .argument(
        "<file>",
        "what `legion export` wrote, or an agent of the original AI Legion: its memory, or its folder",
      )
      .option("--as <id>", "its name here; what it did before is history then");
    addTrustOption(addJsonOption(addLegionOptions(parser)));
  },
  async run(typed, io) {
    const file = typed.args[0]!;
    const path = await memoryAt(resolve(io.cwd, file));
    if (!(await stat(path).catch(() => undefined))?.isFile())
      throw new LegionError("USAGE", `there is no file ${JSON.stringify(file)}`);
    const order: ImportOrder = {
      path,
      file,
      as: readName(typed),
      trust: typed.options["trust"] !== undefined,
    };
    const { remarks, facts, text } = await withSite(typed, io, async (site) =>
      (await isArchive(path)) ? importArchive(order, site, io) : importOriginal(order, site, io),
    );
    for (const remark of remarks) io.stderr.write(`legion: ${oneLine(remark)}\n`);
    if (typed.options["json"]) printJson(io, facts);
    else print(io, text);
    return 0;
  },
};

interface ImportOrder {
  readonly path: string;
  /** As it was typed. */
  readonly file: string;
  readonly as: AgentId | undefined;
  /** The person says that they know what is in it. */
  readonly trust: boolean;
}

/** What came of it: said beside it, for programs, and for people. */
interface Imported {
  readonly remarks: readonly string[];
  readonly facts: object;
  readonly text: string;
}

function readName({ options: { as } }: Typed): AgentId | undefined {
  if (as === undefined || isAgentId(as)) return as;
  throw new LegionError(
    "USAGE",
    `--as: ${JSON.stringify(as)} is no name for an agent; use small letters, digits, dots and dashes`,
  );
}

async function importArchive(order: ImportOrder, site: Site, io: Io): Promise<Imported> {
  const { path, as } = order;
  const authorship = await authorOf(order, site, io);
  const progress = createProgress(io);
  const onProgress = (lines: number): void => progress.show(count(lines, "line"));
  const readable = await readableModules();
  const arrival = await fromArchive(path, { as, onProgress, readable, authorship });
  const left = await receiveAt(site.backend, arrival, readable, openPersonFolder(io.env)).finally(() =>
    progress.clear(),
  );
  const remarks = authorship ? left : [...left, waits(order)];
  const { agents, events, unread, isLive } = arrival.unpacked!;
  const facts = { agents: arrival.agents, events, unread: as === undefined ? unread : 0, live: isLive };
  if (as !== undefined) {
    const text = `${displayName(as)} has the past of ${namesOf(agents)}: ${count(events, "event")}, as history`;
    return { remarks, facts, text };
  }
  const who = `${namesOf(agents)}: ${count(events, "event")}, ${count(unread, "unread message")}`;
  const advice = isLive
    ? "copied while running, so here begins a log of its own; the original may go on"
    : "moved here; do not start what it was made from any more";
  return { remarks, facts, text: `${who}\n${advice}` };
}

/** The person's hand for what comes in, if the file is their own or they say that it counts. */
async function authorOf(
  { path, file, trust }: ImportOrder,
  site: Site,
  io: Io,
): Promise<FromArchive["authorship"]> {
  const authorship = await authorshipOf(openPersonFolder(io.env));
  if (trust || ((await isArchive(path)) && (await isOwnArchive(path, authorship)))) return authorship;
  const question = `${file} was not written on your machines. Take it on as if it were?`;
  if (await confirm(question, io)) return authorship;
  if (site.backend.foreign === "waits") return undefined;
  throw new LegionError(
    "FOREIGN",
    `${file} was not written on your machines; --trust takes it on all the same`,
  );
}

function waits({ file }: ImportOrder): string {
  const way = "`legion start --trust` takes on what is in it; until then its agents do not run";
  return `FOREIGN: ${file} was not written on your machines; ${way}`;
}

async function importOriginal(order: ImportOrder, site: Site, io: Io): Promise<Imported> {
  const { path, file, as } = order;
  const agent = as ?? nameFrom(path, file);
  const at = new Date().toISOString();
  const original = await parse(order, { agent, at });
  const authorship = await authorOf(order, site, io);
  const { events, goals, notes, strange } = original;
  const readable = await readableModules();
  const arrival = fromOriginal(agent, original, { at, readable, authorship });
  const remarks = [...(await receiveAt(site.backend, arrival, readable, openPersonFolder(io.env)))];
  if (strange.length > 0) {
    const kept = await keepStrange(legionPaths(site.project).corrupt, agent, strange);
    const where = `kept in ${shownPath(site.project, kept)}`;
    remarks.push(`${strange.length} not understood (${listKinds(strange)}); ${where}`);
  }
  if (!authorship) remarks.push(waits(order));
  const past = [count(events.length, "event")];
  if (goals.length > 0) past.push(count(goals.length, "goal"));
  if (notes.size > 0) past.push(count(notes.size, "note"));
  return {
    remarks,
    facts: {
      agents: [agent],
      events: events.length,
      goals: goals.length,
      notes: notes.size,
      strange: strange.flatMap(({ index }) => index ?? []),
    },
    text: `${displayName(agent)} has the past of ${file}: ${past.join(", ")}, as history`,
  };
}

/** `2 of type "foo", 1 of its goals`; past five kinds the rest is counted. */
function listKinds(strange: Original["strange"]): string {
  const counts = new Map<string, number>();
  for (const { kind } of strange) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  const all = [...counts].map(([kind, n]) => `${n} ${oneLine(kind).slice(0, MAX_SHOWN_CHARS)}`);
  const rest = all.length > MAX_NAMED ? [`and ${count(all.length - MAX_NAMED, "other kind")}`] : [];
  return [...all.slice(0, MAX_NAMED), ...rest].join(", ");
}

/** The original kept each agent's memory as `memory` in a folder of its name. */
function nameFrom(path: string, file: string): AgentId {
  const name = basename(path, extname(path)).toLowerCase();
  const id = name === "memory" ? basename(dirname(path)).toLowerCase() : name;
  if (isAgentId(id)) return id;
  throw new LegionError("USAGE", `${file} does not tell the agent's name; say it with --as <id>`);
}

async function parse({ path, file }: ImportOrder, place: OriginalPlace): Promise<Original> {
  const remains = await readRemains(path).catch((error: unknown) => {
    throw new LegionError("STORAGE", `${file}: ${messageOf(error)}`, { cause: error });
  });
  const original = remains && readOriginal(remains, place);
  if (original && original.events.length > 0) return original;
  const kinds = "neither a file of `legion export` nor a memory of the original AI Legion";
  throw new LegionError("USAGE", `${file} is ${kinds}`);
}

async function keepStrange(folder: string, agent: AgentId, strange: Original["strange"]): Promise<string> {
  const path = resolve(folder, `${agent}-import.json`);
  await createDisk(resolve(folder, "../tmp")).replace(path, JSON.stringify(strange, null, 2));
  return path;
}
