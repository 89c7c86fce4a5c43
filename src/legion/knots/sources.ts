// How agents stand, as far as knots have to do with it: those that run here, and those of which only a log tells.

import { isLegionError } from "../../base/errors.ts";
import { CONTROL, isAgentId, type AgentId } from "../../domain/message/message.ts";
import { isResting } from "../../past/waiting/resting.ts";
import type { Nodes } from "../../storage/contract/nodes.ts";
import type { Reader } from "../../storage/contract/reader.ts";
import type { Store } from "../../storage/contract/store.ts";
import type { Residents } from "../hosting/rest/residents.ts";
import type { Supervised } from "../supervision/supervisor.ts";
import type { AgentReading, KnotSource } from "./reading.ts";

type StandingReader = Pick<Reader, "known" | "standing" | "unread">;
type HostedReader = StandingReader & Pick<Reader, "record">;

/**
 * Of a legion in files, in Redis or in an archive, by its logs alone: whether a command runs in the background they do not say.
 *
 * @param isThere does it go on, if something comes? Of a legion that nobody runs, all would.
 */
export function recordedStandings(
  reader: StandingReader,
  isThere: (agent: AgentId) => boolean | Promise<boolean> = () => true,
): KnotSource {
  return {
    known: reader.known,
    async read(agent) {
      // What a log from elsewhere says of whom it wrote to is no name of a folder.
      if (agent !== CONTROL && !isAgentId(agent)) return undefined;
      const standing = await reader.standing(agent).catch(unreadable);
      if (!standing) return undefined;
      const { ledger, conversation } = standing;
      const { waiting, isResting: isDone } = conversation;
      // Of all others nobody has to ask who runs them.
      const mayWait = isDone && waiting.asked.size > 0;
      const isAtRest = mayWait && (await isThere(agent));
      return { isAtRest, waiting, ledger, undelivered: ledger.undelivered };
    },
    hasMail: async (agent, { ledger }) => (await reader.unread(agent, ledger)).length > 0,
  };
}

export interface HostedStandings {
  /** Costs little, of those that run here. What is seen so may be over, and what runs in the background is not looked at. */
  readonly glance: Pick<KnotSource, "read">;
  readonly source: KnotSource;
}

/** @param others who else runs agents of the same legion: whoever lost the right to run one may not know of it. Absent: nobody */
export function hostedStandings(
  agents: Residents["agents"],
  reader: HostedReader,
  others?: Pick<Store, "runElsewhere"> & Pick<Nodes, "list">,
): HostedStandings {
  const isStanding = async (agent: AgentId): Promise<boolean> => {
    const supervised = agents.get(agent);
    if (supervised && isStill(supervised)) return true;
    return (await others?.runElsewhere())?.has(agent) === true && !(await isObserver(agent, reader));
  };
  const isInBackground = async (agent: AgentId): Promise<boolean> => {
    const own = agents.get(agent)?.agent;
    if (own) return own.background.isRunning();
    return (await others?.list())?.some(({ inBackground }) => inBackground.includes(agent)) === true;
  };
  const recorded = recordedStandings(reader, isStanding);
  const glance: KnotSource["read"] = async (agent) =>
    liveReading(agents.get(agent)) ?? (await recorded.read(agent));
  const lookAt = others ? recorded.read : glance;
  const read: KnotSource["read"] = async (agent) => {
    const reading = await lookAt(agent);
    return reading?.isAtRest && (await isInBackground(agent)) ? { ...reading, isAtRest: false } : reading;
  };
  return { glance: { read: glance }, source: { ...recorded, read } };
}

/** Whoever observes others goes on when these do. Nobody says so of one whose record cannot be read. */
async function isObserver(agent: AgentId, reader: Pick<Reader, "record">): Promise<boolean> {
  return (await reader.record(agent).catch(unreadable))?.observe !== undefined;
}

/** Does it run here with nothing to do? */
function isStill({ isAsleep, agent, standing }: Supervised): boolean {
  if (isAsleep) return true;
  return standing.state === "idle" && agent !== undefined && !agent.sources;
}

function liveReading(supervised: Supervised | undefined): AgentReading | undefined {
  const agent = supervised?.isAsleep ? undefined : supervised?.agent;
  if (!supervised || !agent) return undefined;
  const { memory, outbox, inbox } = agent;
  const { conversation, ledger } = memory;
  const isIdle = isStill(supervised) && !memory.isDead() && inbox.unread === 0;
  const { last, seen, taken } = ledger;
  return {
    isAtRest: isIdle && isResting(conversation),
    waiting: { asked: new Map(conversation.waiting.asked) },
    ledger: { last, seen: new Map(seen), taken },
    undelivered: outbox.undelivered(),
  };
}

/** Its line of `legion ps` says why. A place that does not answer may hold mail to anybody. */
function unreadable(error: unknown): undefined {
  if (!isLegionError(error) || error.code === "STORAGE") throw error;
}
