// What was made of the digests of the agents of a legion, in one file for each kind of excerpt. Of somebody else's agents nothing is kept.

import type { AgentId } from "../../../domain/message/message.ts";
import type { DigestExcerpt } from "../../contract/digests/excerpt.ts";
import { createKeptOfMany, type KeptOfMany, type KeptOfManyPlace } from "./kept-of-many.ts";

interface KeptExcerptsPlace extends KeptOfManyPlace {
  readonly isOthers: (agent: AgentId) => Promise<boolean>;
}

export function createKeptExcerpts({ isOthers, ...place }: KeptExcerptsPlace) {
  const files = new Map<string, KeptOfMany<unknown>>();
  let count = 0;
  const fileOf = <T>({ name, version, schema }: DigestExcerpt<T>): KeptOfMany<T> => {
    const known = files.get(name) as KeptOfMany<T> | undefined;
    const file = known ?? createKeptOfMany({ file: name, name: `${name} ${version}`, schema }, place);
    files.set(name, file as KeptOfMany<unknown>);
    return file;
  };
  return {
    /** To be called with the number of agents that there are, before anything is asked of them. */
    begin: (agents: number): void => void (count = agents),
    /** What `read` gives, or gave when it was last asked. Rejects as `read` does. */
    async excerpt<T>(agent: AgentId, wanted: DigestExcerpt<T>, read: () => Promise<T>): Promise<T> {
      const file = fileOf(wanted);
      await file.open(count);
      const toKeep = async (now: T) => ((await isOthers(agent).catch(() => true)) ? undefined : now);
      return file.of(agent) ?? file.renew(agent, read, toKeep);
    },
  };
}
