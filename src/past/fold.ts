// Folds the active branch of a log: in one pass while the log has no forks, else in a second one that follows the branch.

import { belongsTo, forkIn, isOn, pathTo, type Fork } from "./branch.ts";
import { converse, createConversation, type Conversation } from "./conversation.ts";
import type { Event, EventOf, SeqRange } from "../domain/event/event.ts";
import { foldOffers, NO_OFFERS, type KnownOffers } from "./offers.ts";
import { createModuleState, enterBranch, foldState, settlesFiles, type ModuleState } from "./state.ts";

/** What the events of one branch come to, in their order. */
export interface Branch {
  readonly conversation: Conversation;
  readonly state: ModuleState;
  readonly offers: KnownOffers;
  see(event: Event): void;
}

/** Plain data. */
export type KeptBranch = Omit<Branch, "see">;

/** @param kept is gone on from */
export function createBranch(kept?: KeptBranch): Branch {
  const { conversation, state } = kept ?? {
    conversation: createConversation(),
    state: createModuleState(),
  };
  let offers = kept?.offers ?? NO_OFFERS;
  return {
    conversation,
    state,
    get offers() {
      return offers;
    },
    see(event) {
      converse(conversation, event);
      foldState(state, event);
      offers = foldOffers(offers, event);
    },
  };
}

/** A branch that the log left, and that files may still show. */
interface Left {
  /** The event that left it. */
  readonly seq: number;
  readonly path: readonly SeqRange[];
}

/** Which branch of a log is active, as far as it is to be gone on from. */
export interface ActiveBranch {
  /** Those that left something out, in their order. */
  readonly forks: readonly Fork[];
  /** The newest event that says something. */
  readonly newest: number;
}

/** Follows the forks of a log, to know which branch is active. */
function followForks(kept?: ActiveBranch) {
  const forks: Fork[] = [...(kept?.forks ?? [])];
  /** Those that nothing has been done after. */
  let left: readonly Left[] = [];
  let newest = kept?.newest ?? 0;
  let last = 0;
  const turn = (fork: Fork, { origin }: EventOf<"branch">): void => {
    const isDetour = fork.to < newest;
    // The files of a copy begin with nothing.
    if (origin !== undefined) left = [{ seq: fork.seq, path: [] }];
    else if (isDetour) left = [...left, { seq: fork.seq, path: pathTo(forks, fork.seq - 1) }];
    if (isDetour) forks.push(fork);
  };
  return {
    forks,
    now: () => ({ left, newest, last }),
    see(event: Event): void {
      last = event.seq;
      const fork = forkIn(event);
      if (fork && event.kind === "branch") turn(fork, event);
      if (settlesFiles(event)) left = [];
      if (event.kind !== "opened") newest = event.seq;
    },
  };
}

/**
 * Follows a whole log for what `create` makes of its active branch.
 *
 * @param kept is gone on from: what comes is what stands behind its events
 */
export function followLog<B extends Branch>(
  create: () => B,
  kept?: { readonly branch: B; readonly active: ActiveBranch },
) {
  let branch = kept?.branch ?? create();
  const { forks, now, see } = followForks(kept?.active);
  /** So many of the forks lead to `branch`. */
  let followed = forks.length;
  return {
    /** The forks seen so far, in their order. */
    forks: forks as readonly Fork[],
    /** Takes in one event of the log, whatever its branch. */
    see(event: Event): void {
      see(event);
      if (forks.length === followed) branch.see(event);
    },
    /** The same, where somebody else has what was settled see it. */
    pass: see,
    /** To go on from there later; `undefined` where what came since it was settled is not all that leads there. */
    active: (): ActiveBranch | undefined =>
      forks.length === followed && now().left.length === 0
        ? { forks: [...forks], newest: now().newest }
        : undefined,
    /**
     * What the active branch comes to, after the last event.
     *
     * @param read gives the log once more, from its first event; what is new in it is left out
     */
    async settle(read: () => AsyncIterable<Event>): Promise<B> {
      const { left, last } = now();
      if (forks.length === followed && left.length === 0) return branch;
      branch = create();
      followed = forks.length;
      const path = pathTo(forks, last);
      const earlier = left.map((one) => ({ ...one, state: createModuleState() }));
      for await (const event of read()) {
        if (event.seq > last) break;
        for (const one of earlier) if (isOn(one.path, event.seq)) foldState(one.state, event);
        const at = earlier.findIndex(({ seq }) => seq === event.seq);
        if (at !== -1) enterBranch(earlier[at + 1]?.state ?? branch.state, earlier[at]!.state);
        if (belongsTo(path, event)) branch.see(event);
      }
      return branch;
    },
  };
}
