import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Mail } from "../../src/mail/bus.ts";
import { CONTROL, isControlsOwn } from "../../src/domain/message/message.ts";
import { createFront, type Front, type Rear } from "../../src/mail/window.ts";
import { letter, numbers } from "./letter.ts";

const never = new AbortController().signal;

function mail(position: number, words: Parameters<typeof letter>[2] = {}): Mail {
  return { position, ...letter("a", position, words) };
}

/** A mailbox that is elsewhere, read in pages of so many; `turn` lets each page come. */
function createRear(pageSize: number, turn: () => Promise<unknown> = () => Promise.resolve()) {
  const waiting: Mail[] = [];
  let pages = 0;
  const failures: unknown[] = [];
  const readAhead: number[] = [];
  const rear: Rear = {
    async *read(position) {
      for (let from = position; ;) {
        await turn();
        const page = waiting.filter((one) => one.position >= from).slice(0, pageSize);
        pages++;
        if (page.length > 0) yield page;
        if (page.length < pageSize) return;
        from = page.at(-1)!.position + 1;
      }
    },
    async *readAhead(position) {
      await turn();
      for (const one of waiting) {
        if (one.position < position || !isControlsOwn(one.message)) continue;
        readAhead.push(one.position);
        yield one;
      }
    },
    onFailure: (error) => void failures.push(error),
  };
  return { waiting, rear, failures, pages: () => pages, readAhead };
}

const positions = (front: Front): number[] => front.peek(Infinity).map(({ position }) => position);

