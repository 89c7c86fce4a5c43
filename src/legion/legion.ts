// The composition root: the store, the agents with their models and modules, one supervised actor each.

import { setMaxListeners } from "node:events";
import { homedir } from "node:os";
import type { Shared } from "../agent/parts/agent.ts";
import { toHostable, type AgentPlan, type Place } from "./hosting/agent-plan.ts";
import { suspectsAlone } from "../agent/act/acting-alone.ts";
import { admit, clear } from "../agent/act/admit.ts";
import { createLookout } from "../agent/think/look-outside.ts";
import type { ProgramGate, QuestionSettings } from "../agent/parts/rulebook.ts";
import { createAlarms, type Alarms, createHopNotice, startHeartbeat } from "./announcements.ts";
import { createBudget, type Budget } from "../agent/parts/budget.ts";
import { createClock, type Clock } from "../base/clock.ts";
import { createClosing, type Closing } from "../base/process/closing.ts";
import type { Control } from "../mail/control.ts";
import type { SnapshotLimits } from "../environment/snapshots/snapshots.ts";
import type { Environment } from "../environment/environment.ts";
import { fork, type Forking, type ForkOrder } from "./fork.ts";
import { observing } from "./observing/observing.ts";
import { createHosting, type Hosting } from "./hosting/agent-host.ts";
import { createResidents } from "./hosting/rest/residents.ts";
import { createStatuses, type Statuses } from "./hosting/rest/statuses.ts";
import { createInspector, type Inspect, type Inspector } from "../domain/inspection.ts";
import type { LastStart } from "../storage/contract/last-start.ts";
import type { Limits } from "../domain/limits.ts";
import type { Disk } from "../base/files/disk.ts";
import type { Durability, NodeStorage, Surroundings } from "../storage/contract/node.ts";
import type { AgentId } from "../domain/message/message.ts";
import { openKnots } from "./knots/open.ts";
import type { Knot } from "../domain/message/knot.ts";
import { createLimiter, type LimiterOptions } from "../model/limiter/limiter.ts";
import type { Peer } from "../domain/authoring/host.ts";
import type { ServerStatus } from "../domain/authoring/server-status.ts";
import { readableModules } from "../config/module-loader.ts";
import { legionPaths } from "../storage/folder/paths.ts";
import { NO_SECRETS, type Redactor } from "../base/redaction/redactor.ts";
import { createLimiting, type Limiting } from "./hosting/limiting.ts";
import { createPremises } from "./hosting/shared-host.ts";
import { createPeers } from "./registry.ts";
import { createAnswers, type Answers } from "./questions.ts";
import { createRulebooks, DEFAULT_QUESTIONS, type Rules } from "./rulebook.ts";
import { openBackend } from "../storage/open.ts";
import type { Backend } from "../storage/contract/backend.ts";
import { resend } from "../mail/resend.ts";
import { SHUTDOWN } from "../base/process/signals.ts";
import type { Supervised } from "./supervision/supervisor.ts";
import type { Purse } from "../storage/folder/person/purse/purse.ts";
import { createTokenCounter } from "../model/tokens/tokens.ts";
import { createBackground } from "../agent/parts/background/background.ts";
import { keepFiles } from "../past/undo/kept.ts";
import { createTraces } from "../agent/parts/command-trace.ts";
import { createDoor } from "./door.ts";
import { untilIdle } from "./quiescence.ts";
import { createUndoing, type Undoing } from "./undo/on-node.ts";
import type { Writer } from "../mail/log-access.ts";

export interface LegionOptions {
  /** Absolute real path of the project folder. */
  readonly project: string;
  /** Absolute real path of the home: `sessionHome` gives that of a session. Absent: that of the project's own legion. */
  readonly home?: string;
  readonly plans: readonly AgentPlan[];
  readonly limits: Limits;
  /** What is kept of this start, for the next one. */
  readonly started?: LastStart;
  readonly durability: Durability;
  readonly delayMs: number;
  readonly heartbeatMs: number | "off";
  /** Of many agents, are those closed that have nothing to do, and opened when something comes? Default: all stay open. */
  readonly closesIdle?: boolean;
  /** Told of how many agents all is known that has to be before any of them runs. */
  readonly onReady?: (agents: number, of: number) => void;
  /** Where commands run of agents that say nothing else, and programs of modules. */
  readonly environment: Environment;
  /** How what has to be asked is asked. Default: it waits for a day. */
  readonly questions?: QuestionSettings;
  /** Did the person say that the call may always touch this, whenever it is asked? Default: no. */
  readonly isAnswered?: Rules["isAnswered"];
  /** `off`: nothing is kept of what actions replace in the workspace. Default: it is. */
  readonly undo?: "off";
  /** Past which it is not known what a command changed. Default: 100,000 files, 1 s. */
  readonly snapshots?: SnapshotLimits;
  /** Judges each call besides: it may tighten what the policies say, never widen it. */
  readonly gate?: ProgramGate;
  readonly settings: (module: string) => Readonly<Record<string, unknown>>;
  /** How many calls may run at this provider at once; where it gives nothing, the limiter's default. */
  readonly concurrency?: LimiterOptions["concurrency"];
  readonly clock?: Clock;
  /** Where everything is written; the real disk if absent. */
  readonly disk?: Disk;
  /** `adopt`: what somebody else wrote in the project's files is taken on; absent: it waits, and its agents are halted. */
  readonly foreign?: "adopt";
  /** Where the legion is kept; closed by whoever opened it, with a redactor of its own. The project's files if absent. */
  readonly backend?: Backend;
  /** What the person lets all of their agents spend, in whatever project; closed with the legion. Absent: no limit. */
  readonly purse?: Purse;
  /** Hides secrets from models, hosts, files and people. Absent: nothing is hidden. */
  readonly redactor?: Redactor;
  /** Sees everything from the first event on. */
  readonly watch?: Inspect;
  /** Told limits that a person says while it runs, as they are typed at a start: the next one takes them over. */
  readonly onLimits?: (limits: string) => Promise<void>;
}

