// A question about a call: put to the person, and waited for. The call stays in its place: no mail is taken in meanwhile.

import { firstOf, linkSignals, SHUTDOWN, type Stops } from "../../base/process/signals.ts";
import type { AskedCall } from "../../domain/event/approval.ts";
import { CONTROL, displayName, isPersons, laneOf, type Message } from "../../domain/message/message.ts";
import { questionText, shown } from "../../domain/policy/question-text.ts";
import { actIn, modeIn, type Mode } from "../../domain/supervision.ts";
import { compose } from "../../mail/compose.ts";
import type { Mail } from "../../mail/bus.ts";
import { describeQuestion, openQuestion, type AskedQuestion } from "../../past/questions.ts";
import { questionId, verdictIn, type Question, type Settlement } from "../../domain/policy/verdict.ts";
import type { Agent, Performer, SoundCall } from "../parts/agent.ts";
import type { CallJudgement } from "./gate.ts";
import { STOPPED } from "./perform.ts";

/** Has the question in the log and on its way to Control, unless both is done. */
export async function askPerson(
  performer: Performer,
  ready: SoundCall,
  judgement: CallJudgement,
): Promise<void> {
  const { memory, identity, shared, outbox } = performer;
  const { call } = ready;
  if (!openQuestion(memory.conversation.questions))
    await memory.commit({ kind: "approval", call: call.id, asked: toAsked(performer, ready, judgement) });
  const question = openQuestion(memory.conversation.questions)!;
  if (question.isSent) return;
  const id = questionId({ agent: identity.id, seq: question.seq });
  const { newest } = memory.conversation;
  const letter = {
    from: identity.id,
    to: [CONTROL],
    content: questionText(id, displayName(identity.id), {
      ...question.asked,
      parameters: question.call.parameters,
    }),
    details: { question: id },
    // It answers nothing that it goes on from.
    chain: newest ? { root: newest.root, hops: newest.hops + 1 } : ("new" as const),
  };
  const sends = compose(memory, letter, [], shared.clock.now());
  await memory.commit({ kind: "approval", call: call.id, sends });
  void outbox.deliver();
}

/** Has those who watch told of a call that nobody is there to be asked about. */
export function tellUnasked(performer: Performer, ready: SoundCall, judgement: CallJudgement): void {
  const { identity, memory, redactor } = performer;
  const asked = redactor.value(toAsked(performer, ready, judgement));
  memory.tell({ kind: "live:unasked", agent: identity.id, asked });
}

function toAsked(
  { memory }: Performer,
  { name: action }: SoundCall,
  { touches, besides, rule, mode }: CallJudgement,
): AskedCall {
  const { authority, taint } = memory.conversation;
  return {
    action,
    touches,
    besides,
    rule,
    mode,
    authority: authority.length > 0 ? authority : undefined,
    taint: taint.length > 0 ? taint : undefined,
  };
}

/**
 * Waits until the open question is settled, and commits that; where nobody is there, no longer than for answers that wait
 * already. Where the person wants to watch in another way first, it is not settled yet. Rejects with SHUTDOWN, and with the
 * reason of lost patience; then it stays open.
 */
export async function awaitVerdict(performer: Performer, stops: Stops): Promise<void> {
  const { memory, presence } = performer;
  const open = openQuestion(memory.conversation.questions)!;
  const seen = seenAs(performer, open);
  presence.show("asking", seen.question.id);
  memory.tell(seen);
  try {
    const ended = await nextSettlement(performer, seen.question, stops);
    if (ended !== "judge anew") await settleQuestion(performer, open, ended);
  } finally {
    presence.show("acting");
  }
}

