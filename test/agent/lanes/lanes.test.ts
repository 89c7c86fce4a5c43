import { describe, expect, it } from "vitest";
import type { SpokenLane } from "../../../src/domain/message/message.ts";
import { story } from "../../workshop.ts";
import { MOMENTS } from "./moments.ts";

type Moments = keyof typeof MOMENTS;

const noop = ["decision: 1 calls", "idle: "];
const done = ["decision: 2 calls", "ok: a", "ok: b"];
const released = ["released", ...noop];
const SKIPPED = "idle: Skipped: new instructions arrived.";
const SUPERSEDED = "idle: Not run: new instructions came first.";
const STOPPED = "idle: Stopped by Control.";
const asked = ["decision: 2 calls", "approval", "approval", "approval"];
const group = ["decision: 3 calls"];
const same = Array.from({ length: 5 }, () => ["decision: 1 calls", "ok: same"]).flat();
const looked = ["ok: deployed to prod", "ok: looked"];

/** What happens after "Go.", where that was said. */
const STORIES: Readonly<Record<Exclude<SpokenLane, "normal">, Readonly<Record<Moments, readonly string[]>>>> =
  {
    steer: {
      before: ["message: steer", ...done, ...noop],
      "in the model call": ["decision: 2 calls", SKIPPED, SKIPPED, "message: steer", ...noop],
      "in the first call": ["decision: 2 calls", "ok: a", SKIPPED, "message: steer", ...noop],
      "in the last call": [...done, "message: steer", ...noop],
      "in a parallel group": [...group, "ok: a", "ok: b", SKIPPED, "message: steer", ...noop],
      "at a question": [...asked, SUPERSEDED, SUPERSEDED, "message: steer", ...noop],
      idle: ["message: steer", ...noop],
      parked: [...same, "notice: parked-mail", "message: steer", ...noop],
    },
    "follow-up": {
      before: ["held: follow-up", ...done, ...noop, ...released],
      "in the model call": [...done, "held: follow-up", ...noop, ...released],
      "in the first call": [...done, "held: follow-up", ...noop, ...released],
      "in the last call": [...done, "held: follow-up", ...noop, ...released],
      "in a parallel group": [...group, "ok: a", "ok: b", "ok: c", "held: follow-up", ...noop, ...released],
      "at a question": [
        ...asked,
        ...looked,
        "held: follow-up",
        "message: approved 1.5",
        ...noop,
        ...released,
      ],
      idle: ["held: follow-up", ...released],
      parked: [...same, "notice: parked-mail", "held: follow-up"],
    },
    abort: {
      before: ["message: abort", ...done, ...noop],
      "in the model call": ["decision aborted: 0 calls", "message: abort"],
      "in the first call": ["decision: 2 calls", "idle: a", STOPPED, "message: abort"],
      "in the last call": ["decision: 2 calls", "ok: a", "idle: b", "message: abort"],
      "in a parallel group": [...group, "idle: a", "idle: b", STOPPED, "message: abort"],
      "at a question": [...asked, STOPPED, STOPPED, "message: abort"],
      idle: ["message: abort"],
      parked: [...same, "notice: parked-mail", "message: abort"],
    },
  };

describe("what a person says in each lane, at each moment (A2, A3, A5, A6)", () => {
  const cells = Object.entries(STORIES).flatMap(([lane, row]) =>
    Object.entries(row).map(([moment, then]) => [lane, moment, then] as const),
  );
  it.each(cells)("%s %s", async (lane, moment, then) => {
    const { world, goOn } = await MOMENTS[moment as Moments]();
    const before = (await story(world)).length > 0 || moment === "before" ? ["message: Go."] : [];
    await world.legion.control.say(["1"], lane, lane as SpokenLane);
    await goOn();
    expect(await story(world)).toEqual([...before, ...then]);
  });
});
