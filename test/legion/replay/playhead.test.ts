import { expect, it } from "vitest";
import type { Event } from "../../../src/domain/event/event.ts";
import { createPlayhead, type Playhead } from "../../../src/legion/replay/playhead.ts";
import type { Recorded, Tape } from "../../../src/legion/replay/recording.ts";

const opened = { kind: "opened", format: 1, seals: {} } as const;
const edited = { kind: "edited", module: "m", key: "k", value: 1 } as const;
const result = { kind: "result", call: "c", outcome: "ok", content: "" } as const;
const usage = { input: 1, output: 1 };
const prompted = { kind: "prompted", model: "m", prompt: "p", introduction: "i", reserved: usage } as const;
const KINDS = {
  s: { by: "start", event: { ...opened, log: "new" } },
  o: { by: "outside", event: edited },
  a: { by: "agent", event: result },
  p: { by: "agent", event: prompted },
} as const;

/** `soa` is a start, something from outside and a result of the agent's own; `p` asks a model. */
function tapeOf(letters: string): Tape {
  const events = [...letters].map((letter, index): Recorded => {
    const { by, event } = KINDS[letter as keyof typeof KINDS];
    const prompt = { hasTools: true, pinned: "Pinned." };
    const recorded = { by, event: { ...event, seq: index + 1, epoch: 1, at: "" } as Event };
    return letter === "p" ? { ...recorded, prompt } : recorded;
  });
  return { agent: "1", events, decisions: 0 };
}

/** Plays to the end, the way an agent does: what it passes, by number; `|` where it is made anew. */
function play(head: Playhead): string {
  let story = "";
  for (head.begin(); ; head.begin()) {
    story += `${head.past().length}|`;
    while (head.next()) {
      story += head
        .passOutside()
        .map(({ seq }) => seq)
        .join("");
      story += head.pass().seq;
      story += head
        .passOutside()
        .map(({ seq }) => seq)
        .join("");
    }
    if (head.edge === "end") return story;
  }
}

it("passes every event once and in order, whoever brought it about (P1)", () => {
  expect(play(createPlayhead(tapeOf("soaaoaooa")))).toBe("2|3456789");
});

it("lets nothing of an agent past a start (P2)", () => {
  const head = createPlayhead(tapeOf("soaasoa"));
  head.begin();
  head.pass();
  head.pass();
  expect([head.next(), head.edge]).toEqual([undefined, "start"]);
  expect(head.passOutside()).toEqual([]);
  expect(head.past()).toHaveLength(4);
  expect(head.begin().map(({ seq }) => seq)).toEqual([5, 6]);
  expect(head.past()).toHaveLength(6);
  expect(head.next()?.seq).toBe(7);
});

it("knows what is pinned and asked next, and what was passed", () => {
  const head = createPlayhead(tapeOf("spao"));
  head.begin();
  expect([head.model(), head.speaks(), head.pinned()]).toEqual(["m", "tools", "Pinned."]);
  head.pass();
  expect(head.passed).toEqual({ events: 2, decisions: 0, log: "new" });
  expect(head.outside()).toEqual([]);
  head.pass();
  expect(head.outside().map(({ kind }) => kind)).toEqual(["edited"]);
});