describe("the front of a mailbox", () => {
  it("shows all that was delivered once and in order, whatever is heard when (Q1)", async () => {
    const step = fc.oneof(
      { weight: 4, arbitrary: fc.constantFrom("here", "elsewhere", "unheard") },
      { weight: 2, arbitrary: fc.constantFrom("take", "take some", "wrong word") },
    );
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), fc.array(step, { maxLength: 40 }), async (scheduler, steps) => {
        const { waiting, rear } = createRear(3, () => scheduler.schedule(Promise.resolve()));
        const front = createFront(rear);
        const shown: number[] = [];
        let last = 0;
        const take = (count: number): void => {
          const taken = positions(front).slice(0, count);
          shown.push(...taken);
          if (taken.length === 0) return;
          waiting.splice(0, waiting.findIndex(({ position }) => position > taken.at(-1)!) >>> 0);
          front.taken(taken.at(-1)!);
        };
        const acts: Record<string, () => void> = {
          here() {
            const fresh = mail(++last);
            waiting.push(fresh);
            front.arrived(last, () => fresh);
          },
          elsewhere() {
            waiting.push(mail(++last));
            front.learn({ newest: last });
          },
          unheard: () => void waiting.push(mail(++last)),
          "wrong word": () => front.learn({ newest: last + 7 }),
          take: () => take(Infinity),
          "take some": () => take(2),
        };
        const { done } = scheduler.scheduleSequence(
          steps.map((name) => () => Promise.resolve(acts[name]!())),
        );
        void done;
        await scheduler.waitIdle();
        front.learn({ newest: last });
        for (let rounds = 0; shown.length < last && rounds <= steps.length; rounds++) {
          await scheduler.waitIdle();
          take(Infinity);
        }
        expect(shown).toEqual(numbers(last));
        expect(front.unread).toBe(0);
      }),
      { numRuns: 300 },
    );
  });

  it("forgets what it was told late, when it hears that this was taken (Q1)", async () => {
    const { waiting, rear } = createRear(100);
    waiting.push(mail(3));
    const front = createFront(rear);
    front.arrived(1, () => mail(1));
    front.learn({ newest: 3, taken: 2 });
    await front.settled();
    expect([front.unread, positions(front)]).toEqual([1, [3]]);
  });

  it("holds little, counts all, and has what comes next when all of it was taken in (Q2)", async () => {
    const { waiting, rear, pages } = createRear(100);
    waiting.push(...numbers(5_000).map((n) => mail(n)));
    const front = createFront(rear);
    front.learn({ newest: 5_000 });
    await front.settled();
    expect([pages(), front.unread]).toEqual([10, 5_000]);
    expect(front.peek(0)).toHaveLength(1);
    expect([pages(), positions(front).length]).toEqual([10, 1_000]);
    await front.settled();
    expect([pages(), front.unread]).toEqual([11, 5_000]);
    front.taken(1_000);
    expect(front.unread).toBe(4_000);
    expect(front.peek(0)[0]!.position).toBe(1_001);
  });

  it("holds no more than some text, and no message that comes beside it (Q2)", async () => {
    const { waiting, rear } = createRear(2);
    const content = "x".repeat(1_000_000);
    waiting.push(...numbers(20).map((n) => mail(n, { content })));
    const front = createFront(rear);
    front.learn({ newest: 20 });
    await front.settled();
    front.arrived(21, () => mail(21, { content }));
    expect(front.peek(1)).toHaveLength(1);
    expect(front.unread).toBe(21);
    expect(positions(front)).toEqual(numbers(6));
  });

  it("shows all up to the last abort, however much that is (Q2)", async () => {
    const { waiting, rear } = createRear(100);
    waiting.push(
      ...numbers(3_000).map((n) => mail(n, n === 2_500 ? { from: CONTROL, delivery: "abort" } : {})),
    );
    const front = createFront(rear);
    front.learn({ newest: 3_000, abort: 2_500 });
    await front.settled();
    expect(front.peek(0)).toHaveLength(2_500);
    expect(front.interrupt().aborted).toBe(true);
    front.taken(2_500);
    expect(front.interrupt().aborted).toBe(false);
  });

  it("has Control's mail wherever it stands, and reads no other for it (Q3)", async () => {
    const { waiting, rear, pages, readAhead } = createRear(100);
    const said = [500, 2_500, 7_000, 10_000];
    waiting.push(...numbers(10_000).map((n) => mail(n, said.includes(n) ? { from: CONTROL } : {})));
    const front = createFront(rear);
    const ahead = (): number[] => front.ahead().map(({ position }) => position);
    front.learn({ newest: 10_000 });
    await front.settled();
    expect([ahead(), readAhead, pages()]).toEqual([said, [2_500, 7_000, 10_000], 10]);
    expect(front.peek(0)).toHaveLength(1);

    const heard = front.heard(never);
    waiting.push(mail(10_001), mail(10_002, { from: CONTROL }), mail(10_003));
    front.learn({ newest: 10_001, control: 0 });
    front.learn({ newest: 10_003, control: 10_002 });
    await heard;
    expect([ahead(), readAhead.slice(3)]).toEqual([[...said, 10_002], [10_002]]);

    for (let taken = 0; taken < 10_003;) {
      await front.settled();
      taken = positions(front).at(-1)!;
      waiting.splice(0, waiting.findIndex(({ position }) => position > taken) >>> 0);
      front.taken(taken);
      expect(ahead()).toEqual([...said, 10_002].filter((position) => position > taken));
    }
    expect(readAhead).toHaveLength(4);
  });

  it("shows of very much that Control said the oldest, and the rest when those were taken (Q3)", async () => {
    const { waiting, rear } = createRear(2);
    const content = "x".repeat(1_000_000);
    waiting.push(...numbers(20).map((n) => mail(n, { content, ...(n > 5 && { from: CONTROL }) })));
    const front = createFront(rear);
    const ahead = (): number[] => front.ahead().map(({ position }) => position);
    front.learn({ newest: 20 });
    await front.settled();
    expect([positions(front), ahead()]).toEqual([numbers(6), [6, 7, 8, 9, 10]]);
    front.taken(6);
    await front.settled();
    expect(ahead()).toEqual([7, 8, 9, 10, 11, 12]);
  });

  it("has Control's mail behind however much another program said at its door (Q3)", async () => {
    const { waiting, rear } = createRear(2);
    const program = { from: CONTROL, taint: ["another program"], content: "x".repeat(1_000_000) };
    waiting.push(...numbers(20).map((n) => mail(n, n < 20 ? program : { from: CONTROL })));
    const front = createFront(rear);
    front.learn({ newest: 20 });
    await front.settled();
    expect(front.ahead().map(({ position }) => position)).toEqual([20]);
  });

  it("says that nothing waits until it can show something, and wakes its reader then", async () => {
    let let1 = (): void => undefined;
    const { waiting, rear } = createRear(100, () => new Promise<void>((resolve) => (let1 = resolve)));
    const front = createFront(rear);
    waiting.push(mail(1));
    front.learn({ newest: 1 });
    const woken = front.wait(never);
    expect([front.unread, positions(front)]).toEqual([0, []]);
    let1();
    await woken;
    expect(front.unread).toBe(1);
  });

  it("tells of a failure to read, and reads on when it hears of mail again", async () => {
    let isBroken = true;
    const { waiting, rear, failures } = createRear(100, () =>
      isBroken ? Promise.reject(new Error("gone")) : Promise.resolve(),
    );
    const front = createFront(rear);
    waiting.push(mail(1));
    front.learn({ newest: 1 });
    await expect(front.settled()).rejects.toThrow("gone");
    expect(failures).toEqual([new Error("gone")]);
    isBroken = false;
    front.learn({ newest: 1 });
    await front.wait(never);
    expect(positions(front)).toEqual([1]);
  });
});