export interface Legion extends Answers, Undoing {
  /** Those that run in this process; they may come and go. */
  readonly agents: ReadonlyMap<AgentId, Supervised>;
  /** What this process is called among the nodes of the legion; absent: it is the only one. */
  readonly node?: string;
  readonly control: Control;
  readonly inspector: Inspector;
  readonly budget: Budget;
  readonly limiting: Limiting;
  peers(): Promise<readonly Peer[]>;
  /** Those that its modules speak with for all agents of this process. */
  servers(): readonly ServerStatus[];
  /** Of those that run here. */
  readonly statuses: Statuses;
  /** Every agent, Control not, wherever it runs. */
  known(): readonly AgentId[];
  unread(agent: AgentId): Promise<number>;
  /**
   * Runs one more agent, new or known, or one again that was stopped. Rejects with USAGE if it runs here already, with LOCKED if
   * another process runs it, with FOREIGN, STORAGE or DAMAGED if what is kept of it cannot be used.
   */
  host(plan: AgentPlan): Promise<Supervised>;
  /** Finishes what the agent is at; only another start runs it again, here or elsewhere. */
  dismiss(agent: AgentId): Promise<void>;
  /** The same, and closes it, for whoever hosts one after the other: nothing but what it has spent is held of it here. */
  retire(agent: AgentId): Promise<void>;
  /** As `resend`: sends the dead letter `id` again. */
  resend(id: string): Promise<readonly string[]>;
  /** As `fork`: an agent goes on from an earlier moment of its past. */
  fork(order: ForkOrder): Promise<Forking>;
  /** Agents that wait for each other, wherever they run. Rejects with STORAGE where that cannot be read. */
  knots(): Promise<readonly Knot[]>;
  /** Resolves when no hosted agent has anything to do and all mail, to them and to you, has arrived, or when `signal` aborts. */
  untilIdle(signal: AbortSignal): Promise<void>;
  /** Finishes what runs and closes everything. */
  stop(): Promise<void>;
  /** Ends running model calls and actions at once; `stop` then has nothing to wait for. */
  interrupt(): void;
}

