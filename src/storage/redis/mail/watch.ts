// The mailbox of an agent that is closed while it rests: nothing of it is held but how far it goes. What is said of it, what the
// renewal of the lease tells and what was delivered meanwhile wakes its agent, once; whatever was not heard is seen by the next renewal.

import type { AgentId } from "../../../domain/message/message.ts";
import type { Tenure } from "../../../domain/lease.ts";
import { agentKeys } from "../scripts/keys.ts";
import { hearMail } from "../scripts/mail.ts";
import type { LegionPlace } from "../scripts/scope.ts";
import type { Ear } from "./ear.ts";

export interface MailWatch {
  /**
   * Calls `wake` as soon as there is mail, also what is there already, unless its mailbox is opened or the right is lost before.
   * Resolves when nothing that is delivered can be missed. Rejects with STORAGE.
   */
  over(tenure: Tenure, wake: () => void): Promise<void>;
  /** There is mail up to `position`. */
  heard(agent: AgentId, position: number): void;
  /** It reads for itself again. */
  end(agent: AgentId): void;
}

interface WatchedMailbox {
  /** The newest position that was taken in; Infinity while that is not known. */
  taken: number;
  /** The newest that was heard of. */
  newest: number;
  readonly wake: () => void;
  readonly stop: () => void;
}

export function createWatch({ link, legion }: LegionPlace, ear: Ear): MailWatch {
  const all = new Map<AgentId, WatchedMailbox>();
  const end = (agent: AgentId): void => {
    all.get(agent)?.stop();
    all.delete(agent);
  };
  const heard = (agent: AgentId, position: number): void => {
    const watched = all.get(agent);
    if (!watched) return;
    watched.newest = Math.max(watched.newest, position);
    if (watched.newest <= watched.taken) return;
    end(agent);
    watched.wake();
  };
  return {
    end,
    heard,
    async over(tenure, wake) {
      const { agent, token, lost } = tenure;
      const leave = (): void => end(agent);
      // Listen first: what is delivered from now on is heard, what was before is asked for.
      const ignore = await ear.listen(agentKeys(legion, agent).wake, ({ newest }) => heard(agent, newest));
      const stop = (): void => {
        ignore();
        lost.removeEventListener("abort", leave);
      };
      const watched = { taken: Infinity, newest: 0, wake, stop };
      all.set(agent, watched);
      lost.addEventListener("abort", leave, { once: true });
      try {
        tenure.check();
        const reply = await hearMail({ link, legion, agent }, { token, channel: ear.channel });
        const [newest, , taken] = reply.map(Number);
        watched.taken = taken!;
        heard(agent, newest!);
      } catch (error) {
        end(agent);
        throw error;
      }
    },
  };
}
