// What the agents of a start are there for: who they are, what gets them going, and when they are done.

import type { QuestionSettings } from "../../../agent/parts/rulebook.ts";
import { LegionError, isLegionError, messageOf } from "../../../base/errors.ts";
import { packageDir } from "../../../base/package.ts";
import { aborted } from "../../../base/process/signals.ts";
import type { Config, ConfigFlags } from "../../../config/config.ts";
import type { Member, Places } from "../../../config/definition.ts";
import type { Mode } from "../../../domain/supervision.ts";
import type { Admit, Brought } from "../../../config/module-loader.ts";
import { describeKnot, type Knot } from "../../../domain/message/knot.ts";
import type { Legion, LegionOptions } from "../../../legion/legion.ts";
import { broughtBy, planRoster, type Roster, type RosterDeps, type Who } from "../../../legion/roster.ts";
import type { Watcher } from "./view.ts";
import { startedBy } from "./selection.ts";
import { whyNotDone } from "./shutdown.ts";

/** What the agents work at: what comes in, or what an earlier legion did. */
export interface Workload extends Pick<LegionOptions, "heartbeatMs" | "started"> {
  readonly roster: Roster;
  /** Said to a person who ends it; may be empty. */
  readonly farewell: string;
  /** What becomes of what only a profile would have asked, in a sandbox; absent: it is asked. */
  readonly inSandbox?: QuestionSettings["inSandbox"];
  /** How its person watches over it from its beginning on; absent: as they did before. */
  readonly mode?: Mode;
  /** Does it write again what was written before? */
  readonly isReplay: boolean;
  /** Says the first words to the agents. */
  begin(legion: Legion): Promise<void>;
  /** Resolves when it is time to end, or when `signal` aborts. */
  done(legion: Legion, signal: AbortSignal): Promise<void>;
  /** What kept it from being done, in a few words; `undefined` if nothing did. May tell a person more. */
  obstacle(legion: Legion, tell: (text: string) => void): Promise<string | undefined>;
  /** What it came to in words, for the person, and as an exit code; absent: as of a start. */
  outcome?(): { readonly words: string; readonly exitCode: number };
  close(): Promise<void>;
}

export interface WorkloadOrder {
  readonly who: Who;
  /** What the person should know of that choice, if it was not theirs. */
  readonly said?: string;
  /** A scribe listens to them; absent: none but those of `who`. */
  readonly scribe?: "listens";
  /** Whoever listens also hears what was said before; absent: what they first find, from now on. */
  readonly hears?: "everything";
  /** What the first agent is told. */
  readonly task: string | undefined;
  /** `idle`: it also ends when nobody has anything to do; `answered`: it is there for its task alone; `finished`: for several. */
  readonly until: "idle" | "told" | "answered" | "finished";
  readonly flags: ConfigFlags;
  /** Definitions that are no files of `agents/`, by what refers to them. */
  readonly others?: Places["others"];
  readonly config: Config;
  readonly machine: RosterDeps["machine"];
  /** Real path of the project's folder. */
  readonly project: string;
  /** Absolute real path of the home of one of its runs; absent: the project's own legion. */
  readonly home?: string;
  /** Asked before anything runs that the project brings. */
  readonly admit: Admit;
}

/** How the name of a model begins that is a folder of recorded agents. */
export const REPLAY = "replay:";

export function isReplay({ config }: Pick<WorkloadOrder, "config">): boolean {
  return config.flags.model?.startsWith(REPLAY) === true;
}

/** Of a start, which finishes what runs. */
export const FAREWELL = "Ending: what runs is finished first. Ctrl-C again stops at once.";

/** Throws as `planRoster`; of a choice that was not the person's, it says so. */
export async function planWorkload(order: WorkloadOrder, watcher: Watcher): Promise<Workload> {
  const { who, task, until, flags, config } = order;
  const roster = await planAgents(order, watcher);
  return {
    roster,
    farewell: FAREWELL,
    isReplay: false,
    heartbeatMs: config.heartbeatMs,
    started: startedBy(who, roster.roles, flags),
    async begin({ control }) {
      if (task !== undefined) await control.say([roster.roles[0]!.plan.identity.id], task);
    },
    done: ({ untilIdle }, signal) => (until === "told" ? aborted(signal) : untilIdle(signal)),
    async obstacle(legion, tell) {
      for (const knot of await standingKnots(legion)) tell(describeKnot(knot));
      return whyNotDone(legion);
    },
    close: () => Promise.resolve(),
  };
}

/** None where nobody can tell. */
async function standingKnots({ knots }: Pick<Legion, "knots">): Promise<readonly Knot[]> {
  return knots().catch((error: unknown) => {
    if (!isLegionError(error)) throw error;
    return [];
  });
}

async function planAgents(order: WorkloadOrder, watcher: Watcher): Promise<Roster> {
  const { who, scribe, project, home: runHome, config, admit, machine } = order;
  const onRemark = (text: string): void => watcher.tell(text, "model");
  const places = { projectDir: project, packageDir, others: order.others };
  const deps = { config, places, onRemark, admit, machine, runHome };
  const roster = await asChosen(order, planRoster(who, deps));
  const isThere = roster.roles.some(({ plan }) => plan.identity.id === SCRIBE.id);
  if (scribe === undefined || isThere) return roster;
  const { roles, remarks } = await planRoster(JUST_SCRIBE, deps);
  return { ...roster, roles: [...roster.roles, ...roles], remarks: [...roster.remarks, ...remarks] };
}

/** Who keeps what is said in long-term memory. */
const SCRIBE: Member = { id: "scribe", agent: "scribe", limits: {} };
const JUST_SCRIBE: Who = { kind: "given", members: [SCRIBE] };

/** What the project's own files would have for the agents of a start by `config`, and for the scribe that listens to them. */
export async function broughtFor(
  order: Pick<WorkloadOrder, "who" | "said" | "scribe" | "project" | "others">,
  config: Config,
): Promise<Brought> {
  const { who, scribe, project, others } = order;
  const deps = { config, places: { projectDir: project, packageDir, others } };
  const brought = await asChosen(order, broughtBy(who, deps));
  if (scribe === undefined) return brought;
  const { modules, grants } = await broughtBy(JUST_SCRIBE, deps);
  const wanted = [...brought.grants, ...grants];
  return {
    modules: [...new Set([...brought.modules, ...modules])],
    grants: [...new Map(wanted.map((one) => [one.what, one])).values()],
  };
}

/** If it fails and the agents were not the person's choice, it says so. */
export async function asChosen<T>({ said }: Pick<WorkloadOrder, "said">, work: Promise<T>): Promise<T> {
  return work.catch((error: unknown) => {
    if (said === undefined || !isLegionError(error)) throw error;
    throw new LegionError(error.code, `${messageOf(error)} (the agents are ${said})`, { cause: error });
  });
}