/** Opens the legion and runs its agents. Rejects with LOCKED if another node runs in this folder. */
export async function startLegion(options: LegionOptions): Promise<Legion> {
  const { clock = createClock(), plans, delayMs, redactor = NO_SECRETS } = options;
  const inspector = createInspector(options.watch);
  const paths = legionPaths(options.project, options.home);
  const { inspect } = inspector;
  const { memories, reader, nodes, ...storage } = await openStorage(options, { paths, clock, inspect });
  const { store, disk, node, ceiling, remember, begin } = storage;
  const now = createInterrupt();
  const residents = createResidents(clock, (agent) => hosting.call(agent));
  const { agents } = residents;
  const peers = createPeers(store, plans, residents);
  const known = (): Promise<readonly AgentId[]> => Promise.resolve(store.known());
  const alarms = createAlarms(store.control, clock);
  const closing = createClosing();
  closing.add(store.close);
  const meter = createMeter(options, { clock, alarms, ceiling, closing });
  // What ends with the node, such as servers, may leave something to be told.
  closing.add(alarms.close);
  const premises = createPremises({ ...options, ...alarms, memories, paths, clock, peers, closing });
  const [{ control }, { unread }] = [store, store.bus];
  const announceHops = createHopNotice(control);
  const shared: Shared = { ...alarms, clock, inspect, redactor, known, unread, announceHops };
  const sources = observing({ reader, clock, inspector, agents, lookMs: nodes && LOOK_MS });
  const kept = { store, disk, paths };
  const place = { ...meter, ...stagesOf(clock), ...createDesk(options, kept), shared, premises, sources };
  const { writesTo, servers, endLeft } = premises;
  const undoing = createUndoing({ ...kept, reader, control, clock, redactor, writesTo }, options, agents);
  const hosting = createHosting({ ...place, ...options, ...undoing, store, delayMs, residents }, now.signal);
  inspector.watch(toldOfRest(hosting));
  const { knots, told } = openKnots({ agents, store, reader, nodes, inspector, clock, closing });
  const close = async () => [...(await hosting.close()), ...(await closing.run())];
  const running = await endLeft()
    .then(undoing.finish)
    .then(() => begin(hosting))
    .catch((error: unknown) => close().then(() => Promise.reject(error as Error)));
  const writerFor = (agent: AgentId): Writer | undefined => agents.get(agent) ?? store.writerFor(agent);
  const heart = startHeartbeat(options.heartbeatMs, { clock, agents, control });
  return {
    ...{ agents, node, control, inspector },
    ...{ budget: meter.budget, peers, servers, undo: undoing.undo, undoWaitsFor: undoing.undoWaitsFor },
    limiting: createLimiting({ ...options, ...meter, agents, remember }),
    statuses: createStatuses(agents, { plans, reader, resting: store.resting }),
    known: store.known,
    unread,
    knots,
    ...createAnswers(agents, control),
    ...createDoor(hosting, running, { agents, redactor }),
    resend: (id) => resend(id, { clock, known, unread, control, writerFor }),
    fork: async (order) => fork(order, { store, writerFor, readable: await readableModules() }),
    untilIdle: (signal) =>
      untilIdle({ settled: running.settled, told, agents: residents, control, inspector }, signal),
    interrupt: () => now.abort(SHUTDOWN),
    async stop() {
      heart.abort();
      const unstopped: unknown[] = await running.stop().then(() => [], Array.of);
      const failures = [...unstopped, ...(await close())];
      if (failures.length > 0) throw failures[0];
    },
  };
}

/** Whoever comes to rest may be closed. */
function toldOfRest({ rested }: Hosting): Inspect {
  return (seen) => {
    if (seen.kind === "live:state" && seen.state === "idle") rested();
  };
}

/** What each agent has for itself: what its commands left, what runs beside its calls, and the rules that hold for them. */
function createDesk(
  { redactor = NO_SECRETS, ...options }: LegionOptions,
  { store, disk, paths }: Pick<NodeStorage, "store" | "disk"> & Pick<Surroundings, "paths">,
): Pick<Place, "traces" | "background" | "rulebook" | "kept"> {
  const { agents, agent: folder } = paths;
  return {
    kept: options.undo === "off" ? undefined : keepFiles({ agents, folder, disk, redactor }),
    traces: (agent) => createTraces(paths.agent(agent), disk, redactor),
    background: (agent, where) => createBackground({ folder: paths.agent(agent), disk, redactor, ...where }),
    rulebook: createRulebooks(rulesOf(options), options.plans, store.record),
  };
}

/** How often an observer looks whether agents of other nodes said something. */
const LOOK_MS = 2_000;

/** Everything that runs listens to it. */
function createInterrupt(): AbortController {
  const now = new AbortController();
  setMaxListeners(0, now.signal);
  return now;
}

function stagesOf(clock: Clock): Pick<Place, "lookout" | "admit" | "clear" | "perform"> {
  return { lookout: createLookout, admit, clear, perform: suspectsAlone(clock) };
}

function rulesOf({ questions = DEFAULT_QUESTIONS, isAnswered, gate }: LegionOptions): Rules {
  return {
    home: homedir(),
    questions,
    isAnswered: isAnswered ?? (() => Promise.resolve(false)),
    program: gate,
  };
}

/** A backend that is given is the caller's to close. */
async function openStorage(
  options: LegionOptions,
  where: Surroundings,
): Promise<NodeStorage & Pick<Backend, "memories" | "reader" | "nodes">> {
  const { project, home, plans, started, redactor = NO_SECRETS, backend: given } = options;
  const backend = given ?? (await openBackend({ project, home, bus: { kind: "memory" }, redactor }));
  const agents = plans.map((plan) => toHostable(plan, redactor));
  const node = await backend.openNode({ ...options, agents, started: redactor.value(started) }, where);
  const { memories, reader, nodes } = backend;
  return { ...node, memories, reader, nodes };
}

interface MeterPlace extends Pick<NodeStorage, "ceiling"> {
  readonly clock: Clock;
  readonly alarms: Alarms;
  readonly closing: Closing;
}

/** What the model calls of all agents of this process go through. */
function createMeter(
  { limits, concurrency, purse }: LegionOptions,
  { clock, alarms, ceiling, closing }: MeterPlace,
) {
  const limiter = createLimiter({ clock, concurrency, onOutage: alarms.outage });
  const tokens = createTokenCounter();
  closing.add(tokens.close);
  if (!purse) return { budget: createBudget(limits, ceiling), limiter, tokens };
  closing.add(purse.close);
  purse.begin();
  return { budget: createBudget(limits, ceiling, purse), limiter, tokens };
}
