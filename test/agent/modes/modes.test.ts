import { describe, expect, it } from "vitest";
import type { Event } from "../../../src/domain/event/event.ts";
import { MODES, type Mode } from "../../../src/domain/supervision.ts";
import type { World } from "../../world.ts";
import { heldAt, POINTS, STILL, type Point } from "./points.ts";

/** What came of a turn: who decided, what was asked and how that ended, what the calls came to. */
async function turnsOf(world: World): Promise<readonly string[]> {
  return (await world.events("1")).flatMap(lineOf);
}

function lineOf(event: Event): readonly string[] {
  if (event.kind === "decision")
    return [
      `${event.model === "human" ? "human" : "model"}: ${event.calls.map(({ action }) => action).join(", ")}`,
    ];
  if (event.kind === "approval" && event.asked) return [`asked: ${event.asked.action}`];
  if (event.kind === "approval" && event.verdict)
    return [[event.verdict, event.reason].filter(Boolean).join(": ")];
  if (event.kind === "result") return [`${event.outcome}: ${event.content}`];
  return [];
}

const TAKEN = "error: Not run: the person took over.";
const YES = "approved";

/** What comes of each of the two calls where the mode holds that it is judged in. */
const CALLS: Readonly<Record<Mode, readonly [deploy: readonly string[], keep: readonly string[]]>> = {
  usual: [["asked: deploy", YES, "ok: deployed"], ["ok: kept"]],
  confirm: [
    ["asked: deploy", YES, "ok: deployed"],
    ["asked: keep", YES, "ok: kept"],
  ],
  yolo: [["ok: deployed"], ["ok: kept"]],
  human: [[TAKEN], [TAKEN]],
  held: [
    ["asked: deploy", YES, "ok: deployed"],
    ["asked: keep", YES, "ok: kept"],
  ],
};

/** The same of a call that is asked already. */
const ASKED: Readonly<Record<Mode, readonly string[]>> = {
  usual: ["asked: deploy", YES, "ok: deployed"],
  confirm: ["asked: deploy", YES, "ok: deployed"],
  yolo: ["asked: deploy", "approved: mode yolo", "ok: deployed"],
  human: ["asked: deploy", "superseded: Not run: the person took over.", TAKEN],
  held: ["asked: deploy", YES, "ok: deployed"],
};

/** What the agent rests with: what its model says then, or what the person types. */
const LAST = (mode: Mode): readonly string[] => [mode === "human" ? "human: noop" : "model: noop", "idle: "];
const TURN = "model: deploy, keep";

/** Everything that comes of one turn. */
function turn(point: Point, from: Mode, to: Mode): readonly string[] {
  const isModelAsked = to !== "human" || !STILL.includes(point);
  if (!isModelAsked) return LAST(to);
  const first = point === "while a call runs" || point === "between two calls" ? from : to;
  const [deploy, keep] = [CALLS[first][0], CALLS[to][1]];
  if (point === "after the last result") return [TURN, ...CALLS[from].flat(), ...LAST(to)];
  return [TURN, ...(point === "at an open question" ? ASKED[to] : deploy), ...keep, ...LAST(to)];
}

/** A person who says the calls keeps the model from being asked, and only what is asked can be open. */
function canBe(point: Point, from: Mode): boolean {
  if (from === "human") return STILL.includes(point);
  return from !== "yolo" || point !== "at an open question";
}

const cells = POINTS.flatMap((point) =>
  MODES.filter((from) => canBe(point, from)).flatMap((from) => MODES.map((to) => [point, from, to] as const)),
);

describe("a switch of the mode (A3, A5, A6)", () => {
  it.each(cells)("%s, from %s to %s, holds for all that begins after it", async (point, from, to) => {
    const { world, goOn } = await heldAt(point, from);
    await world.legion.control.switchMode(["1"], to);
    await goOn();
    expect(await turnsOf(world)).toEqual(turn(point, from, to));
    expect(world.agent("1").memory.conversation.run.mode).toBe(to);
    const notices = (await world.kinds("1", "notice")).filter(({ reason }) => reason === "mode");
    expect(notices.map(({ content }) => content)).toEqual(from === "usual" ? [to] : [from, to]);
  });
});
