// A log that is read for what it comes to: from its first event on, or from where an earlier reading was kept.

import { LegionError, messageOf } from "../../base/errors.ts";
import type { Event } from "../../domain/event/event.ts";
import type { Fork } from "../branch.ts";
import { packStanding, type PackedStanding } from "../digest/standing.ts";
import { createTraffic, type Traffic } from "../digest/traffic.ts";
import { createBranch, followLog, type Branch } from "../fold.ts";
import { account, createLedger, type Ledger } from "../ledger.ts";
import type { EventLog } from "../log/event-log.ts";
import { createView, wayOf, type View, type ViewOptions } from "../view.ts";
import { laterView } from "./later-view.ts";
import { packPast, unpackPast, type KeptPast } from "./pack.ts";

/** What is folded from the active branch. */
export interface Fold extends Branch {
  view: View;
}

/** @param kept is gone on from */
export function createFold(options: ViewOptions, kept?: Pick<KeptPast, "branch" | "view">): Fold {
  const branch = createBranch(kept?.branch);
  const fold: Fold = {
    conversation: branch.conversation,
    state: branch.state,
    get offers() {
      return branch.offers;
    },
    view: kept ? laterView(options, kept.view) : createView(options),
    see(event) {
      branch.see(event);
      fold.view.see(event);
    },
  };
  return fold;
}

interface Folds {
  readonly ledger: Ledger;
  readonly traffic: Traffic;
  readonly follower: ReturnType<typeof followLog<Fold>>;
}

function createFolds(options: ViewOptions, kept?: KeptPast): Folds {
  return {
    ledger: kept?.ledger ?? createLedger(),
    traffic: createTraffic(kept?.traffic),
    follower: followLog(
      () => createFold(options),
      kept && { branch: createFold(options, kept), active: kept.active },
    ),
  };
}

/** What a log was read for. */
export interface ReadPast extends Pick<Folds, "ledger" | "traffic"> {
  readonly fold: Fold;
  /** Its forks by then. */
  readonly forks: readonly Fork[];
  /** The newest event that was not read, but known from an earlier reading; 0 if all were. */
  readonly known: number;
  /** Takes in what is added to the log, but for the ledger. */
  join(event: Event): void;
  /** With the ledger by now. `undefined` between the moment in which the log goes back and its next reading. */
  pack(ledger: Ledger): Uint8Array | undefined;
  /** How its agent stands; as `pack`. */
  stand(ledger: Ledger): PackedStanding | undefined;
}

export function createReading(options: ViewOptions) {
  let folds = createFolds(options);
  let known = 0;
  return {
    /** Takes in one event, oldest first. Throws DAMAGED if it cannot be understood. */
    see(event: Event): void {
      const { ledger, traffic, follower } = folds;
      try {
        account(ledger, event);
        traffic.see(event);
        follower.see(event);
      } catch (error) {
        const problem = `event ${event.seq} of the log is not what its kind holds: ${messageOf(error)}`;
        throw new LegionError("DAMAGED", problem, { cause: error });
      }
    },
    /**
     * Before any event: goes on from what `pack` gave. Returns the number of the last event that it knows: those behind it are
     * to come. `undefined` if it does not count, and all are.
     */
    goOn(bytes: Uint8Array): number | undefined {
      const kept = unpackPast(bytes, wayOf(options));
      if (!kept) return undefined;
      folds = createFolds(options, kept);
      return (known = kept.ledger.last);
    },
    /** After the last event. @param log is read once more where it went back */
    async settle(log: Pick<EventLog, "id" | "read">): Promise<ReadPast> {
      const { ledger, traffic, follower } = folds;
      const fold = await follower.settle(() => log.read());
      if (ledger.log !== log.id) ledger.numbers.clear();
      ledger.log = log.id;
      return {
        ...{ ledger, traffic, fold, forks: [...follower.forks], known },
        join(event) {
          follower.pass(event);
          traffic.see(event);
          fold.see(event);
        },
        pack(ledger) {
          const [active, view] = [follower.active(), fold.view.pack()];
          return active && view && packPast({ ledger, traffic: traffic.pack(), active, branch: fold, view });
        },
        stand: (ledger) =>
          follower.active() &&
          packStanding({ ledger, conversation: fold.conversation, peers: traffic.peers }),
      };
    },
  };
}
