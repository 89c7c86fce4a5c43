// Who takes which part of a survey, and how far each has come.

import type { AgentId } from "../../domain/message/message.ts";
import type { Findings } from "./findings.ts";
import { newShare, readReport, writeShare, type Share } from "./letters.ts";
import { lastStep, sendMessage } from "./move.ts";
import type { OfflineView } from "./view.ts";

export interface Team {
  /** What the agent that was asked walks itself: its own share, and those that nobody else takes. */
  readonly own: Share;
  readonly parts: readonly TeamPart[];
}

/** What another agent takes. */
export interface TeamPart {
  readonly agent: AgentId;
  readonly share: Share;
  readonly state: "unsent" | "awaited" | "returned" | Findings;
}

/** What lies in the folder `dir`: names, folders with a `/` at the end. */
export interface Ground {
  readonly dir: string;
  readonly entries: readonly string[];
}

/** The same shares for the same entries and agents, and what came of them after `at`. */
export function shareOut(
  view: OfflineView,
  at: number,
  { dir, entries }: Ground,
  agents: readonly AgentId[],
): Team {
  const [own = [], ...dealt] = divide(entries, agents.length + 1);
  const others = dealt.filter(({ length }) => length > 0);
  const parts = others.map((part, index): TeamPart => {
    const [agent, share] = [agents[index]!, newShare(dir, part, others.length)];
    return { agent, share, state: stateOf(view, at, agent, share) };
  });
  const returned = parts.filter(({ state }) => state === "returned").flatMap(({ share }) => share.entries);
  return { own: newShare(dir, [...own, ...returned], 1), parts };
}

function stateOf(view: OfflineView, at: number, agent: AgentId, share: Share): TeamPart["state"] {
  const reports = view.mails
    .filter((mail) => mail.at > at && mail.from === agent)
    .map(({ text }) => readReport(share, text));
  const report = reports.findLast((found) => found !== undefined);
  if (report) return report;
  const sent = lastStep(view, at, sendMessage({ to: [agent], text: writeShare(share) }));
  if (!sent) return "unsent";
  return sent.result.isError ? "returned" : "awaited";
}

/** How much more there is, probably, in a folder than in a file. */
const FOLDER_WEIGHT = 10;

/** Deals `entries`, folders first, each to the hand that holds least; the last hands may stay empty. */
export function divide(entries: readonly string[], hands: number): readonly (readonly string[])[] {
  const dealt = Array.from({ length: hands }, () => ({ weight: 0, entries: [] as string[] }));
  const isFolder = (entry: string): boolean => entry.endsWith("/");
  const sorted = entries.toSorted();
  for (const entry of [...sorted.filter(isFolder), ...sorted.filter((name) => !isFolder(name))]) {
    const hand = dealt.reduce((least, other) => (other.weight < least.weight ? other : least));
    hand.entries.push(entry);
    hand.weight += isFolder(entry) ? FOLDER_WEIGHT : 1;
  }
  return dealt.map((hand) => hand.entries);
}

const AGENT = /^[^\n[\]]{1,80} \[agentId=([^\s\]]{1,64})\] running\b/;

/** The agents that a registry shows as running, but for `own`. */
export function runningPeers(registry: string, own: AgentId): readonly AgentId[] {
  const ids = registry.split("\n").flatMap((line) => AGENT.exec(line)?.[1] ?? []);
  return [...new Set(ids)].filter((id) => id !== own);
}
