import { describe, expect, it } from "vitest";
import { isLegionError } from "../../../src/base/errors.ts";
import { promptAt } from "../../../src/legion/replay/past-prompt.ts";
import { createFileReader } from "../../../src/storage/files/reader/reader.ts";
import { createWorld, type World } from "../../world.ts";
import { replay, replayLegion } from "../../legion/replay/replays.ts";
import { createStage, puppet, stageIn, type Stage } from "../../past/receipts/puppets.ts";

const required = { ...puppet, receipts: "required" as const };

const resultsOf = async (stage: Stage) =>
  (await stage.world.kinds("1", "result")).map(({ outcome, content }) => `${outcome}: ${content}`);

describe("a plain answer", () => {
  it("goes out without its last line, and with what that cites", async () => {
    const stage = await createStage();
    const seq = await stage.order("1", "run make 0");
    await stage.order("1", `say It is built.\nReceipts: #${seq}, #2.9`);
    expect((await stage.inbox()).at(-1)).toMatchObject({
      content: "It is built.",
      receipts: [
        { agent: "1", seq, verdict: "proven" },
        { agent: "2", seq: 9, verdict: "unknown" },
      ],
    });
    const streamed = stage.world.seen.flatMap((seen) => (seen.kind === "live:delta" ? [seen.delta] : []));
    expect(streamed.at(-1)).toEqual({ kind: "text", text: "It is built.\n" });
    // What the agent said stands in its log as it said it.
    const decisions = await stage.world.kinds("1", "decision");
    expect(decisions.some(({ text }) => text.endsWith(`Receipts: #${seq}, #2.9`))).toBe(true);
  });

  it("that is nothing but that line goes out as it is", async () => {
    const stage = await createStage();
    const seq = await stage.order("1", "run make 0");
    await stage.order("1", `say Receipts: #${seq}`);
    expect((await stage.inbox()).at(-1)).toMatchObject({ content: `Receipts: #${seq}`, receipts: [{ seq }] });
  });
});

describe("a reader", () => {
  it("is shown one line under the header, and no words of the sender's in it", async () => {
    const stage = await createStage();
    const [good, bad] = [
      await stage.order("2", "fetch example.com"),
      await stage.order("2", "run rm_--all 1"),
    ];
    await stage.order("2", `tell 1 #${good} #${bad} #7777: done`);
    const { turns } = stage.world.agent("1").memory.view;
    const shown = turns.findLast((turn) => turn.role === "user" && turn.text.includes("AGENT 2"));
    expect(shown).toEqual({
      role: "user",
      text: `--- MESSAGE FROM AGENT 2 ---\nReceipts: #2.${good} proven, #2.${bad} failed, #2.7777 unknown\n\ndone`,
    });
  });
});

describe("a report that has to be proven", () => {
  it("is refused once for what it answers, and told why; then it is sent, marked", async () => {
    const stage = await createStage({ 1: required, 2: puppet });
    await stage.order("1", "tell 0 nothing: all done");
    expect(await stage.inbox()).toEqual([]);
    expect((await resultsOf(stage)).at(0)).toMatch(
      /^error: This report was not sent: it has to cite a result that proves it/,
    );
  });

  it("is asked for again: by the same call, or in plain words, and what is proven goes out at once", async () => {
    const stage = await createStage({ 1: required, 2: puppet });
    const failed = await stage.order("1", "run make 1");
    await stage.order("1", `tell 0 #${failed}: all done`);
    expect(await stage.inbox()).toEqual([]);
    expect((await resultsOf(stage)).find((one) => one.includes("not sent"))).toContain(
      `#${failed} is failed (exit code 1).`,
    );
    const proven = await stage.order("1", "run make 0");
    await stage.order("1", `say Now it is.\nReceipts: #${proven}`);
    expect(await stage.inbox()).toMatchObject([
      { content: "Now it is.", receipts: [{ seq: proven, verdict: "proven" }] },
    ]);
  });

  it("is sent the second time for the same first message, also after a restart, and marked as unproven", async () => {
    let again = 0;
    const stubborn = {
      ...required,
      script: () => (again++ < 2 ? "All is done." : { calls: [{ action: "noop" }] }),
    };
    const stage = await createStage({ 1: stubborn });
    await stage.order("1", "build it");
    expect(again).toBe(2);
    expect(await stage.inbox()).toMatchObject([{ content: "All is done.", receipts: [] }]);
    again = 0;
    const later = stageIn(await stage.world.restart());
    await later.order("1", "and now the rest");
    expect(again).toBe(2);
    expect((await later.inbox()).map(({ root }) => root)).toEqual(["0>1#1", "0>1#2"]);
  });

  it("is no question, and nothing that one agent says to another", async () => {
    const stage = await createStage({ 1: required, 2: puppet });
    await stage.order("1", "tell 0 nothing: Which branch?");
    await stage.order("1", "say Shall I go on?");
    await stage.order("1", "tell 2 nothing: all done");
    expect((await stage.inbox()).map(({ content, receipts }) => [content, receipts])).toEqual([
      ["Which branch?", undefined],
      ["Shall I go on?", undefined],
    ]);
    expect((await stage.world.kinds("2", "message")).map(({ message }) => message.content)).toContain(
      "all done",
    );
  });

  it("is no notice of the runtime", async () => {
    const stage = await createStage({ 1: { ...required, limits: { steps: 1 } } });
    await stage.order("1", "run make 0");
    expect((await stage.inbox()).at(-1)).toMatchObject({ type: "spontaneous" });
  });
});

describe("receipts that are recorded", () => {
  const working = async (): Promise<World> => {
    const stage = stageIn(await createWorld({ 1: required, 2: puppet }));
    const checked = await stage.order("2", "run make 0");
    await stage.order("2", `tell 1 #${checked}: checked`);
    await stage.order("1", "write a.txt");
    await stage.order("1", "say All done.");
    const seq = await stage.order("1", "run make 0");
    await stage.order("1", `say Done.\nReceipts: #${seq}, #2.${checked}`);
    await stage.order("1", `tell 0 #${seq}: done`);
    return stage.world;
  };

  it("are replayed as they are, of one agent and of all, and its prompts are found again", async () => {
    const world = await working();
    await world.stop();
    expect((await replay(world.project, "1", required)).difference).toBeUndefined();
    const whole = await replayLegion(world.project, { 1: required, 2: puppet });
    expect(whole.difference).toBeUndefined();
    const reader = createFileReader(world.project);
    const last = (await world.kinds("1", "decision")).at(-1)!;
    const shown = await promptAt(reader, "1", last.seq).catch((error: unknown) => error);
    expect(isLegionError(shown) ? shown.message : "found").toBe("found");
  });
});
