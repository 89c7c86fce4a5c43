// The memory agent protocol, call by call.

import { describe, expect, it } from "vitest";
import { createMemoryBackend } from "../../../../src/storage/memory/backend.ts";
import { createHandClock } from "../../../hand-clock.ts";
import { createWorldInMemory, type WorldAgent } from "../../../world.ts";
import { courseOf, POLITE, QUIET } from "../../../observed.ts";
import { contextsOf, entriesOf, obliging, scribeOf } from "./listening.ts";

const HALF_AN_HOUR_MS = 30 * 60_000;

/** A scribe, and those whom it listens to. */
async function listening(agents: Readonly<Record<string, WorldAgent>> = { "1": QUIET }, model = obliging()) {
  const backend = createMemoryBackend();
  const clock = createHandClock();
  const world = await createWorldInMemory({ ...agents, scribe: scribeOf(model) }, { backend, clock });
  return {
    ...{ world, backend, clock, model },
    async say(to: string, ...words: readonly string[]) {
      for (const word of words) {
        await world.say(to, word);
        await world.idle();
        clock.advance(1_000);
      }
    },
    async silence() {
      clock.advance(HALF_AN_HOUR_MS);
      await world.idle();
    },
    course: async () => courseOf(await world.events("scribe")),
  };
}

const words = (count: number): readonly string[] => Array.from({ length: count }, (_, n) => `Word ${n + 1}`);

const START = ["start_session 0,1", "rules: get_context", "rules: list_entries", "rules:"];
const ENTRY = ["asked", "model: add_entry"];
const CONTEXT = ["rules: await_consistency", "asked", "model: put_context"];
const PROCESS = (n: number): readonly string[] => [
  `process_message 0,1 ${n}: Word ${n}`,
  ...ENTRY,
  "rules: Message processed.",
];
const FLUSH = (n: number): readonly string[] => [
  `process_message_and_flush 0,1 ${n}: Word ${n}`,
  ...ENTRY,
  ...CONTEXT,
  "rules: Flushed to context.",
];
const END = ["end_session 0,1", ...CONTEXT, "rules: Session ended."];

/** By how many messages a session has. */
const SESSIONS: readonly (readonly [number, readonly string[]])[] = [
  [1, [...START, ...PROCESS(1), ...END]],
  [6, [...START, ...[1, 2, 3, 4, 5].flatMap(PROCESS), ...FLUSH(6), ...END]],
  [7, [...START, ...[1, 2, 3, 4, 5].flatMap(PROCESS), ...FLUSH(6), ...PROCESS(7), ...END]],
  [
    13,
    [
      ...[...START, ...[1, 2, 3, 4, 5].flatMap(PROCESS), ...FLUSH(6)],
      ...[...[7, 8, 9, 10, 11].flatMap(PROCESS), ...FLUSH(12), ...PROCESS(13), ...END],
    ],
  ],
];

