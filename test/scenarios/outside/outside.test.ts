import { rm } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { EventOf } from "../../../src/domain/event/event.ts";
import type { ModelRequest } from "../../../src/domain/model.ts";
import { legion } from "../../cli/legion.ts";
import { createTempProject } from "../../temp-project.ts";
import { AT, createOutside, SKILL_FOLDERS, workTwenty, type Outside, type Work } from "./work.ts";

const names = ({ tools }: Pick<ModelRequest, "tools">): readonly string[] => tools.map(({ name }) => name);
const toJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

/** As a provider caches it: tools, system prompt, turns, and last what changes each time. */
function bytesOf({ tools, system, turns, pinned }: ModelRequest): Buffer {
  return Buffer.from(JSON.stringify([tools, system, ...turns, pinned]));
}

/** Of two prompts that follow each other, the bytes that the later one begins with as the other does, and all that it has. */
function stability(before: ModelRequest, after: ModelRequest) {
  const [one, other] = [bytesOf(before), bytesOf(after)];
  const different = other.findIndex((byte, index) => byte !== one[index]);
  const bytes = other.length;
  return { bytes, stable: different < 0 ? bytes : different };
}

describe("a legion with three MCP servers and twenty skills", () => {
  let outside: Outside;
  let work: Work;
  beforeAll(async () => {
    outside = await createOutside();
    work = await workTwenty(outside);
  }, 60_000);
  afterAll(() => outside.remove());

  const decisions = (): readonly number[] =>
    work.events.flatMap(({ kind, seq }) => (kind === "decision" ? [seq] : []));
  const results = () => work.events.filter((event): event is EventOf<"result"> => event.kind === "result");
  const resultOf = (decision: number) => results()[decision - 1]!;
  const typed = async (argv: readonly string[], cwd = outside.cwd) => {
    const seen = await legion(argv, { cwd, env: outside.env });
    expect([seen.exitCode, seen.err]).toEqual([0, ""]);
    return seen;
  };

  it("works twenty decisions, and its agents share one process of each server", () => {
    expect(decisions()).toHaveLength(20);
    const servers = outside.starts();
    expect(servers.slice(0, 3).sort()).toEqual(["desk", "stock", "weather"]);
    expect(servers.slice(3).every((server) => server === "weather")).toBe(true);
    const failed = results().flatMap(({ outcome }, index) => (outcome === "ok" ? [] : [index + 1]));
    expect(failed).toEqual([AT.gone, AT.gone + 2]);
  });

  it("keeps the actions of a server that is away, whose calls fail with its state and why", () => {
    expect(resultOf(AT.gone + 2).content).toContain(
      "The MCP server weather is away and is being started again: It exited with code 7.",
    );
    expect(names(work.requests[AT.gone + 1]!)).toContain("weather__forecast");
    expect(names(work.requests[AT.gone + 1]!)).toEqual(names(work.requests[0]!));
  });

  it("keeps known actions in their place where a list changes, and has new ones last", () => {
    const [before, after] = [work.requests[AT.grown - 2]!, work.requests[AT.grown - 1]!];
    expect(names(after)).toEqual([...names(before), "desk__close"]);
    expect(names(work.requests.at(-1)!)).toEqual(names(after));
    expect(resultOf(AT.grown).content).toContain("Closed: Keel.");
  });

  it("shows prompts of which 90 % of the bytes stay as they were, and one change of a list breaks that once", () => {
    const pairs = work.requests.slice(1).map((request, index) => stability(work.requests[index]!, request));
    const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
    const share = sum(pairs.map(({ stable }) => stable)) / sum(pairs.map(({ bytes }) => bytes));
    expect(share).toBeGreaterThanOrEqual(0.9);
    const broken = pairs.flatMap(({ stable, bytes }, index) => (stable / bytes < 0.9 ? [index + 2] : []));
    expect(broken).toEqual([AT.grown]);
  });

  describe("whose servers and skills are gone", () => {
    beforeAll(async () => {
      for (const gone of [".mcp.json", ...SKILL_FOLDERS])
        await rm(join(outside.cwd, gone), { recursive: true });
    });

    it("is replayed, and everything is as it was", async () => {
      const started = outside.starts().length;
      expect((await typed(["replay", "1"])).out).toBe("Agent 1: 20 decisions, identical.\n");
      expect((await typed(["replay", "2"])).out).toBe("Agent 2: 2 decisions, identical.\n");
      expect(outside.starts()).toHaveLength(started);
    });

    it("shows for each decision, byte for byte, what the model was shown", async () => {
      for (const [index, seq] of decisions().entries()) {
        const { json } = await typed(["prompt", "1", "--at", String(seq), "--json"]);
        expect(json).toEqual([toJson(work.requests[index])]);
      }
    });

    it("is the same in another project", async () => {
      const elsewhere = await createTempProject();
      await typed(["export", "1", join(elsewhere, "1.legion")]);
      await typed(["import", "1.legion"], elsewhere);
      const last = String(decisions().at(-1));
      const { json } = await typed(["prompt", "1", "--at", last, "--json"], elsewhere);
      expect(json).toEqual([toJson(work.requests.at(-1))]);
    });

    it("goes on from an earlier moment with what there was then", async () => {
      const moment = AT.gone + 1;
      await typed(["fork", "1", "--at", String(resultOf(moment).seq)]);
      const next = (await typed(["prompt", "1", "--json"])).json as readonly ModelRequest[];
      expect(next).toEqual([toJson(work.requests[moment])]);
      expect(names(next[0]!)).not.toContain("desk__close");
    });
  });
});
