import { beforeAll, describe, expect, it } from "vitest";
import { shown } from "../../page/parts/shown.ts";
import { buildProgram } from "../cli/program.ts";
import { samplesIn } from "../control/metrics/promtool.ts";
import { chromiumIsThere } from "./kit.ts";
import { tracesIn } from "../planted.ts";
import { play, SECRETS, SURFACES, WORDS, type Told } from "./said.ts";

beforeAll(buildProgram, 120_000);

let told: Promise<Told> | undefined;
const once = (): Promise<Told> => (told ??= play());

const CASES = SURFACES.flatMap((surface) => Object.keys(SECRETS).map((name) => [surface, name] as const));

describe.skipIf(!chromiumIsThere)("hostile: what agents say", { timeout: 90_000 }, () => {
  it("does nothing to the page: nothing runs, nothing is loaded, nothing is followed", async () => {
    const { title, foreign, asked } = await once();
    expect([title, foreign, asked]).toEqual(["(1) AI Legion", [], []]);
  });

  it.each(Object.entries(WORDS))("stands on the page as text: %s", async (_, words) => {
    const { texts } = await once();
    const flat = (text: string): string => text.replace(/\s+/g, " ");
    expect(flat(texts["inbox"]!)).toContain(flat(shown(words)));
  });

  it("is no event of a stream, and no metric", async () => {
    const { streamed, logged, surfaces } = await once();
    expect(streamed).toEqual(logged.slice(0, streamed.length));
    expect(
      [...samplesIn(surfaces["the metrics"]).keys()].filter((name) => name.includes("taken_total")),
    ).toEqual(["ai_legion_messages_taken_total"]);
    expect(Object.prototype).not.toHaveProperty("taken");
  });

  it("is told everywhere, also where a line has a million characters", async () => {
    const { surfaces } = await once();
    for (const surface of [
      "the socket",
      "the port of the page",
      "the stream of a log",
      "the feed of the socket",
    ] as const)
      expect(surfaces[surface]).toContain("y".repeat(900_000));
    for (const surface of ["a trace", "a collector", "the stream of a log", "the page"] as const)
      expect(surfaces[surface]).toContain("[redacted:CITY_OF_BIRTH]");
  });

  it.each(CASES)("tells no secret: %s, %s", async (surface, name) => {
    const { surfaces } = await once();
    expect(surfaces[surface].length).toBeGreaterThan(100);
    expect(tracesIn(surfaces[surface], SECRETS[name as keyof typeof SECRETS])).toEqual([]);
  });
});
