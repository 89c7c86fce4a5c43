// Who takes which part of a survey, and how far each has come.

import type { AgentId } from "../../../domain/message.ts";
import type { Findings } from "./findings.ts";
import { newShare, readReport, writeShare, type Share } from "../letters.ts";
import { groupBy, stepsSince, type ReadMail, type OfflineView, type ActionStep } from "../prompt-reader.ts";

export interface Team {
  /** What the agent that was asked walks itself: its own share, and those that could not be handed over. */
  readonly own: Share;
  readonly parts: readonly TeamPart[];
}

/** What another agent takes. `idle`: it has no entries, and was told. */
export interface TeamPart {
  readonly agent: AgentId;
  readonly share: Share;
  readonly state: "unsent" | "refused" | "idle" | "awaited" | Findings;
}

export interface Survey {
  readonly dir: string;
  readonly asker: AgentId;
  /** What happened before does not count. */
  readonly at: number;
}

/** `entries`: names in the surveyed folder, folders with a `/` at the end. `agents`: whom to share with. */
export interface Ground {
  readonly entries: readonly string[];
  readonly agents: readonly AgentId[];
}

/** The same shares for the same entries and agents. */
export function shareOut(view: OfflineView, { dir, at }: Survey, { entries, agents }: Ground): Team {
  const [own = [], ...others] = divide(entries, agents.length + 1);
  const reports = others.filter(({ length }) => length > 0).length;
  const sent = groupBy(
    stepsSince(view, at).filter(({ action }) => action === "sendMessage"),
    ({ parameters }) => String(parameters["targetAgentId"]),
  );
  const mails = groupBy(
    view.mails.filter((received) => received.at > at).map(({ mail }) => mail),
    ({ from }) => from,
  );
  const parts = agents.map((agent, index): TeamPart => {
    const share = newShare(dir, others[index]!, reports);
    return { agent, share, state: stateOf(share, sent.get(agent) ?? [], mails.get(agent) ?? []) };
  });
  const refused = parts.filter(({ state }) => state === "refused").flatMap(({ share }) => share.entries);
  return { own: newShare(dir, [...own, ...refused], 1), parts };
}

function stateOf(share: Share, sent: readonly ActionStep[], mails: readonly ReadMail[]): TeamPart["state"] {
  const report = mails.map(({ text }) => readReport(share, text)).findLast((found) => found !== undefined);
  if (report && share.entries.length > 0) return onlyIn(share, report);
  const letter = writeShare(share);
  const step = sent.find(({ parameters }) => parameters["message"] === letter);
  if (!step) return "unsent";
  if (step.result.isError) return "refused";
  return share.entries.length > 0 ? "awaited" : "idle";
}

/** A report may name what lies in its share, nothing else. */
function onlyIn({ entries }: Share, findings: Findings): Findings {
  const own = new Set(entries);
  const found = findings.found.filter(({ path }) => own.has(path.slice(0, path.indexOf("/") + 1) || path));
  return { ...findings, found };
}

/** How much more there is, probably, in a folder than in a file. */
const FOLDER_WEIGHT = 10;

/** Deals `entries`, folders first, each to the hand that holds least; some hands may stay empty. */
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