describe("the protocol of the scribe", () => {
  it.each(SESSIONS)("has these calls in this order for a session of %d messages", async (count, calls) => {
    const { say, silence, course, backend } = await listening();
    await say("1", ...words(count));
    await silence();
    expect(await course()).toEqual(calls);
    expect((await entriesOf(backend)).map(({ raw }) => raw)).toEqual(words(count));
    expect(await contextsOf(backend)).toHaveLength(1 + Math.floor(count / 6));
  });

  it("asks for nothing but one call of one tool, in the words of the protocol, and for no call that rules make", async () => {
    const { say, silence, model, world } = await listening();
    await say("1", "I sail a boat called Ada.\nShe is red.", "Since 2019.");
    await silence();
    expect(model.requests.map(({ tools }) => tools.map(({ name }) => name))).toEqual([
      ["add_entry"],
      ["add_entry"],
      ["put_context"],
    ]);
    for (const { turns, pinned } of model.requests)
      expect({ turns, pinned }).toEqual({ turns: [], pinned: "Execute the required operation." });
    const [, entry, context] = model.requests;
    await expect(entry!.system).toMatchFileSnapshot("__snapshots__/entry-prompt.txt");
    await expect(context!.system).toMatchFileSnapshot("__snapshots__/context-prompt.txt");
    const calls = (await world.kinds("scribe", "decision")).flatMap(({ calls }) => calls);
    expect(calls.filter(({ id }) => id.startsWith("rules"))).toMatchObject([
      { action: "get_context", parameters: { vault_id: "main", memory_id: "legion" } },
      { action: "list_entries", parameters: { vault_id: "main", memory_id: "legion", limit: 10 } },
      { action: "await_consistency", parameters: { memory_id: "legion" } },
    ]);
    expect(world.agent("scribe").memory.ledger.spent.steps).toBe(3);
  });

  it("keeps what was said word for word, with who said it and when, in the order in which it was said", async () => {
    const { say, backend, world } = await listening({ "1": POLITE });
    await say("1", "Hello", "Good bye");
    const entries = await entriesOf(backend);
    expect(entries.map(({ role, speaker, raw }) => `${role} ${speaker}: ${raw}`)).toEqual([
      "user 0: Hello",
      "assistant 1: You said: Hello",
      "user 0: Good bye",
      "assistant 1: You said: Good bye",
    ]);
    const [first] = entries;
    const [message] = await world.kinds("1", "message");
    expect(first).toMatchObject({
      ...{ by: "scribe", thread: "0,1", summarised: "model", summary: "Summary 0." },
      ...{ said: message!.message.sentAt, of: { log: message!.from, message: "0>1#1" } },
    });
  });

  it("begins a session with what the one before came to, and a context is made of what was said, never of summaries", async () => {
    const { say, silence, model } = await listening();
    await say("1", ...words(2));
    await silence();
    await say("1", "Word 3");
    const { system } = model.requests.at(-1)!;
    expect(system).toContain("Previous session context:\n> # Facts\n> Context 2.");
    expect(system).toContain("Recent entries:\n#2 ");
    expect(system).not.toContain("user (0):\n> Word 2");
    await silence();
    const put = model.requests.at(-1)!.system;
    expect(put).toContain("Current context:\n> # Facts\n> Context 2.");
    expect(put).toContain("> Word 3");
    expect(put).not.toMatch(/Summary \d/);
    expect(put).not.toContain("> Word 2");
  });

  it("counts each thread by itself, and never does a part of one within another", async () => {
    const { world, course, backend, model } = await listening({ "1": QUIET, "2": QUIET, "3": QUIET });
    for (const word of words(6)) await world.say(["1", "2", "3"], word);
    await world.idle();
    const lines = await course();
    let open: string | undefined;
    for (const line of lines) {
      const begins = /^(?:start|process|end)\w* (0,\d)/.exec(line)?.[1];
      if (begins !== undefined) {
        expect(open).toBeUndefined();
        open = begins;
      } else if (/^rules:(?:$| Message| Flushed)/.test(line)) open = undefined;
    }
    for (const thread of ["0,1", "0,2", "0,3"])
      expect(
        lines.filter((line) => line.startsWith("process_message_and_flush") && line.includes(thread)),
      ).toEqual([`process_message_and_flush ${thread} 6: Word 6`]);
    const entries = await entriesOf(backend);
    expect(entries).toHaveLength(18);
    for (const thread of ["0,1", "0,2", "0,3"])
      expect(entries.filter((one) => one.thread === thread).map(({ raw }) => raw)).toEqual(words(6));
    const about = model.requests.find(({ system }) => system.includes("Content:\n> Word 6"))!;
    expect(about.system.match(/^> Word 1$/gm)).toHaveLength(1);
  });

  it("says nothing to anybody, also where it is spoken to", async () => {
    const { say, world, course, model } = await listening();
    await say("1", "Hello");
    await say("scribe", "Hello, you");
    expect(await course()).toEqual([
      ...START,
      "process_message 0,1 1: Hello",
      ...ENTRY,
      PROCESS(1).at(-1)!,
      "rules:",
    ]);
    expect(model.requests).toHaveLength(1);
    for (const event of await world.events("scribe"))
      if ("sends" in event)
        for (const { id } of event.sends ?? []) expect(id).toMatch(/^scribe>main\/legion#/);
  });
});
