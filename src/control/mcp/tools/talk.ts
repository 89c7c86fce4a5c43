// What programs may do with a legion: have agents work, speak to them, wait for them.

import { setTimeout as delay } from "node:timers/promises";
import { randomUUID } from "node:crypto";
import { z } from "zod";
import { linkSignals } from "../../../base/process/signals.ts";
import { CONTROL, type AgentId } from "../../../domain/message/message.ts";
import type { AgentStatus } from "../../../legion/status.ts";
import type { Backend } from "../../../storage/contract/backend.ts";
import { ROUTES } from "../../api/routes.ts";
import { withLegion } from "../../open.ts";
import { pageOf } from "../bounds.ts";
import { knownAgents, type ProgramDoor } from "../door.ts";
import { programTool, type ProgramTool, type ToolUse } from "../tool.ts";
import { letterSchema, lettersIn, type ShownLetter } from "./mail.ts";

const MAX_TARGETS = 100;
const MAX_LETTERS = 20;
const DEFAULT_SECONDS = 60;
const MAX_SECONDS = 600;
const LOOK_MS = 500;
/** How often a program that waits hears of it. */
const TELL_MS = 5_000;

const { agent: definition, task: said, request } = ROUTES.spawn.question.shape;

/** A text that the route takes; its rule would be too much for the schemas of some programs. */
const asRoute = (field: z.ZodType, expected: string) =>
  z.string().refine((value) => field.safeParse(value).success, `expected ${expected}`);

const text = asRoute(said, "a text of at most 1 MiB");
const id = asRoute(request, "up to 128 letters, digits and . : _ -")
  .optional()
  .describe(
    "a name of your own for this call, such as a UUID: if you get no answer, repeat the call with the same id, and nothing is done twice",
  );
const after = z.number().describe("What wait takes as after.");
const repeated = z.boolean().describe("This call was heard before; nothing was done again.");

export function talkTools(door: ProgramDoor): readonly ProgramTool[] {
  return [spawnTool(door), sendTool(door), waitTool(door)];
}

function spawnTool(door: ProgramDoor): ProgramTool {
  return programTool({
    name: "spawn",
    description:
      "Start a new agent that works on a task by itself, in the project, within the limits of this legion. It goes on after you are answered; wait tells what it says.",
    isReadOnly: false,
    input: z.strictObject({
      task: text.describe("what it shall do, with all that it needs to know"),
      agent: asRoute(definition, "the name of a definition")
        .optional()
        .describe("what it is made of, as agents lists it; without it, the project's own choice"),
      id,
    }),
    output: z.object({ agent: z.string(), message: z.string(), after, repeated }),
    async use({ task, agent, id: name = randomUUID() }) {
      const spawned = await door.spawn({ task, agent, request: name });
      return {
        agent: spawned.agent,
        message: spawned.ids[0]!,
        after: spawned.seq,
        repeated: spawned.isRepeated,
      };
    },
  });
}

const standing = z.object({ id: z.string(), state: z.string(), reason: z.string(), waitingFor: z.string() });

function sendTool(door: ProgramDoor): ProgramTool {
  return programTool({
    name: "send",
    description:
      "Say something to agents. They hear it as from the person's desk; it is marked as another program's words, and approves nothing.",
    isReadOnly: false,
    input: z.strictObject({
      to: z.array(z.string()).min(1).max(MAX_TARGETS).describe("ids of agents"),
      text: text.describe("what you say"),
      id,
    }),
    output: z.object({
      messages: z.array(z.object({ id: z.string(), to: z.string() })),
      agents: z.array(standing).describe("What each is at now."),
      remarks: z.array(z.string()).describe("Why one will not read it by itself."),
      after,
      repeated,
    }),
    async use({ to, text: content, id: name = randomUUID() }) {
      const targets = [...(await knownAgents(door, to))];
      const words = { targets, content, request: name };
      const said = await withLegion(door.site, (legion) => legion.relay(words));
      const status = async () => (await withLegion(door.site, (legion) => legion.status(targets))).agents;
      const resting = (await status()).flatMap(({ id: agent, node }) => (node === null ? [agent] : []));
      const remarks = resting.length > 0 ? [...(await door.wake(resting))] : [];
      return {
        messages: said.ids.map((message, index) => ({ id: message, to: said.to[index]! })),
        agents: (await status()).map(standingOf),
        remarks,
        after: said.seq,
        repeated: said.isRepeated,
      };
    },
  });
}

function standingOf({ id: agent, state, reason, waitingFor }: AgentStatus): z.output<typeof standing> {
  return { id: agent, state, reason, waitingFor };
}

