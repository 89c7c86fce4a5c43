// How the person at a console watches over the agents there, said with one letter and told once; and what their words mean to an
// agent whose actions they say.

import { modeAfter } from "../../agent/act/mode.ts";
import { LegionError } from "../../base/errors.ts";
import { quote } from "../../base/text/wording.ts";
import type { Inspection } from "../../domain/inspection.ts";
import { displayName, type AgentId } from "../../domain/message/message.ts";
import { modeOf, type ActDetails, type Mode } from "../../domain/supervision.ts";
import type { Legion } from "../../legion/legion.ts";
import { BASH } from "../../model/protocol/bash.ts";
import { readAction } from "../../model/protocol/text-search.ts";
import { MODE_WORDS } from "../kit/mode.ts";
import { namesOf } from "../kit/output.ts";

/** What can stand behind a slash in place of `/mode <ids> <mode>`. */
const LETTERS = { c: "confirm", u: "human", y: "yolo" } as const;

export const MODE_HELP = `/c             each action with effects asks you: Enter runs it, a text
               refuses it, as the reason
/y             nothing asks you, but what is forbidden stays so; at a
               question it runs that, too
/u             what you type is done, and no model is asked: a command, or
               an action's name and, in a line each, its parameters
/m             several lines, up to an empty one
/mode 1 usual  as the policy says
/mode 1 held   as /c, and what it says to others waits, too
`;

/** The mode that a letter stands for. */
export function modeByLetter(letter: string): Mode | undefined {
  return Object.entries(LETTERS).find(([one]) => one === letter)?.[1];
}

export function modeWords(agents: readonly AgentId[], mode: Mode): string {
  return `${namesOf(agents)}: mode ${mode}: ${MODE_WORDS[mode]}.`;
}

/** What the person knows of how each agent is watched over. */
export interface ToldModes {
  /** They are told that it is so for `agents`. */
  tell(agents: readonly AgentId[], mode: Mode): void;
  /** Does it say again what they were told? What it says that is news, they are told now. */
  isOld(seen: Inspection): boolean;
}

/** @param known what they were told before */
export function createToldModes(known: ReadonlyMap<AgentId, Mode>): ToldModes {
  const told = new Map(known);
  return {
    tell: (agents, mode) => agents.forEach((agent) => void told.set(agent, mode)),
    isOld({ agent, ...seen }) {
      if (seen.kind !== "event" || seen.event.kind !== "notice" || seen.event.reason !== "mode") return false;
      const mode = modeOf(seen.event.details);
      const isOld = told.get(agent) === mode;
      if (mode) told.set(agent, mode);
      return isOld;
    },
  };
}

/** How the person wants by now to watch over `agent`; `undefined`: it is not open here. */
export function modeNow({ agents }: Pick<Legion, "agents">, agent: AgentId): Mode | undefined {
  const opened = agents.get(agent)?.agent;
  return opened && modeAfter(opened.inbox.ahead(), opened.memory.conversation.run);
}

/** Does the person say by now what `agent` does, which runs here? */
export function isTypedFor(legion: Pick<Legion, "agents">, agent: AgentId): boolean {
  return modeNow(legion, agent) === "human";
}

const COMMAND = "executeCommand";

/** What `text` has `agent` do, which runs here: in bash alone a command; else the action that it writes, or a command. Throws USAGE. */
export function actFor({ agents }: Pick<Legion, "agents">, agent: AgentId, text: string): ActDetails["act"] {
  const { protocol, actions } = agents.get(agent)!.agent!.speech;
  if (protocol.name === BASH) return { action: BASH, parameters: { command: text } };
  const known = [...actions.actions.keys()];
  const reading = readAction(text);
  if (reading.kind === "action" && known.includes(reading.action.name))
    return { action: reading.action.name, parameters: reading.action.parameters };
  if (reading.kind === "broken" && known.includes(reading.name))
    throw new LegionError("USAGE", `${reading.name} was not done: ${reading.mistake}`);
  if (known.includes(COMMAND)) return { action: COMMAND, parameters: { command: text } };
  const [line = ""] = text.split("\n");
  throw new LegionError(
    "USAGE",
    `${quote(line)} is no action of ${displayName(agent)}; it has ${known.join(", ")}`,
  );
}
