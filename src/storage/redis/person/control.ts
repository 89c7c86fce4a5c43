// Agent 0 of a legion in Redis. Nobody owns its log: each process adds to it by scripts that number what is said, and any
// of them delivers what is not delivered, and takes in what agents say to the person.

import type { RedisBus } from "../mail/bus.ts";
import type { Clock } from "../../../base/clock.ts";
import { compose, writeLetter } from "../../../mail/compose.ts";
import type { Control } from "../../../mail/control.ts";
import { createConversation } from "../../../past/conversation.ts";
import { LegionError } from "../../../base/errors.ts";
import type { Event, NewEvent, NoticeEvent } from "../../../domain/event.ts";
import type { Inspect } from "../../../domain/inspection.ts";
import { createLedger } from "../../../past/ledger.ts";
import type { EventLog } from "../../../past/event-log.ts";
import { readRedisLog } from "../log/log.ts";
import { openMemory, type Memory } from "../../../past/past.ts";
import { CONTROL, type AgentId } from "../../../domain/message.ts";
import { oneAtATime } from "../../../base/turns.ts";
import { agentKeys } from "../scripts/keys.ts";
import type { LegionPlace } from "../cluster/members.ts";
import { resolveTargets } from "../../../mail/refusal.ts";
import type { Writing } from "../../../mail/log-access.ts";
import { createSpeechDelivery, type SpeechDelivery } from "./delivery.ts";
import { createSpeech, type Speech, type Spoken } from "./speech.ts";
import { UNHOSTED } from "../../contract/store.ts";
import type { Letter } from "../../../mail/letter.ts";

export interface RedisControlOptions extends LegionPlace {
  readonly bus: RedisBus;
  readonly clock: Clock;
  readonly inspect: Inspect;
  /** Known agents, Control not. */
  readonly known: () => Promise<readonly AgentId[]>;
  /** A `node` also delivers what others left, takes in mail, and shows what happens; a `command` only speaks. */
  readonly role: "node" | "command";
}

/** How often is looked for what no word on a channel told of. */
const SWEEP_MS = 1_000;
/** In so many of these rounds one asks whether a server is another one now. */
const LOSS_EVERY = 10;
/** How often an errand is tried anew because somebody else said something meanwhile. */
const MAX_TRIES = 20;

export async function openRedisControl(options: RedisControlOptions): Promise<Control> {
  const { bus, clock, known, role } = options;
  const place = { link: options.link, legion: options.legion };
  const speech = createSpeech(place, clock.now);
  const delivery = createSpeechDelivery(place, speech, bus);
  const endAttending = role === "node" ? await attend(options, speech, delivery) : undefined;
  // What stands in the log is said: whoever heard that it could not be delivered at once would say it again.
  const offerAll = (spoken: readonly Spoken[]): Promise<void> =>
    offer(delivery, spoken).catch(() => undefined);
  // Redis gives the numbers.
  const books = { ledger: createLedger(), conversation: createConversation() };
  const send = async (notice: NoticeEvent): Promise<readonly string[]> => {
    const spoken = await speech.speak([notice]);
    await offerAll(spoken!);
    return spoken![0]!.sends.map(({ id }) => id);
  };
  return {
    undelivered: delivery.undelivered,
    async say(targets, content, delivery) {
      const all = await known();
      const letter = { from: CONTROL, to: resolveTargets(targets, all, CONTROL), content, delivery };
      if (letter.to.length === 0)
        throw new LegionError("REFUSED", "There are no agents that could hear this.");
      const peers = (): Promise<{ readonly id: AgentId }[]> => Promise.resolve(all.map((id) => ({ id })));
      const { sends, refusal } = await writeLetter(books, letter, { clock, peers, unread: bus.unread });
      if (refusal) throw new LegionError("REFUSED", refusal.reason);
      return send({ kind: "notice", reason: "said", content, sends });
    },
    async announce(to, content, chain) {
      const all = await known();
      const there = to.filter((id) => id === CONTROL || all.includes(id));
      const letter: Letter = { from: CONTROL, to: there, content, chain, spontaneous: true };
      const sends = compose(books, letter, [], clock.now());
      await send({ kind: "notice", reason: "announced", content, sends });
    },
    async alone(work) {
      for (let tries = 1; ; tries++) {
        const spoken: Spoken[] = [];
        const memory = await openShared(place, speech, spoken);
        try {
          return await work({ memory, outbox: outboxOf(delivery, () => offerAll(spoken.splice(0))) });
        } catch (error) {
          if (error !== MOVED || tries === MAX_TRIES) throw error;
        }
      }
    },
    close: async () => endAttending?.(),
  };
}

