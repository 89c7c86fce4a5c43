import { expect, it } from "vitest";
import type { Event, NewEvent } from "../../../src/domain/event/event.ts";
import type { Message } from "../../../src/domain/message/message.ts";
import { createCorrespondence, MOST_MAIL } from "../../../src/past/digest/correspondence.ts";
import { undeliverable } from "../../../src/past/mail/dead-letters.ts";
import { letter as delivery } from "../../mail/letter.ts";
import { letter, mail, numbered, opened, result } from "../spans/story.ts";

function fold(...events: readonly NewEvent[]) {
  const mails = createCorrespondence();
  for (const event of numbered([opened(), ...events])) mails.see(event);
  return mails.correspondence;
}

const said = (...sends: Message[]): NewEvent => result(null, "ok", { sends });

it("what was sent is known by how it begins, on one line, and by how long it is", () => {
  const long = `First\n\tline. ${"😀".repeat(500)}`;
  const { sent, isCut } = fold(mail("0>1#1"), said(letter("1>2#1", { root: "0>1#1", content: long })));
  expect(sent).toMatchObject([
    { id: "1>2#1", log: "log of 1", seq: 3, root: "0>1#1", lane: "normal", chars: long.length },
  ]);
  expect(sent[0]!.opening).toMatch(/^First line\. (😀)+$/u);
  expect(sent[0]!.opening.length).toBeLessThanOrEqual(200);
  expect([isCut, sent[0]!.spontaneous]).toEqual([false, undefined]);
  const [own] = fold(said(letter("1>0#1", { type: "spontaneous", source: { type: "user" } }))).sent;
  expect(own!.spontaneous).toBe(true);
});

it("of many messages the newest are kept, and that they are not all", () => {
  const many = Array.from({ length: MOST_MAIL + 5 }, (_, n) => said(letter(`1>2#${n + 1}`)));
  const { sent, isCut } = fold(...many);
  expect([sent.length, sent[0]!.id, sent.at(-1)!.id]).toEqual([MOST_MAIL, "1>2#6", `1>2#${MOST_MAIL + 5}`]);
  expect(isCut).toBe(true);
});

it("what could not be delivered says why, its own and what it withdrew of others", () => {
  const own = letter("1>2#1");
  const others = delivery("1", 7, { from: "0" }).message;
  const { sent, withdrawn } = fold(
    ...[said(own, letter("1>3#1")), undeliverable(own, "Nobody is there.", 2)],
    undeliverable(others, "It was withdrawn."),
  );
  expect(sent.map(({ why }) => why)).toEqual(["Nobody is there.", undefined]);
  expect([...withdrawn]).toEqual([["0>1#7", "It was withdrawn."]]);
});

it("where a chain stands in the log is known from its first to its last event", () => {
  const { chains } = fold(
    ...[mail("0>1#1"), mail("0>1#2"), said(letter("1>2#1", { root: "0>1#1" })), mail("0>1#3")],
    ...[mail("2>1#1", { root: "0>1#1" }), result("x")],
  );
  expect(Object.fromEntries(chains)).toEqual({ "0>1#1": [2, 6], "0>1#2": [3, 3], "0>1#3": [5, 5] });
});

it("nothing of another agent's past is its own", () => {
  const copied: NewEvent = { kind: "branch", to: 2, origin: "9" };
  const past: readonly Event[] = numbered([opened(), mail("0>1#1"), said(letter("1>2#1")), copied]);
  const mails = createCorrespondence();
  for (const event of past) mails.see(event);
  const { sent, withdrawn, chains } = mails.correspondence;
  expect([sent.length, withdrawn.size, chains.size]).toEqual([0, 0, 0]);
});
