import { describe, expect, it } from "vitest";
import type { Event, NewEvent, OpenedEvent } from "../../../src/domain/event/event.ts";
import { createDigest } from "../../../src/past/digest/digest.ts";
import { incidentsOf, MOST_INCIDENTS } from "../../../src/past/digest/incidents/incident.ts";
import { undeliverable } from "../../../src/past/mail/dead-letters.ts";
import { decision, letter, mail, numbered, opened, prompted, result } from "../spans/story.ts";

type Told = NewEvent | OpenedEvent;

function fold(...events: readonly Told[]) {
  return foldAt(numbered([opened(), ...events]));
}

function foldAt(events: readonly Event[]) {
  const digest = createDigest();
  for (const event of events) digest.see(event);
  return digest.digest;
}

const notice = (reason: "restarted" | "gap" | "parked-mail" | "resent", more: object = {}): NewEvent => ({
  ...{ kind: "notice", reason, content: `${reason}.`, ...more },
});
const refused = (seq: number, status?: number): NewEvent => ({
  ...{ kind: "refused", prompted: seq, ...(status !== undefined && { status }) },
});
const running = (command: string, id = "a"): NewEvent => ({
  ...(decision([id]) as NewEvent & { kind: "decision" }),
  calls: [{ id, action: "executeCommand", parameters: { command } }],
});

