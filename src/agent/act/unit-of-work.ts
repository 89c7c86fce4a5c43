// The unit of work: what one action changes and sends through its host is staged here and committed in one record with
// its result, or dropped with it.

import type { Correspondent } from "../parts/agent.ts";
import type { ModelAnswer } from "../parts/model/metered-model.ts";
import { compose, writeLetter, hasMet, resolveTargets, type Letter } from "../../mail/compose.ts";
import type { Undeliverable } from "../../past/mail/dead-letters.ts";
import { addUsage, type StateChange, type Usage } from "../../domain/event/event.ts";
import { LegionError } from "../../base/errors.ts";
import type { MemoryId } from "../../domain/memory/memory-id.ts";
import type { Answering } from "../../domain/message/answering.ts";
import type { RecordDetails } from "../../domain/memory/record.ts";
import { MAX_CONTENT_BYTES, type AgentId, type Message } from "../../domain/message/message.ts";
import type { OpenCall } from "../../past/ledger.ts";
import { keysOf, valueOf, type ModuleState } from "../../past/state.ts";
import { createFileAccount } from "../../past/undo/told.ts";
import { mistakeIn } from "../../past/waiting/answering.ts";
import type { State } from "../../domain/authoring/host.ts";

export type Work = ReturnType<typeof beginWork>;

/** @param call the one that it is the work of */
export function beginWork({ memory, shared }: Correspondent, call: string) {
  const changes: StateChange[] = [];
  const sends: Message[] = [];
  const refused: Undeliverable[] = [];
  const answered: ModelAnswer[] = [];
  let isOver = false;
  return {
    changes: changes as readonly StateChange[],
    sends: sends as readonly Message[],
    /** What could not be sent, whatever became of the action: to be committed before its result. */
    refused: refused as readonly Undeliverable[],
    files: createFileAccount(),
    /** Has it told that it is about to change something in the workspace? */
    told: { isReplacing: false },
    /** What the action's own model calls came to, those without an answer included; `undefined` without any. */
    get usage(): Usage | undefined {
      return usageOf(memory.ledger.open, call, answered);
    },
    /** The action has ended: nothing can be staged any more. */
    get isOver(): boolean {
      return isOver;
    },
    /** Counts a model call of the action, unless that has ended. */
    spend(answer: ModelAnswer): void {
      if (!isOver) answered.push(answer);
    },
    end(): void {
      isOver = true;
    },
    state: (module: string): State => stagedState(memory.state, module, changes),
    /** Stages a record for a long-term memory. Throws REFUSED where it is too long. */
    record: (to: MemoryId, content: string, details: RecordDetails): void =>
      void sends.push(...composeRecord({ memory, shared }, { to, content, details }, sends)),
    /** Stages one message to each target. Throws REFUSED, staging none, if one of them may not be sent. */
    async send(
      targets: readonly AgentId[] | "all",
      words: Pick<Letter, "content" | "details" | "receipts" | keyof Answering>,
      isPermitted: (to: AgentId) => boolean,
    ): Promise<readonly string[]> {
      const known = await shared.known();
      const to = resolveTargets(targets, known, memory.agent, (id) => hasMet(memory, id));
      const barred = to.filter((id) => !isPermitted(id));
      if (barred.length > 0)
        throw new LegionError(
          "REFUSED",
          `A rule of your policy stands against writing to ${barred.join(", ")}.`,
        );
      const mistake = mistakeIn(words, memory.agent, to, memory.conversation.waiting);
      if (mistake !== undefined) throw new LegionError("REFUSED", mistake);
      const written = await writeLetter(memory, { ...words, from: memory.agent, to }, shared, sends);
      if (written.refusal) {
        refused.push(written.refusal.notice);
        throw new LegionError("REFUSED", written.refusal.reason);
      }
      sends.push(...written.sends);
      return written.sends.map(({ id }) => id);
    },
  };
}

function usageOf(
  open: readonly OpenCall[],
  call: string,
  answered: readonly ModelAnswer[],
): Usage | undefined {
  const settled = new Set(answered.map(({ prompted }) => prompted));
  // A call without an answer is charged for its reservation.
  const own = open.filter((one) => one.call === undefined || one.call === call);
  const unanswered = own.filter(({ seq }) => !settled.has(seq));
  const usages = [
    ...unanswered.map(({ reserved }) => reserved),
    ...answered.map(({ completion }) => completion.usage),
  ];
  return usages.length > 0 ? usages.reduce(addUsage) : undefined;
}

function composeRecord(
  { memory, shared }: Correspondent,
  {
    to,
    content,
    details,
  }: { readonly to: MemoryId; readonly content: string; readonly details: RecordDetails },
  staged: readonly Message[],
): readonly Message[] {
  const bytes = Buffer.byteLength(content);
  if (bytes > MAX_CONTENT_BYTES)
    throw new LegionError("REFUSED", `It has ${bytes} bytes; at most ${MAX_CONTENT_BYTES} are kept.`);
  return compose(memory, { from: memory.agent, to: [to], content, details }, staged, shared.clock.now());
}

/** Module state as a running action sees it: the committed values under its own changes. */
export function stagedState(committed: ModuleState, module: string, changes: StateChange[]): State {
  return {
    get(key) {
      const change = changes.findLast(([changed, name]) => changed === module && name === key);
      return change ? (change[2] ?? undefined) : valueOf(committed, module, key);
    },
    set(key, value) {
      const json: unknown = JSON.parse(JSON.stringify(value));
      changes.push([module, key, json]);
    },
    delete(key) {
      changes.push([module, key, null]);
    },
    keys() {
      const keys = new Set(keysOf(committed, module));
      for (const [changed, key, value] of changes) {
        if (changed !== module) continue;
        keys.delete(key);
        if (value !== null) keys.add(key);
      }
      return [...keys];
    },
  };
}
