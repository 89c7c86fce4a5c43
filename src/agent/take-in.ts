// Mailbox and observed logs -> log, and what was held -> view: before a decision, and nothing that a question waits with is
// passed over.

import { linkSignals } from "../base/process/signals.ts";
import type { NewEvent } from "../domain/event/event.ts";
import { CONTROL, displayName, MAIL_SHARE } from "../domain/message/message.ts";
import { count } from "../base/text/wording.ts";
import { compose } from "../mail/compose.ts";
import { planIntake, type Intake } from "../mail/intake.ts";
import { mayDecide, nextFollowUp, type Conversation } from "../past/conversation.ts";
import { modeNotices } from "./act/mode.ts";
import { tellOfVoid } from "./act/question.ts";
import type { Agent } from "./parts/agent.ts";

type Awaiting = Pick<Agent, "inbox" | "sources" | "memory">;

/** How much waits to be taken in: of what is observed nothing, before the last of that is done. */
export function awaited({ inbox, sources, memory: { conversation } }: Awaiting): number {
  return inbox.unread + (isBusy(conversation) ? 0 : (sources?.waiting ?? 0));
}

/** Is it at something that it observed? What an abort stopped is taken up with the next thing that is there to observe. */
function isBusy({ invocations, aborted }: Conversation): boolean {
  return invocations.open !== undefined && !aborted;
}

/** Resolves when something waits, or when `signal` aborts. */
export async function untilAwaited({ inbox, sources, memory }: Awaiting, signal: AbortSignal): Promise<void> {
  if (!sources || isBusy(memory.conversation)) return inbox.wait(signal);
  const found = new AbortController();
  const either = linkSignals(signal, found.signal);
  await Promise.race([inbox.wait(either.signal), sources.wait(either.signal)]);
  found.abort();
  either.unlink();
}

/**
 * Takes in and releases what the model can read at once (A2); where it would rest all the same, its oldest follow-up (A5). What
 * the person said of how they watch holds before.
 */
export async function takeIn(agent: Agent): Promise<void> {
  const { inbox, memory, model, outbox } = agent;
  const { run } = memory.conversation;
  const switching = modeNotices(inbox.ahead(), run);
  const plan = planIntake(memory.conversation, inbox.peek, model.profile.window / MAIL_SHARE);
  const { mail } = plan;
  const events = [...switching, ...tellingOfWithdrawn(agent, plan)];
  tellOfVoid(agent, mail, switching[0]?.details.mode ?? run.mode);
  if (events.length > 0) await memory.commit(...((await agent.wording?.present(events)) ?? events));
  const newest = mail.at(-1);
  if (newest) inbox.taken(newest.position);
  if (plan.withdrawn.length > 0 || switching.length > 0) void outbox.deliver();
  await takeObserved(agent);
  const followUp = inbox.unread === 0 ? nextFollowUp(memory.conversation) : undefined;
  if (followUp !== undefined) await memory.commit({ kind: "released", messages: [followUp] });
}

/** One thing at a time, and none while there is something else to decide. */
async function takeObserved({ sources, memory, inbox }: Agent): Promise<void> {
  const { conversation } = memory;
  if (!sources || inbox.unread > 0 || conversation.halt || mayDecide(conversation)) return;
  if (isBusy(conversation)) return;
  const event = await sources.next();
  if (!event) return;
  await memory.commit(event);
  sources.taken(event);
}

/** Control is told by the last of the events that list them: what a crash keeps from being listed is listed, and told of, later. */
function tellingOfWithdrawn({ memory, shared }: Agent, { events, withdrawn }: Intake): readonly NewEvent[] {
  const whose = displayName(memory.agent);
  const content =
    `${count(withdrawn.length, "follow-up")} to ${whose} will not be read: your new instructions came first. ` +
    "`legion inbox --dead` shows what they said.";
  const letter = { from: memory.agent, to: [CONTROL], content, spontaneous: true, chain: "new" } as const;
  const last = events.findLastIndex(({ kind }) => kind === "notice");
  return events.map((event, index) =>
    event.kind === "notice" && index === last
      ? { ...event, sends: compose(memory, letter, [], shared.clock.now()) }
      : event,
  );
}
