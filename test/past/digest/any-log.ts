// Logs of any kind, as a runtime, a crash or a hand could have written them.

import fc from "fast-check";
import type { ChangedByCommands } from "../../../src/domain/event/changed.ts";
import type { Event, NewEvent, SeqRange } from "../../../src/domain/event/event.ts";
import type { NoticeReason } from "../../../src/domain/event/notice.ts";
import { CONTROL, type MailLane } from "../../../src/domain/message/message.ts";
import { undeliverable } from "../../../src/past/mail/dead-letters.ts";
import { letter, type Words } from "../../mail/letter.ts";

const SEQ = fc.integer({ min: 1, max: 40 });
const CALL = fc.constantFrom("a", "b");
const MODEL = fc.constantFrom("big", "small");

export function taken(n: number, words: Words = {}, held?: true): NewEvent {
  return { kind: "message", ...letter("1", n, { from: CONTROL, ...words }), mail: n, held };
}

export function prompted(
  input: number,
  { model = "big", call }: { model?: string; call?: string } = {},
): NewEvent {
  const reserved = { input, output: 9, cost: input / 1_000 };
  return { kind: "prompted", model, prompt: "", introduction: "", reserved, call };
}

export function decided(input: number, more: Partial<NewEvent & { kind: "decision" }> = {}): NewEvent {
  const usage = { input, output: 1, cacheRead: input / 2, cost: input / 1_000 };
  const calls = more.calls ?? [];
  const stop = calls.length > 0 ? "calls" : "end";
  return { kind: "decision", text: "", calls, protocol: "tools", model: "big", usage, stop, ...more };
}

export function noticed(reason: NoticeReason, details?: unknown): NewEvent {
  return { kind: "notice", reason, content: `${reason}.`, details };
}

const sent = fc.tuple(fc.constantFrom("0", "2", "3"), fc.integer({ min: 1, max: 9 })).map(([to, n]) => {
  return letter(to, n, { from: "1" }).message;
});
const written = (["path", "other", "command"] as const).map((path) => ({ path, content: "x" }));

const mail = fc
  .record({
    n: fc.integer({ min: 1, max: 9 }),
    from: fc.constantFrom(CONTROL, "2"),
    delivery: fc.constantFrom<MailLane>("normal", "abort", "steer", "follow-up", "verdict"),
    details: fc.constantFrom(undefined, { mode: "human" }, { act: { action: "x", parameters: {} } }),
    held: fc.constantFrom(undefined, true),
  })
  .map(({ n, held, ...words }) => taken(n, words, held));

const decision = fc
  .record({
    input: fc.nat(99),
    model: fc.constantFrom("big", "small", "human", "rules"),
    ids: fc.subarray(["a", "b"]),
    action: fc.constantFrom("writeFile", "deleteFile", "readFile"),
    parameters: fc.constantFrom(...written),
    sends: fc.option(fc.array(sent, { maxLength: 2 }), { nil: undefined }),
    isUnparsed: fc.boolean(),
  })
  .map(({ input, model, ids, action, parameters, sends, isUnparsed }) => {
    const calls = ids.map((id) => ({ id, action, parameters }));
    return decided(input, { model, calls, sends, ...(isUnparsed && { stop: "unparsed" }) });
  });

const result = fc
  .record({
    call: fc.constantFrom("a", "b", null),
    outcome: fc.constantFrom("ok" as const, "error" as const, "interrupted" as const),
    details: fc.constantFrom(undefined, { created: true, diff: "+" }),
    usage: fc.constantFrom(undefined, { input: 7, output: 1, cost: 0.25 }),
    changed: fc.constantFrom<ChangedByCommands | undefined>(
      ...[undefined, { files: [] }, { files: [], unknown: "git was slow" }],
      { files: [{ path: "x", does: "deleted" }], more: 3, isShared: true },
    ),
  })
  .map((told): NewEvent => ({ kind: "result", content: "", ...told }));