const over = z
  .enum(["message", "rests", "asks", "stopped", "time"])
  .describe(
    "message: it said something. rests: it has nothing left to do. asks: it waits for the person, who answers with `legion approve` or " +
      "`legion deny`. stopped: it does not go on by itself; what it waits for is said, and where nobody runs it, send has it run. time: it is still at work.",
  );

function waitTool(door: ProgramDoor): ProgramTool {
  return programTool({
    name: "wait",
    description: "Wait until an agent says something to the person or you, or has nothing left to do.",
    isReadOnly: true,
    input: z.strictObject({
      agent: z.string().describe("the id of an agent"),
      after: z
        .number()
        .int()
        .min(0)
        .optional()
        .describe("as spawn, send or the last wait gave it; without it, what is said from now on"),
      seconds: z
        .number()
        .min(0)
        .max(MAX_SECONDS)
        .default(DEFAULT_SECONDS)
        .describe("how long to wait at most"),
    }),
    output: z.object({
      over,
      messages: z.array(letterSchema),
      after,
      agent: standing,
    }),
    async use({ agent, after: since, seconds }, use) {
      const [known] = await knownAgents(door, [agent]);
      const from = since ?? (await door.site.backend.reader.last(CONTROL));
      const { status, letters, end } = await waitFor(door, { agent: known!, from, seconds }, use);
      const next = letters.at(-1)?.number ?? from;
      return { over: end, messages: [...letters], after: next, agent: standingOf(status) };
    },
  });
}

interface Heard {
  readonly agent: AgentId;
  /** The event of log 0 behind which what it says counts. */
  readonly from: number;
}

interface WaitOrder extends Heard {
  readonly seconds: number;
}

interface Waited {
  readonly status: AgentStatus;
  readonly letters: readonly ShownLetter[];
  readonly end: z.output<typeof over>;
}

/** Rejects when nobody waits any more. */
async function waitFor(
  { site }: Pick<ProgramDoor, "site">,
  { agent, from, seconds }: WaitOrder,
  { signal, progress }: ToolUse,
): Promise<Waited> {
  const listening = listenFor(site.backend, { agent, from }, signal);
  const read = () => pageOf(lettersIn(site.backend.reader.events(CONTROL, from + 1), agent), MAX_LETTERS);
  const began = performance.now();
  let told = -Infinity;
  /** How it was found at rest before. */
  let rested = "";
  try {
    for (;;) {
      const [status] = (await withLegion(site, (legion) => legion.status([agent]))).agents;
      const { state, since, waitingFor } = status!;
      const end = endOf(status!);
      const passed = performance.now() - began;
      const isOver = passed >= seconds * 1_000;
      const rest = end === undefined ? "" : `${state} since ${since}`;
      // Mail may be between its mailbox and its log. Log 0 is read after its state: what it said before it came to rest is there.
      const isResting = end !== undefined && rest === rested;
      if (isOver || isResting || listening.heard()) {
        const { items } = await read();
        if (items.length > 0) return { status: status!, letters: items, end: "message" };
        if (isOver || isResting) return { status: status!, letters: [], end: end ?? "time" };
      }
      rested = rest;
      if (passed - told >= TELL_MS) {
        told = passed;
        await progress(
          Math.round(passed / 1_000),
          seconds,
          `${agent} is ${state}, waiting for ${waitingFor}`,
        );
      }
      await delay(Math.min(LOOK_MS, seconds * 1_000), undefined, { signal });
    }
  } finally {
    listening.end();
  }
}

/** To read a long log again and again would take the time of those who work. */
function listenFor({ follow }: Pick<Backend, "follow">, { agent, from }: Heard, signal: AbortSignal) {
  const over = new AbortController();
  const { signal: either, unlink } = linkSignals(signal, over.signal);
  let isHeard = false;
  const nothing = () => Promise.resolve([]);
  const events = follow(CONTROL, { from: from + 1, signal: either, onAway: () => undefined, live: nothing });
  const listen = async (): Promise<void> => {
    for await (const _ of lettersIn(events, agent)) {
      isHeard = true;
      return;
    }
  };
  // Whatever is wrong with the log is found out by reading it.
  void listen().catch(() => (isHeard = true));
  return {
    heard: () => isHeard,
    end(): void {
      over.abort();
      unlink();
    },
  };
}

/** `undefined`: it goes on by itself. */
function endOf({ state, unread, node }: AgentStatus): Waited["end"] | undefined {
  if (state === "asking") return "asks";
  if (state === "idle") return unread > 0 ? undefined : "rests";
  const isStopped = node === null || state === "paused" || state === "parked" || state === "halted";
  return isStopped ? "stopped" : undefined;
}