describe("what stands out in a log", () => {
  it("refused calls in a row are one outage, until an answer comes", () => {
    const { incidents } = fold(
      ...[prompted(), refused(2, 503), prompted(), refused(4, 503), prompted(), decision(["a"]), result("a")],
      ...[prompted(), refused(9)],
    );
    expect(incidentsOf(incidents, "outage")).toMatchObject([
      { seq: 3, count: 2, text: "anthropic/m-1: HTTP 503", until: "1970-01-01T00:00:05.000Z" },
      { seq: 10, text: "anthropic/m-1: no connection" },
    ]);
  });

  it("new processes, new beginnings, what is lost and what stopped it", () => {
    const { incidents } = fold(
      ...[notice("restarted"), notice("restarted", { details: "ending" }), opened()],
      ...[notice("gap", { details: { lost: [[7, 9]] } }), notice("parked-mail")],
    );
    const found = (["start", "restart", "gap", "park"] as const).map((kind) => incidentsOf(incidents, kind));
    expect(found).toMatchObject([
      [{ seq: 4 }],
      [{ seq: 2, text: "restarted." }],
      [{ seq: 5, count: 3 }],
      [{ seq: 6, text: "parked-mail." }],
    ]);
  });

  it("a clock that goes back is told once, and what is behind it counts as no earlier", () => {
    const events = numbered([
      opened(),
      mail("0>1#1"),
      running("ls"),
      result("a"),
      running("ls -l"),
      result("a"),
    ]);
    const back = events.map((event, at) => (at < 3 ? event : { ...event, at: "1969-12-31T20:00:00.000Z" }));
    const { incidents } = foldAt(back);
    expect(incidentsOf(incidents, "clock")[0]).toMatchObject({ seq: 4, until: "1970-01-01T00:00:03.000Z" });
    expect(incidentsOf(incidents, "command").map(({ ms }) => ms)).toEqual([3_000, 3_000]);
  });

  it("what failed, and what went in a circle, in a row is one", () => {
    const failing = [decision(["a"]), result("a", "error")];
    const { incidents } = fold(mail("0>1#1"), ...Array.from({ length: 5 }, () => failing).flat());
    expect(incidentsOf(incidents, "failed")).toMatchObject([{ seq: 4, count: 5 }]);
    expect(incidentsOf(incidents, "loop")).toMatchObject([{ seq: 8, count: 3 }]);
    const again = fold(...failing, decision(["b"]), result("b"), ...failing).incidents;
    expect(incidentsOf(again, "failed")).toHaveLength(2);
  });

  it("commands with what came of them; one that a person did not allow never ran", () => {
    const exit = (exitCode: number): NewEvent =>
      ({ ...(result("a") as object), details: { exitCode } }) as NewEvent;
    const denied: NewEvent = { kind: "approval", call: "a", verdict: "denied" };
    const { incidents } = fold(
      ...[
        mail("0>1#1"),
        running("npm test\nnpm run build"),
        exit(1),
        running("ls"),
        exit(0),
        running("ls"),
        exit(0),
      ],
      ...[running("rm -r x"), denied, result("a", "error"), running("sleep 1"), result("a", "interrupted")],
      ...[running("idle"), result("a", "idle")],
    );
    expect(incidentsOf(incidents, "command")).toMatchObject([
      { text: "npm test …", exit: 1, cause: "0>1#1" },
      { text: "ls", exit: 0, count: 2 },
      { text: "sleep 1", outcome: "interrupted" },
    ]);
    expect(incidentsOf(incidents, "command")).toHaveLength(3);
  });

  it("of commands what is known that they changed: the same with other changes is another line", () => {
    const changed = (changed?: object) => ({ ...(result("a") as object), changed }) as NewEvent;
    const files = [{ path: "x", does: "changed" }];
    const { incidents } = fold(
      ...[
        running("fix"),
        changed({ files, more: 2, isShared: true }),
        running("fix"),
        changed({ files: [] }),
      ],
      ...[running("fix"), changed({ files: [] }), running("fix"), result("a")],
      ...[running("fix"), changed({ files: [], unknown: "git was\nslow" })],
    );
    expect(incidentsOf(incidents, "command").map(({ changed, count = 1 }) => [changed, count])).toEqual([
      [{ files: 3, isShared: true }, 1],
      [{ files: 0 }, 2],
      [undefined, 1],
      [{ files: 0, unknown: "git was slow" }, 1],
    ]);
  });

  it("dead mail, and which of it was sent again", () => {
    const lost = letter("1>2#1", { root: "0>1#1" });
    const { incidents } = fold(
      undeliverable(lost, "Nobody is there.", 1),
      notice("resent", { details: { dead: "1@2" } }),
    );
    expect(incidentsOf(incidents, "dead")).toMatchObject([
      { seq: 2, text: "Nobody is there.", mail: { id: "1>2#1", root: "0>1#1", to: ["2"] } },
    ]);
    expect([...incidents.resent]).toEqual(["1@2"]);
  });

  it("of many the newest are kept, and that they are not all", () => {
    const many = Array.from({ length: MOST_INCIDENTS + 2 }, (_, n) => [
      running(`echo ${n}`),
      result("a"),
    ]).flat();
    const { incidents } = fold(...many);
    expect(incidentsOf(incidents, "command")).toHaveLength(MOST_INCIDENTS);
    expect(incidents.cut.get("command")).toBe(5_000);
  });

  it("nothing of another agent's past is its own", () => {
    const { incidents } = fold(running("ls"), result("a"), notice("restarted"), {
      kind: "branch",
      to: 4,
      origin: "9",
    });
    expect([incidentsOf(incidents, "command"), incidentsOf(incidents, "restart")]).toEqual([[], []]);
  });

  it("it has something to do from its mail on until it rests", () => {
    const isWorking = (...events: readonly Told[]): boolean => !fold(...events).conversation.isDone;
    expect(isWorking(mail("0>1#1"))).toBe(true);
    expect(isWorking(mail("0>1#1"), decision([]))).toBe(false);
    expect(isWorking(mail("0>1#1"), decision(["a"]), result("a"))).toBe(true);
    expect(isWorking(mail("0>1#1"), decision(["a"]), result("a", "idle"))).toBe(false);
    expect(isWorking(mail("0>1#1", { delivery: "follow-up" }, true))).toBe(false);
    const aborted = mail("0>1#2", { delivery: "abort" });
    expect(isWorking(mail("0>1#1"), decision(["a"]), aborted, result("a"))).toBe(false);
  });
});

it("what agents said to the person is known by its first message, and questions are none of it", () => {
  const said = (n: number, more: object = {}): NewEvent => mail(`1>0#${n}`, { root: "0>1#1", ...more });
  const { answers } = fold(said(1), said(2, { details: { question: "1.4" } }), said(3), mail("2>0#1"));
  expect([...answers]).toMatchObject([["0>1#1", { from: "1", seq: 4, count: 2 }]]);
});
