// What was made of the digests of the agents of a legion, in one file for each kind of excerpt. Of somebody else's agents nothing is kept.

import type { AgentId } from "../../../domain/message/message.ts";
import type { DigestExcerpt } from "../../contract/digests/excerpt.ts";
import { createKeptOfMany, type KeptOfMany, type KeptOfManyPlace } from "./kept-of-many.ts";

interface KeptExcerptsPlace extends KeptOfManyPlace {
  readonly isOthers: (agent: AgentId) => Promise<boolean>;
}

export function createKeptExcerpts({ isOthers, ...place }: KeptExcerptsPlace) {
  const files = new Map<string, Promise<KeptOfMany<unknown>>>();
  let count = 0;
  const fileOf = <T>({ name, version, schema }: DigestExcerpt<T>): Promise<KeptOfMany<T>> => {
    const open = async (): Promise<KeptOfMany<T>> => {
      const file = createKeptOfMany({ file: name, name: `${name} ${version}`, schema }, place);
      await file.open(count);
      return file;
    };
    const opened = files.get(name) as Promise<KeptOfMany<T>> | undefined;
    const file = opened ?? open();
    files.set(name, file as Promise<KeptOfMany<unknown>>);
    return file;
  };
  return {
    /** To be called with the number of agents that there are, before anything is asked of them. */
    begin: (agents: number): void => void (count = agents),
    /** What `read` gives, or gave when it was last asked. Rejects as `read` does. */
    async excerpt<T>(agent: AgentId, wanted: DigestExcerpt<T>, read: () => Promise<T>): Promise<T> {
      const file = await fileOf(wanted);
      return (
        file.of(agent) ?? file.renew(agent, read, async (now) => ((await isOthers(agent)) ? undefined : now))
      );
    },
  };
}
