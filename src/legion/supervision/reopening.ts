// Keeps an agent open: opens it when that is possible, and its log anew when it has failed. While it rests it may be closed.

import type { Agent, Shared } from "../../agent/parts/agent.ts";
import type { Identity } from "../../domain/authoring/host.ts";
import { createPresence, type Presence } from "../../agent/parts/presence.ts";
import { formatDuration } from "../../base/text/duration.ts";
import { LegionError, messageOf } from "../../base/errors.ts";
import { type NoticeEvent, restartNotice } from "../../domain/event/notice.ts";
import { modeNotice } from "../../domain/supervision.ts";
import { isPoisonous } from "../../past/ledger.ts";
import { park } from "../../agent/park.ts";
import { mend as mendLog } from "../../mail/log-access.ts";

export interface Upkeep {
  readonly identity: Identity;
  readonly presence: Presence;
  readonly shared: Shared;
  /** Absent: it could not be opened yet, or rests. */
  readonly agent: Agent | undefined;
  /** Opens the agent, or rejects with what keeps it from being opened. Called until it resolves. */
  readonly open: () => Promise<Agent>;
}

const POISON = "3 starts in a row ended while this agent was acting, the last one while nobody else was";

export function createUpkeep({ identity, shared, open, ...first }: Upkeep) {
  let { agent, presence } = first;
  let isGuarded = false;
  /** What is wrong with its log, and since when; `undefined` while it is whole. */
  let broken: { readonly reason: string; readonly trouble: string; readonly sinceMs: number } | undefined;
  return {
    get agent() {
      return agent;
    },
    get presence(): Presence {
      return agent?.presence ?? presence;
    },
    get isWhole() {
      return agent !== undefined && !broken;
    },
    /** Throws STORAGE with the reason if the agent is halted. */
    whole(): Agent {
      if (agent && !broken) return agent;
      throw new LegionError("STORAGE", `${identity.name} is halted: ${broken?.reason ?? "it is not open"}`);
    },
    halt(error: unknown): void {
      const reason = messageOf(error);
      if (!broken) {
        broken = { reason, trouble: troubleOf(error), sinceMs: shared.clock.now() };
        const content = `${identity.name} is halted, and goes on once this is over: ${reason}`;
        shared.tellControl(identity.id, broken.trouble, content);
      }
      const { standing, show } = agent?.presence ?? presence;
      if (standing.state !== "halted" || standing.reason !== reason) show("halted", reason);
    },
    /** It is closed from now on, and stands as it stood: nothing of it is held. */
    release(): void {
      presence = createPresence(identity.id, shared, (agent?.presence ?? presence).standing);
      agent = undefined;
    },
    /** Opens the agent, or its log anew, and says in it what was wrong. */
    async mend(): Promise<Agent> {
      const past = broken && haltNotice(broken.reason, shared.clock.now() - broken.sinceMs);
      if (agent && past) await agent.memory.reopen(past);
      else if (!agent) {
        agent = await open();
        if (past) await agent.memory.commit(past);
      } else await mendLog(agent.memory);
      if (broken && past) {
        agent.presence.show("waiting");
        const content = `${identity.name} goes on. ${past.content}`;
        shared.tellControl(identity.id, `${broken.trouble}, which is over`, content);
      }
      broken = undefined;
      if (!isGuarded) await guard(agent);
      isGuarded = true;
      return agent;
    },
  };
}

/** What is wrong, whichever file it was noticed at: a full disk is one trouble of all agents. */
function troubleOf(error: unknown): string {
  if (error instanceof Error && error.cause !== undefined) return troubleOf(error.cause);
  const message = messageOf(error);
  return error instanceof Error && "syscall" in error ? message.replace(/, .*/s, "") : message;
}

/** Keeps an agent from taking the node down again and again, and from a mode that nobody said: that was settled for another process. */
async function guard(agent: Agent): Promise<void> {
  const { memory } = agent;
  const { halt, run } = memory.conversation;
  if (!halt && isPoisonous(memory.ledger)) await park(agent, "parked", POISON);
  if (run.mode !== "usual" && !run.isModeSaid) await memory.commit(modeNotice({ mode: "usual" }));
}

function haltNotice(reason: string, forMs: number): NoticeEvent {
  const time = formatDuration(Math.round(forMs / 1_000) * 1_000);
  return restartNotice(`It was halted for ${time}: ${reason}`);
}
