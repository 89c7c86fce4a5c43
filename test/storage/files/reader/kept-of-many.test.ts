import { readFile, rm, writeFile } from "node:fs/promises";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CONTROL, type AgentId } from "../../../../src/domain/message/message.ts";
import { wholePart } from "../../../../src/legion/report/part.ts";
import { readParts } from "../../../../src/legion/report/read-parts.ts";
import { MOST_LINES } from "../../../../src/legion/report/report.ts";
import { storedStatuses, type AgentStatus } from "../../../../src/legion/status.ts";
import { VERSION } from "../../../../src/past/digest/digest.ts";
import type { Authorship } from "../../../../src/storage/folder/person/authorship.ts";
import { ownHand } from "../../../own-hand.ts";
import { AGENTS, FORGED, TOUCHES, createResting, type ToldOfMany } from "./resting-legion.ts";

interface Told {
  readonly id: AgentId;
  readonly steps: number;
}

/** Of which agents something was kept, by the lines of the file. */
async function keptOf(path: string): Promise<readonly AgentId[]> {
  const lines = (await readFile(path, "utf8")).split("\n").slice(1, -1);
  return lines.map((line) => (JSON.parse(line) as { agent: AgentId }).agent).sort();
}

const statuses: ToldOfMany<AgentStatus> = {
  file: "standings",
  name: "agents at rest",
  says: (steps) => `"steps":${steps},`,
  tell: async (reader) => [...(await storedStatuses(await reader.known(), reader)).values()],
};

const parts: ToldOfMany<Told> = {
  file: "report",
  name: `report ${wholePart.version}`,
  says: (steps) => `"charge":[${steps},`,
  async tell(reader) {
    const told: Told[] = [];
    const all = { sinceMs: -Infinity, most: MOST_LINES };
    const own = await reader.digest(CONTROL);
    const unread = (id: AgentId, why: string) => void told.push({ id, steps: 0, ...{ why } });
    for await (const one of readParts({ reader, statuses: [] }, own, all, unread))
      if (one.agent !== CONTROL) told.push({ ...one, id: one.agent, steps: one.part.inTime.charge[0]! });
    return told;
  },
};

const KINDS: Readonly<Record<string, ToldOfMany<Told>>> = {
  "how agents stand": statuses,
  "what agents add to a report": parts,
};

const stepsOf = (told: readonly Told[]) => new Set(told.map(({ steps }) => steps));

describe.each(Object.entries(KINDS))("%s, of many of them,", (_kind, kind) => {
  it("is told again where nobody touched them, and nothing else is read", async () => {
    const { told, forge } = await createResting(kind);
    const first = await told();
    expect(first.length).toBe(AGENTS);
    expect(stepsOf(first)).toEqual(new Set([1]));
    expect(await told()).toEqual(first);
    await forge();
    expect(stepsOf(await told())).toEqual(new Set([FORGED]));
  });

  it("is kept of few of them in no file", async () => {
    const { told, kept } = await createResting(kind, 31);
    await told();
    await expect(readFile(kept)).rejects.toThrow("ENOENT");
  });

  it.each([
    ["somebody else signed", VERSION, "theirs"],
    ["another version wrote", VERSION + 1, "own"],
  ] as const)("counts for nothing where %s it", async (_, version, whose) => {
    const { told, forge } = await createResting(kind);
    const own = await ownHand();
    const theirs: Authorship = { ...own, sign: (of, epoch) => own.sign(`not ${of}`, epoch) };
    await forge(version, whose === "own" ? own : theirs);
    expect(stepsOf(await told())).toEqual(new Set([1]));
  });

  it("counts for nothing where one of its bytes is another one", async () => {
    const { told, kept } = await createResting(kind);
    await told();
    await writeFile(kept, (await readFile(kept, "utf8")).replace(`"steps":1,`, `"steps":2,`));
    expect(stepsOf(await told())).toEqual(new Set([1]));
  });

  it("is kept of nobody whose files were changed a moment ago", async () => {
    const { told, work, kept } = await createResting(kind);
    for (let id = 1; id <= AGENTS; id++) await work(String(id));
    await told();
    await expect(readFile(kept)).rejects.toThrow("ENOENT");
  });

  it("is kept of none that is somebody else's", async () => {
    const { told, work, settle, kept, folderOf } = await createResting(kind, AGENTS + 1);
    const own = await ownHand();
    await rm(folderOf("2"), { recursive: true });
    await work("2", { ...own, sign: () => "0".repeat(64) });
    await settle();
    const first = await told();
    const others = first.map(({ id }) => id).filter((id) => id !== "2");
    expect(await keptOf(kept)).toEqual(others.sort());
    expect(await told()).toEqual(first);
  });

  it("is read anew where mail comes into a file that was there", async () => {
    const { forge, sendTo8, told } = await createResting(kind);
    await forge();
    await sendTo8();
    expect((await told()).filter(({ id }) => id === "8")).toMatchObject([{ steps: 1 }]);
  });

  it.each(Object.keys(TOUCHES))("is read anew where %s", async (touch) => {
    const legion = await createResting(kind);
    await legion.forge();
    await TOUCHES[touch]!(legion, "7");
    const told = await legion.told();
    const touched = told.filter(({ id }) => id === "7");
    expect(stepsOf(told.filter(({ id }) => id !== "7"))).toEqual(new Set([FORGED]));
    expect(touched).toEqual((await legion.anew()).filter(({ id }) => id === "7"));
  });

  it("is told as if nothing were kept, whatever anybody touches (property)", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.constantFrom(...Object.keys(TOUCHES)), fc.integer({ min: 1, max: 33 })), {
          minLength: 1,
          maxLength: 6,
        }),
        async (touches) => {
          const legion = await createResting(kind);
          for (const [touch, agent] of touches) {
            await legion.told().catch(String);
            await TOUCHES[touch]!(legion, String(agent)).catch(() => undefined);
            await legion.settle();
          }
          const told = await legion.told().catch(String);
          expect(await legion.told().catch(String)).toEqual(told);
          expect(await legion.anew().catch(String)).toEqual(told);
        },
      ),
      { numRuns: 12 },
    );
  });
});

describe("how agents stand", () => {
  it("is kept of none with mail", async () => {
    const { told, send, settle, kept } = await createResting(statuses, AGENTS + 1);
    await send("3");
    await settle();
    const first = await told();
    expect(first[2]?.unread).toBe(1);
    expect(await keptOf(kept)).toEqual(
      first
        .map(({ id }) => id)
        .filter((id) => id !== "3")
        .sort(),
    );
    expect(await told()).toEqual(first);
  });
});