/** Offers what was said to its mailboxes; what another process said before may have to go first. */
async function offer(
  { deliver, undelivered, sweep }: SpeechDelivery,
  spoken: readonly Spoken[],
): Promise<void> {
  for (const one of spoken) await deliver(one);
  if (undelivered().length > 0) await sweep();
}

const MOVED = new LegionError("STORAGE", "Somebody else said something at the same moment; try again.");

/** The log of agent 0 as one errand sees it: it can be added to as long as nobody else does. */
function openShared(place: LegionPlace, speech: Speech, spoken: Spoken[]): Promise<Memory> {
  const read = (from?: number): AsyncIterable<Event> => readRedisLog({ ...place, agent: CONTROL }, from);
  return openMemory({ agent: CONTROL, inspect: () => undefined, ...UNHOSTED }, async (each) => {
    let last = 0;
    let id = "";
    for await (const event of read()) {
      last = event.seq;
      if (event.kind === "opened") id = event.log;
      each(event);
    }
    const append = async (events: readonly NewEvent[]): Promise<readonly Event[]> => {
      if (events.length === 0) return [];
      const said = await speech.speak(events, last);
      if (!said) throw MOVED;
      spoken.push(...said);
      last = said.at(-1)!.seq;
      return events.map((event, index) => {
        const { seq, epoch, at, sends } = said[index]!;
        return { seq, epoch, at, ...event, ...(sends.length > 0 && { sends }) } as Event;
      });
    };
    const note = (): never => {
      throw new LegionError("REFUSED", "What agent 0 says is committed.");
    };
    const log: EventLog = {
      id,
      get last() {
        return last;
      },
      append,
      note,
      read,
      close: () => Promise.resolve(),
    };
    return { log, findings: [] };
  });
}

function outboxOf(delivery: SpeechDelivery, deliver: () => Promise<void>): Writing["outbox"] {
  return {
    deliver,
    offerAgain: delivery.sweep,
    undelivered: delivery.undelivered,
    close: () => Promise.resolve(),
  };
}

/** Looks after agent 0 until the end: what it returns ends it. */
async function attend(
  { link, legion, clock, inspect }: RedisControlOptions,
  speech: Speech,
  delivery: SpeechDelivery,
): Promise<() => Promise<void>> {
  const { meta, wake } = agentKeys(legion, CONTROL);
  const ending = new AbortController();
  let shown = Number((await link.command("HGET", meta, "seq")) ?? 0);
  const show = async (): Promise<void> => {
    for await (const event of readRedisLog({ link, legion, agent: CONTROL }, shown + 1)) {
      shown = event.seq;
      inspect({ kind: "event", agent: CONTROL, event });
    }
  };
  const look = async (): Promise<void> => {
    await speech.takeIn();
    await show();
  };
  // Two that show would show twice; and of many words that there is mail, one is as good as all.
  const lookSoon = oneAtATime(() => look().catch(() => undefined));
  const unlisten = await link.listen(wake, () => void lookSoon());
  const round = async (): Promise<void> => {
    for (let count = 0; !ending.signal.aborted; count++) {
      // What cannot be done now, because Redis is away, is done in a later round, here or in another process.
      if (count % LOSS_EVERY === 0) await doubtAfterLoss({ link, legion }, delivery).catch(() => undefined);
      await delivery.sweep().catch(() => undefined);
      await lookSoon();
      await clock.sleep(SWEEP_MS, ending.signal);
    }
  };
  const rounds = round();
  return async () => {
    ending.abort();
    unlisten();
    await rounds;
    await lookSoon();
  };
}

/** A server that was restarted, or that took over from another, may have lost mail that log 0, elsewhere, calls delivered. */
async function doubtAfterLoss(
  { link, legion }: LegionPlace,
  { doubt }: Pick<SpeechDelivery, "doubt">,
): Promise<void> {
  const { meta } = agentKeys(legion, CONTROL);
  const reply = await link.command("HMGET", meta, "durability", "servers");
  const [durability, before] = reply as readonly (string | null)[];
  if (durability === "always") return;
  const servers = await link.incarnation();
  if (before === servers) return;
  if (before !== null) await doubt();
  await link.command("HSET", meta, "servers", servers);
}
