// How a person watches over the agent, by what they said last: their word is seen in the mailbox before its turn, and holds
// from the notice on that says so.

import { LegionError } from "../../base/errors.ts";
import { linkSignals } from "../../base/process/signals.ts";
import { modeIn, modeNotice, type Mode, type ModeNotice } from "../../domain/supervision.ts";
import type { Inbox, Mail } from "../../mail/bus.ts";
import type { Outbox } from "../../mail/outbox.ts";
import type { Memory } from "../../past/past.ts";
import type { RunState } from "../../past/run-state.ts";

/** What has the mode hold that the newest word in `ahead` asks for; nothing where it does already. */
export function modeNotices(ahead: readonly Mail[], run: RunState): readonly ModeNotice[] {
  const wanted = wantedMode(ahead, run);
  return wanted ? [modeNotice(wanted)] : [];
}

/** The mode that holds once all that the person said is heeded; of `mail` it is the newest that counts. */
export function modeAfter(mail: readonly Mail[], run: Pick<RunState, "mode" | "modeBy">): Mode {
  return (wantedMode(mail, run) ?? run).mode;
}

/** The same where a person said one here, also in `mail`; else `undefined`. */
export function modeSaid(mail: readonly Mail[], run: RunState): Mode | undefined {
  return run.isModeSaid || wantedMode(mail, run) ? modeAfter(mail, run) : undefined;
}

interface HeardAgent {
  readonly inbox: Pick<Inbox, "ahead">;
  readonly memory: Pick<Memory, "conversation">;
}

interface SendingAgent extends HeardAgent {
  readonly memory: Pick<Memory, "conversation" | "commit">;
  readonly outbox: Pick<Outbox, "deliver">;
}

interface WatchedAgent extends HeardAgent {
  readonly memory: Pick<Memory, "conversation" | "commit">;
}

/** Has the mode hold that the person wants by now. */
export async function heedMode({ inbox, memory, outbox }: SendingAgent): Promise<void> {
  const notices = modeNotices(inbox.ahead(), memory.conversation.run);
  if (notices.length === 0) return;
  await memory.commit(...notices);
  void outbox.deliver();
}

/** Is there a word of the person that does not hold yet? */
export function isModeWanted({ inbox, memory }: WatchedAgent): boolean {
  return wantedMode(inbox.ahead(), memory.conversation.run) !== undefined;
}

/** Does the person say the calls by now, others than this one? They said it where they typed it, or answered yes to it. */
export function isTakenOver({ inbox, memory }: HeardAgent): boolean {
  const { questions, run } = memory.conversation;
  const isSaid = run.isTyped || (questions.newest?.verdict === "approved" && !questions.newest.isElsewhere);
  return !isSaid && modeAfter(inbox.ahead(), run) === "human";
}

/** Without a reason Node makes an error for each, with the trace of its stack. */
const DONE = "done";
const TAKEN_OVER = new LegionError("REFUSED", "The person says the calls.");

/**
 * What `work` comes to, which is handed how long it may wait: no longer than until the person says the calls. Where it gave up
 * for that, nothing.
 */
export async function unlessTakenOver<T>(
  { inbox, memory }: WatchedAgent & { readonly inbox: Pick<Inbox, "heard"> },
  patience: AbortSignal | undefined,
  work: (patience: AbortSignal) => Promise<T>,
): Promise<T | undefined> {
  const [taken, done] = [new AbortController(), new AbortController()];
  const { signal, unlink } = linkSignals(patience ?? done.signal, taken.signal);
  const watch = async (): Promise<void> => {
    while (!done.signal.aborted && modeAfter(inbox.ahead(), memory.conversation.run) !== "human")
      await inbox.heard(done.signal);
    if (!done.signal.aborted) taken.abort(TAKEN_OVER);
  };
  void watch();
  try {
    return await work(signal);
  } catch (error) {
    if (error !== TAKEN_OVER) throw error;
    return undefined;
  } finally {
    done.abort(DONE);
    unlink();
  }
}

function wantedMode(
  ahead: readonly Mail[],
  { modeBy }: Pick<RunState, "modeBy">,
): ModeNotice["details"] | undefined {
  const word = ahead.findLast(({ message }) => modeIn(message) !== undefined)?.message;
  return word && word.id !== modeBy ? { mode: modeIn(word)!, by: word.id } : undefined;
}
