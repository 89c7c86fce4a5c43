// The actor loop. Everything an agent does happens here, in this order:
//
//   mailbox -> log -> [tick] -> offers -> view -> prompt -> model -> log -> each call: gate -> run -> log -> outbox -> again, or wait
//   Where it observes logs, these are a further mailbox; where it has a director, that stands between view and model.
//
//   A1. Only the actor appends to its log, and every append is one commit; nothing is read, changed and written back.
//   A2. Mail is taken into the log only before a decision and after its last result, oldest first, with its position in the
//       mailbox. Of what stands before it in the log a decision saw everything but held mail: follow-ups, and what of the
//       mail before an abort or a steer exceeds a quarter of the model's window, which is released first of all.
//   A3. A decision is in the log before its first call runs. Calls run one after the other, each judged just before, and
//       waiting in its place where a person is asked; each result is committed before the next call starts. Only neighbours
//       that read run side by side, and their results are committed in the order of the calls. None begins while a steer is
//       unread.
//   A4. The model's mistakes, and whatever an action throws, become results that the model reads. Only what breaks the
//       model, the log or the bus goes to the supervisor.
//   A5. The agent decides when mail was shown or its last decision left something to follow up, unless an abort came
//       since; where it would otherwise wait, its oldest follow-up is released. Else it waits for mail.
//       No wake-up is lost: mail that arrives while the model thinks is taken in before the agent may wait.
//       In mode `human` it decides what the person typed, whenever that comes, and nothing else.
//   A6. A decision ends with one result per call, also after a crash, an abort, a steer or a refusal.

import type { Agent } from "./parts/agent.ts";
import { commitWork } from "./parts/commit-work.ts";
import { showRest } from "./parts/presence.ts";
import { resultOfPiece } from "./think/answer.ts";
import { think, wouldFit } from "./think/direct.ts";
import { decideAsTyped } from "./think/typed.ts";
import { hasWork, mayDecide, openCalls, wakesOnMail } from "../past/conversation.ts";
import { isPiece, type ResultEvent } from "../domain/event/event.ts";
import { isLegionError } from "../base/errors.ts";
import { runCalls } from "./act/run-calls.ts";
import { isUrgent } from "../domain/message/message.ts";
import { heedMode, unlessTakenOver } from "./act/mode.ts";
import { parkAtLimit, parkIfStuck } from "./park.ts";
import { parkIfUnprepared } from "./startup.ts";
import { planRecovery } from "./recovery.ts";
import { awaited, takeIn, untilAwaited } from "./take-in.ts";
import { untilBeat } from "./until-beat.ts";
import { aborted, linkSignals, type Stops } from "../base/process/signals.ts";

const LONGEST_REST_MS = 600_000;

/**
 * Runs until `signal` aborts; what runs then is finished first, unless `now` aborts, with SHUTDOWN. Rejects with what the
 * supervisor has to judge.
 */
export async function runActor(agent: Agent, signal: AbortSignal, now: AbortSignal): Promise<void> {
  const { memory, presence, shared } = agent;
  await recover(agent, { signal: now, patience: signal });
  while (!signal.aborted && !now.aborted) {
    if (!hasWork(memory.conversation, awaited(agent))) {
      await memory.settled();
      showRest(presence, memory.conversation);
      await rest(agent, signal);
      continue;
    }
    presence.show("waiting");
    await untilBeat(agent, signal);
    if (signal.aborted) return;
    await (mayTakeIn(agent) ? takeIn(agent) : heedMode(agent));
    if (!mayDecide(memory.conversation)) continue;
    await interruptible(agent, now, (stop) => tick(agent, { signal: stop, patience: signal }));
    if (agent.delayMs > 0) await shared.clock.sleep(agent.delayMs, signal);
  }
}

/** Waits for what can wake the agent: mail, a limit that begins anew, or, where only a person can, the end of this run. */
async function rest(agent: Agent, signal: AbortSignal): Promise<void> {
  const { memory, shared } = agent;
  const { clock } = shared;
  const { halt } = memory.conversation;
  if (wakesOnMail(memory.conversation)) return untilAwaited(agent, signal);
  if (halt?.until === undefined) return aborted(signal);
  const leftMs = Date.parse(halt.until) - clock.now();
  // In pieces: the timers of a machine that slept meanwhile are late.
  if (leftMs > 0) await clock.sleep(Math.min(leftMs, LONGEST_REST_MS), signal);
  else await memory.commit({ kind: "notice", reason: "resumed", content: "The limit has begun anew." });
}

/**
 * What was shown is decided on first; also where an agent was stopped before it could, new mail lets it go on. Before an answer
 * that was cut off has its end, only what is urgent is taken in: the answer goes to whoever asked.
 */
function mayTakeIn({ memory: { conversation }, inbox }: Agent): boolean {
  if (!mayDecide(conversation)) return true;
  if (conversation.mail) return false;
  return conversation.pieces.length === 0 || inbox.ahead().some(({ message }) => isUrgent(message));
}

async function tick(agent: Agent, stops: Stops): Promise<void> {
  const { memory, presence } = agent;
  if (await parkIfUnprepared(agent, stops.signal)) return;
  const [act] = memory.conversation.run.acts;
  if (!act && (await parkIfStuck(agent))) return;
  if (!act) presence.show("thinking");
  try {
    await agent.lookOutside(stops.signal);
    const asked = act
      ? await decideAsTyped(agent, act)
      : await unlessTakenOver(agent, stops.patience, (patience) => think(agent, { ...stops, patience }));
    if (!asked) return;
    const { decision, unparsed, refused, fault } = asked;
    await commitWork(agent, decision, refused);
    if (unparsed !== undefined) await memory.commit(failure(null, unparsed));
    else if (isPiece(decision)) await memory.commit(resultOfPiece(memory.conversation));
    if (fault) throw fault;
    presence.show("acting");
    // As they stand in the log: what is hidden there is not done.
    const { calls } = memory.conversation.decision!.event;
    const open = calls.map((call) => ({ kind: "begin" as const, call }));
    await runCalls(agent, open, stops);
  } catch (error) {
    if (!isLegionError(error, "LIMIT")) throw error;
    await parkAtLimit(agent, error);
  }
}

/** Closes what a crash left open: each call without a result gets one (A6); while the agent may not act, later. */
async function recover(agent: Agent, { signal: now, patience }: Stops): Promise<void> {
  const { memory, modules, outbox, inbox } = agent;
  void outbox.deliver();
  if (memory.conversation.halt?.reason === "parked-limit" && (await wouldFit(agent)))
    await memory.commit({ kind: "notice", reason: "resumed", content: "The limits leave room again." });
  if (openCalls(memory.conversation).length === 0) return;
  if (!memory.conversation.halt) agent.presence.show("acting");
  const evidence = await agent.evidence();
  if (memory.conversation.halt) return;
  await heedMode(agent);
  const open = planRecovery(memory.conversation, modules.effectsOf, { evidence, unread: inbox.ahead() });
  await interruptible(agent, now, (signal) => runCalls(agent, open, { signal, patience }));
}

/** Hands `work` a signal that aborts with `now`, or as soon as an abort is in the mailbox. */
async function interruptible(
  agent: Agent,
  now: AbortSignal,
  work: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const { signal, unlink } = linkSignals(now, agent.inbox.interrupt());
  await work(signal).finally(() => {
    unlink();
    // Of what was asked and answered, some may have been cut off before it could be in the log.
    agent.model.settle();
  });
}

function failure(call: string | null, content: string): ResultEvent {
  return { kind: "result", call, outcome: "error", content };
}
