import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Mail, Reception } from "../../src/mail/bus.ts";
import { CONTROL, MAILBOX_LIMIT } from "../../src/domain/message/message.ts";
import { describeControlsMail } from "./control-mail-contract.ts";
import { contents, letter, numbers, type BusStage } from "./letter.ts";

const never = new AbortController().signal;
const accepted: Reception = { status: "accepted" };

/** What every bus promises. */
export function describeBus(name: string, createStage: () => Promise<BusStage>): void {
  describe(name, () => {
    it("has in its mailbox whatever it accepted, also when it is closed or killed at once (B1)", async () => {
      for (const how of ["closed", "killed"] as const) {
        let stage = await createStage();
        await Promise.all(numbers(20).map((n) => stage.bus.send(letter("a", n))));
        stage = await stage.restart(how);
        expect(await stage.bus.unread("a")).toBe(20);
        const inbox = await stage.bus.open("a");
        expect(inbox.unread).toBe(20);
        expect(contents(inbox)).toEqual(numbers(20).map((n) => `x ${n}`));
        expect(inbox.peek(Infinity)[0]).toMatchObject(letter("a", 1));
      }
    });

    it("keeps mail for an agent that is known and does not run, until it does (B1)", async () => {
      const stage = await createStage();
      expect(await stage.bus.send(letter("b", 1))).toEqual(accepted);
      const later = await (await stage.restart("killed")).restart("closed");
      expect(contents(await later.bus.open("b"))).toEqual(["x 1"]);
    });

    it("accepts each sender's mail in the order of its numbers and once, whatever is offered when (B2)", async () => {
      const offer = fc.record({ from: fc.constantFrom("x", "y", "z"), n: fc.integer({ min: 1, max: 6 }) });
      const step = fc.oneof(
        { weight: 8, arbitrary: fc.array(offer, { minLength: 1, maxLength: 8 }) },
        { weight: 2, arbitrary: fc.constantFrom("take", "closed", "killed") },
      );
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
          let stage = await createStage();
          let inbox = await stage.bus.open("a");
          const taken: Mail[] = [];
          const told = new Map<string, number[]>();
          for (const next of steps) {
            if (next === "take") {
              const mail = inbox.peek(0);
              taken.push(...mail);
              await stage.takeIn("a", inbox, mail);
            } else if (typeof next === "string") {
              stage = await stage.restart(next);
              inbox = await stage.bus.open("a");
            } else {
              await Promise.all(
                next.map(async ({ from, n }) => {
                  const { status } = await stage.bus.send(letter("a", n, { from }));
                  if (status === "accepted") told.set(from, [...(told.get(from) ?? []), n]);
                }),
              );
            }
          }
          const found = [...taken, ...inbox.peek(Infinity)];
          const positions = found.map(({ position }) => position);
          expect(positions).toEqual([...new Set(positions)].sort((a, b) => a - b));
          for (const from of ["x", "y", "z"]) {
            const got = found
              .filter((mail) => mail.from === `log of ${from}`)
              .map(({ message }) => message.content);
            expect(got).toEqual((told.get(from) ?? []).map((n) => `${from} ${n}`));
            const [first = 0] = told.get(from) ?? [];
            expect(told.get(from) ?? []).toEqual(got.map((_, index) => first + index));
          }
        }),
        { numRuns: 40 },
      );
    });

    it("tells a duplicate, waiting or taken, in this run and the next ones (B2)", async () => {
      let stage = await createStage();
      for (const n of [1, 2]) await stage.bus.send(letter("a", n));
      const inbox = await stage.bus.open("a");
      await stage.takeIn("a", inbox, inbox.peek(0));
      for (const how of ["killed", "closed", "closed"] as const) {
        for (const n of [1, 2]) expect(await stage.bus.send(letter("a", n))).toEqual({ status: "duplicate" });
        expect(await stage.bus.unread("a")).toBe(1);
        stage = await stage.restart(how);
      }
    });

    it("takes a message that comes twice at once for one (B2)", async () => {
      const { bus } = await createStage();
      const receipts = await Promise.all([1, 1, 1, 2, 1].map((n) => bus.send(letter("a", n))));
      expect(receipts.map(({ status }) => status[0]).join("")).toBe("addad");
      expect(await bus.unread("a")).toBe(2);
    });

    it("names the number from which a sender has to send again (B2)", async () => {
      const { bus } = await createStage();
      await bus.send(letter("a", 1));
      expect(await bus.send(letter("a", 4))).toEqual({ status: "gap", expected: 2 });
      expect(await bus.unread("a")).toBe(1);
    });

    it("lets a sender pass over numbers whose messages are gone (B2)", async () => {
      const stage = await createStage();
      await stage.bus.send(letter("a", 1));
      expect(await stage.bus.send(letter("a", 5, { after: 2 }))).toEqual({ status: "gap", expected: 2 });
      expect(await stage.bus.send(letter("a", 5, { after: 1 }))).toEqual(accepted);
      expect(await stage.bus.send(letter("a", 3))).toEqual({ status: "duplicate" });
      const { bus } = await stage.restart("killed");
      expect(await bus.send(letter("a", 6))).toEqual(accepted);
      expect(contents(await bus.open("a"))).toEqual(["x 1", "x 5", "x 6"]);
    });

    it("takes the first number of a log that is new to it, and tells logs of the same agent apart (B2)", async () => {
      const { bus } = await createStage();
      expect(await bus.send(letter("a", 7))).toEqual(accepted);
      expect(await bus.send(letter("a", 7, { log: "another" }))).toEqual(accepted);
      expect(await bus.send(letter("a", 8))).toEqual(accepted);
      expect(await bus.send(letter("a", 3, { log: "a third" }))).toEqual(accepted);
    });

    it("never gives a position twice, also when all mail was taken before it was closed (B2)", async () => {
      let stage = await createStage();
      let highest = 0;
      for (let n = 1; n <= 4; n++) {
        await stage.bus.send(letter("a", n));
        const inbox = await stage.bus.open("a");
        const [mail] = inbox.peek(Infinity);
        expect(mail!.position).toBeGreaterThan(highest);
        highest = mail!.position;
        await stage.takeIn("a", inbox, [mail!]);
        stage = await stage.restart(n % 2 === 0 ? "closed" : "killed");
      }
    });

    it("has one reader of a mailbox at a time (B3)", async () => {
      const { bus } = await createStage();
      const inbox = await bus.open("a");
      await expect(bus.open("a")).rejects.toMatchObject({ code: "LOCKED" });
      await bus.open("b");
      await inbox.close();
      await bus.open("a");
    });

    it("wakes, tells and fills nobody but the recipient (B4)", async () => {
      const { bus } = await createStage();
      const others = await Promise.all(["b", "c", CONTROL].map((id) => bus.open(id)));
      const woken: string[] = [];
      for (const inbox of others) void inbox.wait(never).then(() => woken.push("other"));
      const mine = (await bus.open("a")).wait(never).then(() => woken.push("mine"));
      await bus.send(letter("a", 1));
      await mine;
      expect(woken).toEqual(["mine"]);
      expect(others.map(({ unread }) => unread)).toEqual([0, 0, 0]);
    });

    it("refuses mail past the limit until some was taken, also what comes at once; Control's is never full (B5)", async () => {
      const stage = await createStage();
      const { bus } = stage;
      const count = MAILBOX_LIMIT + 5;
      for (const [id, refused] of [
        ["a", 5],
        [CONTROL, 0],
      ] as const) {
        const receipts = await Promise.all(
          numbers(count).map((n) => bus.send(letter(id, n, { content: "" }))),
        );
        expect(receipts.filter(({ status }) => status === "accepted")).toHaveLength(count - refused);
        expect(await bus.unread(id)).toBe(count - refused);
      }
      expect(await bus.send(letter("a", MAILBOX_LIMIT + 1))).toEqual({ status: "full" });
      expect(await bus.send(letter("a", MAILBOX_LIMIT))).toEqual({ status: "duplicate" });
      const inbox = await bus.open("a");
      await stage.takeIn("a", inbox, inbox.peek(0));
      expect(await bus.send(letter("a", MAILBOX_LIMIT + 1))).toEqual(accepted);
      expect(await bus.send(letter("a", MAILBOX_LIMIT + 2))).toEqual({ status: "full" });
    });

    describeControlsMail(createStage);

    it("knows who is unknown", async () => {
      const { bus } = await createStage();
      expect(await bus.send(letter("nobody", 1))).toEqual({ status: "unknown" });
      expect(await bus.unread("nobody")).toBe(0);
      await expect(bus.open("nobody")).rejects.toMatchObject({ code: "REFUSED" });
    });

    it("shows mail oldest first, up to a size, but one at least", async () => {
      const { bus } = await createStage();
      for (const n of numbers(5)) await bus.send(letter("a", n, { content: "x".repeat(400) }));
      const inbox = await bus.open("a");
      expect([0, 1, 100, 250, 450, 1_000, Infinity].map((tokens) => inbox.peek(tokens).length)).toEqual([
        1, 1, 1, 2, 4, 5, 5,
      ]);
      expect(inbox.unread).toBe(5);
    });

    it("shows mail until it was taken, and from then on never again", async () => {
      let stage = await createStage();
      for (const n of numbers(4)) await stage.bus.send(letter("a", n));
      let inbox = await stage.bus.open("a");
      expect(inbox.peek(0)).toEqual(inbox.peek(0));
      await stage.takeIn("a", inbox, inbox.peek(Infinity).slice(0, 3));
      expect(contents(inbox)).toEqual(["x 4"]);
      stage = await stage.restart("killed");
      inbox = await stage.bus.open("a");
      expect(contents(inbox)).toEqual(["x 4"]);
    });

    it("loses no wake-up, whether mail came before, while or after somebody began to wait", async () => {
      const stage = await createStage();
      const { bus } = stage;
      const inbox = await bus.open("a");
      for (let n = 1; n <= 60; n += 3) {
        const before = bus.send(letter("a", n));
        const waits = [inbox.wait(never), inbox.wait(never)];
        const after = bus.send(letter("a", n + 1));
        await Promise.all([before, after, ...waits]);
        await bus.send(letter("a", n + 2));
        await inbox.wait(never);
        await stage.takeIn("a", inbox, inbox.peek(Infinity));
        expect(inbox.unread).toBe(0);
      }
    });

    it("ends a wait when its signal aborts, and that one only", async () => {
      const { bus } = await createStage();
      const inbox = await bus.open("a");
      const leaving = new AbortController();
      const woken: string[] = [];
      const stays = inbox.wait(never).then(() => woken.push("stays"));
      const leaves = inbox.wait(leaving.signal).then(() => woken.push("leaves"));
      leaving.abort();
      await leaves;
      await inbox.wait(leaving.signal);
      expect(woken).toEqual(["leaves"]);
      await bus.send(letter("a", 1));
      await stays;
    });

    it("interrupts when a message asks for it, and again only when another one does", async () => {
      const stage = await createStage();
      const { bus } = stage;
      const inbox = await bus.open("a");
      const running = inbox.interrupt();
      await bus.send(letter("a", 1));
      expect(running.aborted).toBe(false);
      expect(inbox.interrupt()).toBe(running);
      await bus.send(letter("a", 2, { delivery: "abort" }));
      // Only Control's do.
      expect(running.aborted).toBe(false);
      await bus.send(letter("a", 1, { from: CONTROL, delivery: "abort" }));
      expect(running.aborted).toBe(true);
      // It is taken together with all that came before it, however little fits: what it stops may be among that.
      expect(inbox.peek(0)).toHaveLength(3);
      await stage.takeIn("a", inbox, inbox.peek(0));
      const next = inbox.interrupt();
      expect(next.aborted).toBe(false);
      await bus.send(letter("a", 2, { from: CONTROL, delivery: "abort" }));
      expect(next.aborted).toBe(true);
    });

    it("interrupts at once for a message that was there before", async () => {
      const stage = await createStage();
      await stage.bus.send(letter("a", 1, { from: CONTROL, delivery: "abort" }));
      const { bus } = await stage.restart("closed");
      expect((await bus.open("a")).interrupt().aborted).toBe(true);
    });

    it("accepts nothing once it is closed", async () => {
      const { bus } = await createStage();
      await bus.send(letter("a", 1));
      await bus.close();
      await expect(bus.send(letter("a", 2))).rejects.toMatchObject({ code: "STORAGE" });
    });
  });
}
