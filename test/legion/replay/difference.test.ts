import { describe, expect, it } from "vitest";
import { compareEvents } from "../../../src/legion/replay/difference.ts";
import type { Event } from "../../../src/domain/event/event.ts";
import type { Message } from "../../../src/domain/message/message.ts";
import { letter } from "../../mail/letter.ts";

const stamp = { seq: 7, epoch: 1, at: "2026-01-01T00:00:00.000Z" };
const sent = (from: string, more: object): Message =>
  ({ ...letter("3", 1, { from }).message, ...more }) as Message;
const heard = (message: Message): Event => ({ ...stamp, kind: "message", message, mail: 1, from: "log" });
const did = (...sends: readonly Message[]): Event => ({
  ...stamp,
  kind: "result",
  call: "a",
  outcome: "ok",
  content: "",
  sends,
});
const isSame = (recorded: Event, today: Event): boolean => compareEvents("2", recorded, today) === undefined;

describe("the marks of a message", () => {
  const marked = sent("2", { authority: ["1", "2"], taint: ["a page"] });

  it("are compared where they were recorded", () => {
    expect(isSame(did(marked), did(marked))).toBe(true);
    expect(isSame(heard(marked), heard(marked))).toBe(true);
    for (const other of [{ authority: ["2"] }, { taint: undefined }, { taint: ["another"] }]) {
      expect(isSame(did(marked), did({ ...marked, ...other }))).toBe(false);
      expect(isSame(heard(marked), heard({ ...marked, ...other }))).toBe(false);
    }
  });

  it("are not those of an earlier version, which had no authority and was tainted for ever; all else is compared", () => {
    for (const before of [sent("2", {}), sent("2", { taint: true })]) {
      expect(isSame(did(before), did(marked))).toBe(true);
      expect(isSame(heard(before), heard(marked))).toBe(true);
      expect(isSame(did(before), did({ ...marked, content: "another" }))).toBe(false);
      expect(isSame(did(before), did())).toBe(false);
    }
  });

  it("are none where a person speaks, in every version", () => {
    const said = sent("0", {});
    expect(isSame(heard(said), heard(said))).toBe(true);
    expect(isSame(heard(said), heard({ ...said, taint: ["a page"] }))).toBe(false);
  });
});