async function nextSettlement(
  { inbox, memory, rulebook, shared: { clock } }: Performer,
  { id, expires }: Question,
  { signal, patience }: Stops,
): Promise<Settlement | "judge anew"> {
  const { signal: either, unlink } = linkSignals(signal, patience ?? NEVER);
  try {
    for (;;) {
      const settlement = settlementIn(inbox.ahead(), id, memory.conversation.run.modeBy);
      if (settlement) return settlement;
      if (signal.reason === SHUTDOWN) throw SHUTDOWN;
      if (signal.aborted) return { verdict: "superseded", reason: STOPPED };
      patience?.throwIfAborted();
      const leftMs = Date.parse(expires) - clock.now();
      if (leftMs <= 0 || rulebook.questions.mode === "deny") return { verdict: "expired" };
      await firstOf(either, (over) => [inbox.heard(over), clock.sleep(leftMs, over)]);
    }
  } finally {
    unlink();
  }
}

const NEVER = new AbortController().signal;

/**
 * What Control said first that settles the question `id`: its verdict, or anything else that it wants first. A word that it
 * wants to watch in another way, but `heeded`, may settle it as well.
 */
function settlementIn(
  mail: readonly Mail[],
  id: string,
  heeded: string | undefined,
): Settlement | "judge anew" | undefined {
  const heededAt = mail.findIndex(({ message }) => message.id === heeded);
  for (const [index, { message }] of mail.entries()) {
    if (index > heededAt && modeIn(message) !== undefined) return "judge anew";
    const settlement = settledBy(message, id);
    if (settlement) return settlement;
  }
  return undefined;
}

function settledBy(message: Message, id: string): Settlement | undefined {
  const { id: by } = message;
  // The runtime speaks through the same log, and so do other programs.
  if (!isPersons(message)) return undefined;
  const lane = laneOf(message);
  if (lane === "abort") return { verdict: "superseded", by, reason: STOPPED };
  if (lane === "normal" || lane === "steer")
    return { verdict: "superseded", by, reason: "New instructions came first." };
  const said = verdictIn(message);
  if (said?.question !== id) return undefined;
  return { verdict: said.verdict, by, reason: said.reason };
}

/** Has Control told of words that do nothing: answers to no question that is open, calls that nobody waits for in mode `mode`. */
export function tellOfVoid(
  { memory, shared }: Pick<Agent, "memory" | "shared">,
  mail: readonly Mail[],
  mode: Mode,
): void {
  const { used } = memory.conversation.questions;
  const whose = displayName(memory.agent);
  for (const { message } of mail) {
    const isOther = laneOf(message) !== "verdict" || modeIn(message) !== undefined;
    const act = actIn(message);
    if (isOther || used.has(message.id) || (act && mode === "human")) continue;
    const question = verdictIn(message)?.question ?? "a question";
    const content = act
      ? `What you typed counts for nothing: ${whose} is not in mode human.`
      : `The answer to ${shown(question)} counts for nothing: ${whose} does not wait for it any more.`;
    shared.tellControl(memory.agent, `void ${message.id}`, content);
  }
}

/** Settles an open question whose answer is there, unless the person wanted to watch in another way before. */
export async function settleAnswered(performer: Performer): Promise<void> {
  const { inbox, memory, identity } = performer;
  const { questions, run } = memory.conversation;
  const open = openQuestion(questions);
  const id = open && questionId({ agent: identity.id, seq: open.seq });
  const settlement = id === undefined ? undefined : settlementIn(inbox.ahead(), id, run.modeBy);
  if (settlement && settlement !== "judge anew") await settleQuestion(performer, open!, settlement);
}

/** Commits what became of a question, and has those who watch told. */
export async function settleQuestion(
  performer: Performer,
  open: AskedQuestion,
  ended: Settlement,
): Promise<void> {
  await performer.memory.commit({ kind: "approval", call: open.call.id, ...ended });
  performer.memory.tell({ ...seenAs(performer, open), ended });
}

function seenAs({ identity: { id: agent }, rulebook }: Performer, open: AskedQuestion) {
  const question = describeQuestion(agent, open, rulebook.questions.expireMs);
  return { kind: "question", agent, question } as const;
}
