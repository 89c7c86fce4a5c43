// Which run or session it is, and who has the task in it.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { createClock } from "../../../base/clock.ts";
import type { ConfigFlags } from "../../../config/config.ts";
import { LegionError } from "../../../base/errors.ts";
import { CONTROL } from "../../../domain/message/message.ts";
import type { Mode } from "../../../domain/supervision.ts";
import { modeSaid } from "../../../agent/act/mode.ts";
import { createBranch } from "../../../past/fold.ts";
import type { AgentRecord } from "../../../storage/contract/reader.ts";
import { raiseLimits, spentBy } from "../../../legion/run/limits.ts";
import { completeTrajectory, outputOf, TRAJECTORY } from "../../../legion/run/trajectory.ts";
import { DEFAULT_AGENT } from "../../../legion/run/workshop.ts";
import { chooseSession, findSession, type SessionHome } from "../../../storage/files/sessions.ts";
import { openPersonFolder } from "../../../storage/folder/person/folder.ts";
import { canAsk } from "../../consent/confirm.ts";
import type { Io, Typed } from "../../kit/command.ts";
import { printJson, warn } from "../../kit/output.ts";
import { withSite, type Site } from "../../kit/target.ts";
import { recallOwn, type Recalled } from "../start/selection.ts";
import { configurationIn } from "./configuration.ts";
import { endOfRun } from "./last-line.ts";
import { refuseToResume, standingOf } from "./resume.ts";

/** Throws USAGE for words that name several, and as `chooseSession` and `findSession` do. */
export async function findRun(project: string, { options }: Typed, { env }: Io): Promise<SessionHome> {
  const { session, continue: newest, resume } = options;
  const person = openPersonFolder(env);
  const said = [session, newest, resume].filter((one) => one !== undefined);
  if (said.length > 1 && resume !== undefined)
    throw new LegionError("USAGE", "--resume says which run; leave out --session and --continue");
  if (said.length > 1)
    throw new LegionError("USAGE", "--continue takes the newest session; leave out --session");
  if (resume !== undefined) return findSession(project, resume, person);
  const choice = session === undefined ? (newest ? "newest" : "new") : { name: session };
  return chooseSession(project, choice, person);
}

export interface Recalling {
  readonly typed: Typed;
  /** Absent: its agent goes on with what it has. */
  readonly task: string | undefined;
  /** What a run works with. */
  readonly io: Io;
  /** Absolute: where its trajectory shall be written; absent: where it was before. */
  readonly output: string | undefined;
  /** Where programs are told of one that is over. */
  readonly stdout: Io["stdout"];
}

export interface RecalledRun extends Recalled {
  /** What the command line says of its settings, or said when it was begun. */
  readonly settings: ConfigFlags;
  /** How its person watched over it; `undefined`: they never said. */
  readonly mode: Mode | undefined;
  /** Absolute: where its trajectory was written, and is again; absent: nobody said. */
  readonly output?: string | undefined;
  /** What was kept of its configuration; absent: nothing. */
  readonly kept?: AgentRecord["sources"];
}

/** Who has the task: whom the run had before, unless another one is named. Throws USAGE for one that cannot be gone on with. */
export async function recallRun({ name, home }: SessionHome, recalling: Recalling): Promise<RecalledRun> {
  if (!existsSync(home)) return settled(NEW, recalling.typed);
  const typed = { ...recalling.typed, options: { ...recalling.typed.options, run: name } };
  const recall = (site: Site): Promise<RecalledRun> =>
    recallBegun({ name, home }, site, { ...recalling, typed });
  return withSite(typed, recalling.io, recall, "refuse");
}

const NEW: Recalled = { who: { kind: "count", count: 1 } };
const AS_BEFORE = "as in this session before; --agent names another";

async function recallBegun(run: SessionHome, site: Site, recalling: Recalling): Promise<RecalledRun> {
  const { typed, io } = recalling;
  await refuseForeign(site, typed, io);
  const held = await heldTo(site);
  const said =
    typed.options["resume"] === undefined ? typed : await readyToResume(run, site, { ...recalling, held });
  const { agent, config, resume } = typed.options;
  const record = await recordOfRun(site);
  if (agent !== undefined || config !== undefined) {
    const flags = resume === undefined ? undefined : await flagsOfRun(site, record);
    return { ...settled({ ...NEW, flags }, said, held), mode: await modeOfRun(site), kept: record?.sources };
  }
  // Its record is signed: what stands there of its limits is what was typed.
  const recalled = await recallOwn({ kind: "last" }, site, { typed, io });
  const mode = await modeOfRun(site);
  return {
    ...settled(recalled.who.kind === "count" ? recalled : { ...recalled, said: AS_BEFORE }, said, held),
    mode,
    kept: record?.sources,
  };
}

