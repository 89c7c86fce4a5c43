// What an agent did, call by call, and for which message: whatever its log tells of it, whether or not it can be taken back.

import type { Call, Event, Outcome } from "../../domain/event/event.ts";
import { fieldsOf } from "../../base/text/json.ts";
import type { AgentId, LogId, Message } from "../../domain/message/message.ts";
import { account, createLedger } from "../ledger.ts";
import { sendsIn } from "../mail/sends.ts";
import { outcomeOf } from "../outcome.ts";
import { followNewest, type RootId } from "../shares/by-cause.ts";

export interface Act {
  readonly agent: AgentId;
  /** Its result; of a call without one its decision. */
  readonly seq: number;
  /** ISO 8601. */
  readonly at: string;
  /** Tells its call from every other in the world. */
  readonly key: string;
  readonly action: string;
  /** What it named; absent: none. */
  readonly path?: string;
  /** Absent: there is no result yet. */
  readonly outcome?: Outcome;
  /** To whom it counts: the first message of the newest one that was shown. */
  readonly cause: RootId;
  /** The newest message that was shown; `undefined` before any was. */
  readonly message: string | undefined;
  /** The first messages of all that came since the agent last rested. */
  readonly roots: ReadonlySet<string>;
  readonly sends: readonly SentByAct[];
  /** Modules whose state it changed. */
  readonly changed: ReadonlySet<string>;
}

/** Of a message no more is held: all logs are read for one undo. */
type SentByAct = Pick<Message, "id" | "targetAgentIds">;

export function keyOfCall(log: LogId | undefined, decision: number | undefined, call: string): string {
  return `${log} ${decision} ${call}`;
}

/** What stands for what an agent says without a call. */
const ANSWER = "answer";
const NO_SENDS: Act["sends"] = [];
const NOTHING: ReadonlySet<string> = new Set();

function sentIn(event: Event): readonly SentByAct[] {
  return sendsIn(event, "").map(({ message: { id, targetAgentIds } }) => ({ id, targetAgentIds }));
}

function pathIn({ parameters }: Call): Pick<Act, "path"> {
  const { path, sourcePath } = fieldsOf(parameters);
  const named = path ?? sourcePath;
  return typeof named === "string" ? { path: named } : {};
}

export function createActs(agent: AgentId) {
  const ledger = createLedger();
  let acts: Act[] = [];
  let roots = followNewest();
  let newest = followNewest(undefined, ({ id }) => id);
  let since: ReadonlySet<string> = NOTHING;
  let open = new Map<string, Act>();
  let outcomes: Outcome[] = [];
  let isAtRest = true;
  const begin = (event: Event & { readonly kind: "decision" }): void => {
    const { seq, at, calls } = event;
    const about = { agent, seq, at, cause: roots.root(), message: newest.root(), roots: since };
    outcomes = [];
    const sends = sentIn(event);
    const answered = { key: "", action: ANSWER, outcome: "ok", sends, changed: NOTHING } as const;
    if (sends.length > 0) acts.push({ ...about, ...answered });
    open = new Map(
      calls.map((call): [string, Act] => {
        const what = { key: keyOfCall(ledger.log, seq, call.id), action: call.action, ...pathIn(call) };
        return [call.id, { ...about, ...what, sends: NO_SENDS, changed: NOTHING }];
      }),
    );
  };
  const end = (event: Event & { readonly kind: "result" }): void => {
    outcomes.push(event.outcome);
    const call = event.call ?? "";
    const act = open.get(call);
    if (!act) return;
    open.delete(call);
    const { seq, at, outcome } = event;
    const changed = new Set(event.state?.map(([module]) => module));
    acts.push({ ...act, seq, at, outcome, changed, sends: sentIn(event) });
  };
  return {
    see(event: Event): void {
      // What stands before it is another agent's past.
      if (event.kind === "branch" && event.origin !== undefined) {
        acts = [];
        open.clear();
        [roots, newest, since] = [followNewest(), followNewest(undefined, ({ id }) => id), NOTHING];
      }
      const before = newest.root();
      roots.see(event);
      newest.see(event);
      const root = roots.root();
      if (newest.root() !== before && root !== undefined) {
        since = new Set(isAtRest ? [root] : [...since, root]);
        isAtRest = false;
      }
      account(ledger, event);
      if (event.kind === "decision") begin(event);
      else if (event.kind === "result") end(event);
      else return;
      isAtRest = open.size === 0 && outcomeOf(outcomes) === "idle";
    },
    /** Oldest first; what has no result yet comes last. */
    all: (): readonly Act[] => [...acts, ...open.values()],
  };
}
