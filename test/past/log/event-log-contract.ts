import { describe, expect, it } from "vitest";
import type { Event, PromptedEvent, ResultEvent, StateChange } from "../../../src/domain/event/event.ts";
import type { NoticeEvent } from "../../../src/domain/event/notice.ts";
import type { EventLog } from "../../../src/past/log/event-log.ts";

export interface OpenedLog {
  readonly log: EventLog;
  /** What was read of the log's past. */
  readonly past: readonly Event[];
}

const LONG = 200_000;

/** What every event log promises. `open` opens the same log each time; the one before is closed then. */
export function describeEventLog(name: string, createOpener: () => Promise<() => Promise<OpenedLog>>): void {
  describe(name, () => {
    it("gives back what was appended, whole and in order, also when it is opened again (L1, L3)", async () => {
      const open = await createOpener();
      const { log, past } = await open();
      expect([past, log.last]).toEqual([[], 0]);
      const first = await log.append([said("one")]);
      const more = await log.append([said("two"), said("three")]);
      await log.close();
      const again = await open();
      const events = again.past.filter(({ kind }) => kind !== "opened");
      expect(events).toMatchObject([...first, ...more]);
      expect(again.log.last).toBe(more[1]!.seq);
    });

    it("numbers events 1, 2, 3... without gaps, in the order of the calls (L3)", async () => {
      const open = await createOpener();
      const { log } = await open();
      const appends = Array.from({ length: 40 }, (_, n) => {
        const content = n % 7 === 3 ? `${n}`.padEnd(LONG) : `${n}`;
        return log.append(n % 5 === 0 ? [said(content), said(content)] : [said(content)]);
      });
      const stamped = (await Promise.all(appends)).flat();
      expect(stamped.map(({ seq }) => seq)).toEqual(stamped.map(({ seq }) => seq).sort((a, b) => a - b));
      await log.close();
      const { past } = await open();
      expect(past.map(({ seq }) => seq)).toEqual(past.map((_, index) => index + 1));
      expect(past.filter(({ kind }) => kind !== "opened")).toMatchObject(stamped);
    });

    it("keeps a note with the next append, and with closing (L2)", async () => {
      const open = await createOpener();
      const { log } = await open();
      const noted = log.note({ kind: "sent", upTo: 1 });
      const [appended] = await log.append([said("after")]);
      expect(appended!.seq).toBe(noted.seq + 1);
      const last = log.note({ kind: "sent", upTo: 2 });
      await log.close();
      expect((await open()).past.filter(({ kind }) => kind === "sent")).toMatchObject([noted, last]);
    });

    it("has what was kept in the order of the calls, among what was appended and noted, once it is settled (L2, L3)", async () => {
      const open = await createOpener();
      const { log } = await open();
      const events = [
        ...(await log.keep([said("one"), said("long".padEnd(LONG))])),
        log.note({ kind: "sent", upTo: 1 }),
        ...(await log.keep([said("two")])),
        ...(await log.append([said("three")])),
        ...(await log.keep([said("four")])),
      ];
      await log.settle();
      await log.settle();
      expect(log.last).toBe(events.at(-1)!.seq);
      const read: Event[] = [];
      for await (const event of log.read()) if (event.kind !== "opened") read.push(event);
      expect(read).toEqual(events);
      await log.close();
      expect((await open()).past.filter(({ kind }) => kind !== "opened")).toEqual(events);
    });

    it("reads from any event on, what was appended just now included", async () => {
      const open = await createOpener();
      const { log } = await open();
      const stamped = await log.append(Array.from({ length: 10 }, (_, n) => said(String(n))));
      for (const { seq } of stamped) {
        const read: Event[] = [];
        for await (const event of log.read(seq)) read.push(event);
        expect(read).toMatchObject(stamped.filter((event) => event.seq >= seq));
      }
    });

    it("gives back texts that change a little whole, from any event on, and when it is opened again", async () => {
      const open = await createOpener();
      const { log } = await open();
      const written: Event[] = [];
      for (let n = 60; n < 80; n++) {
        written.push(log.note(prompted(goals(n).join("\n"))));
        const goalsNow = goals(n).map((text) => ({ text, complete: false }));
        written.push(...(await log.append([changed("goals", "goals", goalsNow)])));
        if (n === 70) written.push(...(await log.append([changed("notes", "a title", "x".repeat(LONG))])));
      }
      log.note(prompted(goals(81).join("\n")));
      for (const { seq } of written.slice(-25)) {
        const read: Event[] = [];
        for await (const event of log.read(seq)) if (event.kind !== "opened") read.push(event);
        expect(read.slice(0, -1)).toEqual(written.filter((event) => event.seq >= seq));
        expect(read.at(-1)).toMatchObject(prompted(goals(81).join("\n")));
      }
      await log.close();
      const again = await open();
      expect(again.past.filter(({ kind }) => kind !== "opened").slice(0, -1)).toEqual(written);
      const [more] = await again.log.append([changed("goals", "goals", goals(90))]);
      const read: Event[] = [];
      for await (const event of again.log.read(more!.seq)) read.push(event);
      expect(read).toMatchObject([more!]);
    });

    it("keeps its name when it is opened again", async () => {
      const open = await createOpener();
      const { log } = await open();
      await log.append([said("one")]);
      await log.close();
      const again = await open();
      expect(again.log.id).toBe(log.id);
    });

    it("appends nothing of a batch that it cannot write, and goes on (L1)", async () => {
      const open = await createOpener();
      const { log } = await open();
      await expect(log.append([said("half"), { ...said("not JSON"), details: 1n }])).rejects.toThrow(
        TypeError,
      );
      await log.append([said("whole")]);
      await log.close();
      const { past } = await open();
      expect(past.filter(({ kind }) => kind !== "opened")).toMatchObject([said("whole")]);
    });
  });
}

function goals(count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => `${index + 1}) Write chapter ${index + 1} of the book`);
}

function prompted(pinned: string): PromptedEvent {
  return {
    kind: "prompted",
    model: "scripted/m",
    prompt: "p",
    introduction: "i",
    pinned,
    reserved: { input: 1, output: 1 },
  };
}

function changed(...change: StateChange): ResultEvent {
  return { kind: "result", call: "1", outcome: "ok", content: "Done.", state: [change] };
}

export function said(content: string): NoticeEvent {
  return { kind: "notice", reason: "said", content };
}