/** What is typed, with limits as they are typed for a run that has spent nothing. Throws USAGE for one that is done. */
async function readyToResume(
  { name: run, home }: SessionHome,
  { reader, project }: Site,
  { typed, task, io, stdout, output, held }: Recalling & { readonly held: TypedForRun },
): Promise<Typed> {
  const standing = await standingOf(reader);
  const { agent, end } = standing;
  const { json, limits } = typed.options;
  if (agent !== undefined && end?.status === "Submitted") {
    const kept = output ?? held.output ?? (await outputOf(await reader.record(agent), project));
    const trajectory = kept ?? join(home, TRAJECTORY);
    const problem = await completeTrajectory(agent, { path: trajectory, reader, clock: createClock() });
    if (problem !== undefined) warn(io, problem);
    if (json) printJson({ stdout }, endOfRun({ run, trajectory }, { ...standing, ...end, end: end.status }));
  }
  refuseToResume(run, standing, task);
  if (limits === undefined) return typed;
  const before = (await reader.lastStart())?.flags.limits;
  const raised = raiseLimits(limits, before, spentBy(standing));
  return { ...typed, options: { ...typed.options, limits: raised } };
}

/** Of who has the task; `undefined` where nobody was started. */
async function recordOfRun({ reader }: Site): Promise<AgentRecord | undefined> {
  const [worker] = (await reader.lastStart())?.agents ?? [];
  return worker && reader.record(worker.id);
}

/** Whoever goes on with it, a run has the model and the limits that it had. */
async function flagsOfRun({ reader }: Site, record: AgentRecord | undefined): Promise<Recalled["flags"]> {
  const { flags } = (await reader.lastStart()) ?? {};
  return { limits: flags?.limits, model: flags?.model ?? record?.model };
}

/** What was typed for a run that its person alone may say. */
type TypedForRun = Pick<NonNullable<Recalled["flags"]>, "policy" | "environment" | "output">;

/** Nothing where somebody else may have written it. */
async function heldTo({ reader }: Site): Promise<TypedForRun> {
  return (await reader.isForeign(CONTROL)) ? {} : ((await reader.lastStart())?.flags ?? {});
}

async function modeOfRun({ reader }: Site): Promise<Mode | undefined> {
  const [worker] = (await reader.lastStart())?.agents ?? [];
  if (!worker) return undefined;
  const { branch, ledger } = await reader.follow(worker.id, createBranch);
  return modeSaid(await reader.unread(worker.id, ledger), branch.conversation.run);
}

/** What somebody else wrote is gone on with only where the person is asked about it, or said already that it counts. */
async function refuseForeign({ reader }: Site, { options }: Typed, io: Io): Promise<void> {
  if (options["trust"] || canAsk(io)) return;
  for (const id of [CONTROL, ...(await reader.known())]) {
    if (!(await reader.isForeign(id))) continue;
    const { foreign } = await import("../../../storage/contract/foreign.ts");
    throw foreign(id);
  }
}

function settled(recalled: Recalled, { options }: Typed, held: TypedForRun = {}): RecalledRun {
  const { who, flags: last } = recalled;
  const { approvals, yolo, yes, model = last?.model, limits = last?.limits } = options;
  // Rules are typed to be held to, also after a crash, and so is where commands run.
  const { policy = held.policy, environment = held.environment, resume } = options;
  const named = configurationIn(options) ?? options["agent"];
  const agent = named ?? (who.kind === "count" ? DEFAULT_AGENT : undefined);
  const commands = (yolo ?? yes) && "allow";
  const place = { environment, bus: "memory", tick: "0" };
  const settings = { model, limits, agent, policy, approvals, ...place, commands };
  return { ...recalled, settings, mode: undefined, output: resume === undefined ? undefined : held.output };
}
