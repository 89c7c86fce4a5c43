// What holds of every peer without an actor, Control and long-term memories alike, wherever it is kept.

import { describe, expect, it } from "vitest";
import type { Reception } from "../../src/mail/bus.ts";
import { CONTROL_PLACES, MAILBOX_LIMIT, type Delivery } from "../../src/domain/message/message.ts";
import { letter, numbers, type Words } from "./letter.ts";

export interface PeerStage {
  /** What it is called on the bus. */
  readonly id: string;
  send(delivery: Delivery): Promise<Reception>;
  /** The texts in its log, oldest first. */
  told(): Promise<readonly string[]>;
  /** The next one over the same place: after the one before was closed, or died. */
  restart(how: "closed" | "killed"): Promise<PeerStage>;
  /** Another process that sends at the same time; absent: one process at a time opens the place. */
  readonly beside?: () => Promise<Pick<PeerStage, "send">>;
}

/** @param words what besides its content a message to such a peer has */
export function describePeer(name: string, create: () => Promise<PeerStage>, words: Words = {}): void {
  describe(`${name}, a peer without an actor`, () => {
    const to = (stage: Pick<PeerStage, "id">, n: number, more: Words = {}): Delivery =>
      letter(stage.id, n, { ...words, ...more });

    it("takes in what is sent to it, each once, in the order of its sender's numbers", async () => {
      const stage = await create();
      for (const n of [1, 2, 3])
        expect(await stage.send(to(stage, n, { from: "a" }))).toEqual({ status: "accepted" });
      expect(await stage.send(to(stage, 2, { from: "a" }))).toEqual({ status: "duplicate" });
      expect(await stage.send(to(stage, 5, { from: "a" }))).toEqual({ status: "gap", expected: 4 });
      // What is missing is void, its sender says.
      expect(await stage.send(to(stage, 5, { from: "a", after: 3 }))).toEqual({ status: "accepted" });
      // A log that is new here begins with any number.
      expect(await stage.send(to(stage, 7, { from: "b" }))).toEqual({ status: "accepted" });
      expect(await stage.told()).toEqual(["a 1", "a 2", "a 3", "a 5", "b 7"]);
    });

    it("holds what it accepted after its process was closed or died, and knows it again", async () => {
      let stage = await create();
      for (const [index, how] of (["closed", "killed", "killed", "closed"] as const).entries()) {
        expect(await stage.send(to(stage, index + 1, { from: "a" }))).toEqual({ status: "accepted" });
        stage = await stage.restart(how);
        expect(await stage.send(to(stage, index + 1, { from: "a" }))).toEqual({ status: "duplicate" });
      }
      expect(await stage.told()).toEqual(["a 1", "a 2", "a 3", "a 4"]);
    });

    it("is never full, whoever sends", async () => {
      const stage = await create();
      const many = MAILBOX_LIMIT + CONTROL_PLACES + 1;
      const receipts = await Promise.all(numbers(many).map((n) => stage.send(to(stage, n, { from: "a" }))));
      expect(receipts.every(({ status }) => status === "accepted")).toBe(true);
      expect(await stage.told()).toHaveLength(many);
    });

    it("takes in what many send at once, each in its order", async () => {
      const stage = await create();
      const beside = (await stage.beside?.()) ?? stage;
      const senders = ["a", "b", "c", "d"].map(async (from, index) => {
        for (const n of numbers(25)) {
          const { status } = await (index % 2 ? beside : stage).send(to(stage, n, { from }));
          expect(status).toBe("accepted");
        }
      });
      await Promise.all(senders);
      const told = await stage.told();
      expect(told).toHaveLength(100);
      for (const from of ["a", "b", "c", "d"])
        expect(told.filter((text) => text.startsWith(from))).toEqual(numbers(25).map((n) => `${from} ${n}`));
    });
  });
}