const asked = { action: "writeFile", touches: [], besides: [], rule: "ask" };
const approval = fc
  .tuple(CALL, fc.constantFrom({ asked }, { sends: [] }, { verdict: "denied" as const, reason: "No" }))
  .map(([call, told]): NewEvent => ({ kind: "approval", call, ...told }));

const notice = fc.oneof(
  fc
    .constantFrom<NoticeReason>("paused", "parked", "parked-mail", "halted", "resumed", "foreign", "adopted")
    .map((reason) => noticed(reason)),
  fc.constantFrom(undefined, "again", "lost", "ending").map((said) => noticed("restarted", said)),
  fc.constantFrom("human", "usual").map((mode) => noticed("mode", { mode, by: "0>1#3" })),
  SEQ.map((seq) => noticed("undo", { undo: "u", steps: [{ path: "path", events: [`1.${seq}`, "0.3"] }] })),
  fc.constantFrom([], [{ path: "path" }]).map((left) => noticed("undone", { undo: "u", left })),
  fc.constant(noticed("parked-limit", { limit: "cost", until: "2027-01-01T00:00:00.000Z" })),
  fc.tuple(sent, SEQ).map(([message, seq]) => undeliverable(message, "Gone.", seq)),
  fc
    .integer({ min: 1, max: 9 })
    .map((n) => undeliverable(letter("1", n, { from: CONTROL }).message, "Withdrawn.")),
);

const observed: NewEvent = {
  ...{ kind: "observed", of: { agent: "2", log: "log of 2", seq: 3 }, from: "log of 2" },
  ...{ control: "process_message", thread: "t", n: 1 },
};

const summary = fc.tuple(SEQ, SEQ, fc.nat(99)).map(([a, b, input]): NewEvent => {
  const covers: SeqRange = [Math.min(a, b), Math.max(a, b)];
  const usage = { input, output: 1, cost: input / 1_000 };
  return { kind: "summary", covers: a === b ? [0, 0] : covers, content: "", strategy: "legion", usage };
});

export const anyEvent: fc.Arbitrary<NewEvent> = fc.oneof(
  ...[mail, decision, decision, result, result, approval, notice, summary],
  fc.array(SEQ, { minLength: 1, maxLength: 2 }).map((messages): NewEvent => ({ kind: "released", messages })),
  fc
    .tuple(fc.nat(99), MODEL, fc.option(CALL))
    .map(([n, model, call]) => prompted(n, { model, call: call ?? undefined })),
  SEQ.map((seq): NewEvent => ({ kind: "refused", prompted: seq })),
  SEQ.map((upTo): NewEvent => ({ kind: "sent", upTo })),
  fc
    .tuple(SEQ, fc.constantFrom(undefined, undefined, "other"))
    .map(([to, origin]): NewEvent => ({ kind: "branch", to, origin })),
  fc.constant(observed),
);

export const anyLog = logOf(anyEvent);

/** Each event some time after the one before, now and then by another process. */
export function logOf(event: fc.Arbitrary<NewEvent>): fc.Arbitrary<readonly Event[]> {
  return fc.array(fc.tuple(event, fc.nat(200_000), fc.nat(8)), { maxLength: 40 }).map((told) => {
    const log: Event[] = [];
    let [epoch, atMs] = [1, Date.parse("2026-01-01T00:00:00.000Z")];
    const add = (event: NewEvent | Extract<Event, { kind: "opened" }>): void =>
      void log.push({ ...event, seq: log.length + 1, epoch, at: new Date(atMs).toISOString() } as Event);
    const open = (): void => void log.push(opened(log.length + 1, epoch, new Date(atMs).toISOString()));
    open();
    for (const [event, laterMs, restart] of told) {
      atMs += laterMs;
      if (restart === 0) {
        epoch++;
        open();
      }
      add(event);
    }
    return log;
  });
}

function opened(seq: number, epoch: number, at: string): Event {
  return { kind: "opened", format: 2, log: "log of 1", seals: {}, seq, epoch, at };
}
