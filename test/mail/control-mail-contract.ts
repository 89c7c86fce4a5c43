import { expect, it } from "vitest";
import type { Reception } from "../../src/mail/bus.ts";
import { CONTROL, CONTROL_PLACES, MAILBOX_LIMIT } from "../../src/domain/message/message.ts";
import { letter, numbers, type BusStage } from "./letter.ts";

const never = new AbortController().signal;
const program = { from: CONTROL, taint: ["another program"] };
const accepted: Reception = { status: "accepted" };

/** What every bus promises of the mail of Control: there is a place for it, and it is seen before its turn. */
export function describeControlsMail(createStage: () => Promise<BusStage>): void {
  it("keeps places past the limit for Control's mail alone, also after a restart (B5)", async () => {
    let stage = await createStage();
    const full = { status: "full" };
    const fill = numbers(MAILBOX_LIMIT).map((n) => stage.bus.send(letter("a", n, { content: "" })));
    await Promise.all(fill);
    // What a program says at their door has none of them.
    expect(await stage.bus.send(letter("a", 1, program))).toEqual(full);
    const said = numbers(CONTROL_PLACES).map((n) =>
      stage.bus.send(letter("a", n, { from: CONTROL, content: "" })),
    );
    for (const receipt of await Promise.all(said)) expect(receipt).toEqual(accepted);
    for (const how of ["closed", "killed"] as const) {
      expect(await stage.bus.send(letter("a", CONTROL_PLACES + 1, { from: CONTROL }))).toEqual(full);
      expect(await stage.bus.send(letter("a", MAILBOX_LIMIT + 1))).toEqual(full);
      expect(await stage.bus.unread("a")).toBe(MAILBOX_LIMIT + CONTROL_PLACES);
      stage = await stage.restart(how);
    }
    const inbox = await stage.bus.open("a");
    await stage.takeIn("a", inbox, inbox.peek(0));
    expect(await stage.bus.send(letter("a", MAILBOX_LIMIT + 1))).toEqual(full);
    expect(await stage.bus.send(letter("a", CONTROL_PLACES + 1, { from: CONTROL }))).toEqual(accepted);
  });

  it("counts what its reader's log holds as unread, also for the limit and after a restart (B5)", async () => {
    let stage = await createStage();
    await Promise.all(numbers(MAILBOX_LIMIT).map((n) => stage.bus.send(letter("a", n, { content: "" }))));
    let inbox = await stage.bus.open("a");
    const take = (as: "shown" | "held") => stage.takeIn("a", inbox, inbox.peek(0), as);
    await take("held");
    await take("held");
    expect(inbox.unread).toBe(MAILBOX_LIMIT - 2);
    expect(await stage.bus.unread("a")).toBe(MAILBOX_LIMIT);
    expect(await stage.bus.send(letter("a", MAILBOX_LIMIT + 1))).toEqual({ status: "full" });
    stage = await stage.restart("killed");
    inbox = await stage.bus.open("a");
    expect(await stage.bus.unread("a")).toBe(MAILBOX_LIMIT);
    expect(await stage.bus.send(letter("a", MAILBOX_LIMIT + 1))).toEqual({ status: "full" });
    await take("shown");
    expect(await stage.bus.send(letter("a", MAILBOX_LIMIT + 1))).toEqual(accepted);
    expect(await stage.bus.send(letter("a", MAILBOX_LIMIT + 2))).toEqual({ status: "full" });
  });

  it("shows all mail up to a steer at once, as up to an abort, but a claim of an agent's", async () => {
    for (const delivery of ["steer", "abort"] as const) {
      const { bus } = await createStage();
      const long = "x".repeat(100);
      for (const n of [1, 2, 3]) await bus.send(letter("a", n, { content: long }));
      await bus.send(letter("a", 1, { from: CONTROL, delivery }));
      await bus.send(letter("a", 4, { content: long }));
      for (const n of [1, 2]) await bus.send(letter("b", n, { content: long, delivery }));
      const [inbox, other] = [await bus.open("a"), await bus.open("b")];
      expect(inbox.peek(0)).toHaveLength(4);
      expect(other.peek(0)).toHaveLength(1);
    }
  });

  it("shows Control's mail wherever it stands, oldest first, until it was taken, also after a restart", async () => {
    let stage = await createStage();
    const question = { question: "a.7", verdict: "approved" };
    await Promise.all(numbers(1_500).map((n) => stage.bus.send(letter("a", n, { content: "" }))));
    await stage.bus.send(letter("a", 1, { from: CONTROL, content: "a word" }));
    await stage.bus.send(letter("a", 1, { from: "y", delivery: "verdict", details: question }));
    await stage.bus.send(letter("a", 2, program));
    await stage.bus.send(letter("a", 3, { from: CONTROL, delivery: "verdict", details: question }));
    for (const how of ["closed", "killed"] as const) {
      const inbox = await stage.bus.open("a");
      await expect.poll(() => inbox.ahead().length).toBe(2);
      expect(inbox.ahead().map(({ message }) => message)).toMatchObject([
        { content: "a word", delivery: "normal" },
        { delivery: "verdict", details: question },
      ]);
      stage = await stage.restart(how);
    }
    const inbox = await stage.bus.open("a");
    let left = 1_504;
    while (left > 2) {
      await inbox.wait(never);
      const mail = inbox.peek(Infinity).slice(0, left - 2);
      left -= mail.length;
      await stage.takeIn("a", inbox, mail);
    }
    expect(inbox.ahead().map(({ message }) => message.delivery)).toEqual(["verdict"]);
    await inbox.wait(never);
    await stage.takeIn("a", inbox, inbox.peek(Infinity));
    expect(inbox.ahead()).toEqual([]);
  });

  it("wakes who waits for Control's mail by that alone, and misses none that came in between", async () => {
    const { bus } = await createStage();
    const inbox = await bus.open("a");
    const leaving = new AbortController();
    const woken: string[] = [];
    const stays = inbox.heard(never).then(() => woken.push("stays"));
    const leaves = inbox.heard(leaving.signal).then(() => woken.push("leaves"));
    await bus.send(letter("a", 1));
    await inbox.wait(never);
    leaving.abort();
    await leaves;
    await inbox.heard(leaving.signal);
    expect(woken).toEqual(["leaves"]);
    for (let n = 1; n <= 20; n++) {
      await bus.send(letter("a", n, { from: CONTROL, delivery: n % 2 === 0 ? "verdict" : undefined }));
      await inbox.heard(never);
      expect(inbox.ahead()).toHaveLength(n);
    }
    await stays;
    expect(await Promise.race([inbox.heard(never), Promise.resolve("nothing new")])).toBe("nothing new");
  });
}
