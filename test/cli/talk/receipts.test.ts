import { describe, expect, it } from "vitest";
import { createWorld, type World } from "../../world.ts";
import { puppet, stageIn, type Stage } from "../../past/receipts/puppets.ts";
import { follow, legion } from "../legion.ts";

/** Agent 1 has built and written, and said so; the numbers of its results. */
async function reported(
  world: World,
): Promise<{ readonly stage: Stage; readonly file: number; readonly failed: number }> {
  const stage = stageIn(world);
  await stage.order("1", "write a.txt");
  const failed = await stage.order("1", "run test_\u001b[2J 1");
  await stage.order("1", `say It is done.\nReceipts: #${failed}`);
  const again = await stage.order("1", "write a.txt");
  await stage.order("1", `say Now it is.\nReceipts: #${again}, #7777`);
  return { stage, file: again, failed };
}

const agents = { 1: puppet, 2: { ...puppet, receipts: "required" as const } };

describe("the inbox", () => {
  it("shows receipts beside the words, and what they are today: with a node and without, for people and programs", async () => {
    const { stage, file, failed } = await reported(await createWorld(agents));
    const cwd = stage.world.project;
    const before = await legion(["inbox"], { cwd });
    expect(before.out).toContain(
      [
        `(#1.${failed}: failed, exit code 1)`,
        "(unproven: no result that it cites was proven when it was sent)",
        "  It is done.",
      ].join("\n"),
    );
    expect(before.out).toContain(
      [`(#1.${file}: proven)`, "(#1.7777: unknown, there is no such event)", "  Now it is."].join("\n"),
    );

    await stage.order("2", "write a.txt");
    const during = await legion(["inbox"], { cwd });
    const seq = (await stage.world.kinds("2", "result"))[0]!.seq;
    expect(during.out).toContain(
      `(#1.${file}: proven; today stale, a.txt was written since, by Agent 2 (#2.${seq}))\n(#1.7777: unknown`,
    );
    await stage.world.stop();
    expect((await legion(["inbox"], { cwd })).out).toBe(during.out);
    const [, last] = (await legion(["inbox", "--json"], { cwd })).out
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { receiptsToday: object[] });
    expect(last!.receiptsToday[0]).toMatchObject({
      agent: "1",
      seq: file,
      verdict: "proven",
      today: { verdict: "stale" },
    });
  });

  it("shows of a message that comes while it is followed what its receipts are then, whatever they were for one before", async () => {
    const stage = stageIn(await createWorld(agents));
    const file = await stage.order("1", "write a.txt");
    await stage.order("1", `say It is done.\nReceipts: #${file}`);
    const following = follow(["inbox", "-f"], { cwd: stage.world.project });
    await following.until("It is done.");
    await stage.order("2", "write a.txt");
    await stage.order("1", `say As I said.\nReceipts: #${file}`);
    const { out } = await following.endAt("As I said.");
    expect(out.match(/\(#1.*\)/g)).toEqual([
      `(#1.${file}: proven)`,
      expect.stringMatching(/: stale, a\.txt was written since, by Agent 2 \(#2\.\d+\)\)$/),
    ]);
    await stage.world.stop();
  });

  it("says of a later node's writes that they came later, and of a log that was reset that it is another", async () => {
    const { stage, file } = await reported(await createWorld(agents));
    const cwd = stage.world.project;
    const again = stageIn(await stage.world.restart());
    expect((await legion(["inbox"], { cwd })).out).toContain(`(#1.${file}: proven)`);
    await again.order("2", "run sed 0");
    expect((await legion(["inbox"], { cwd })).out).toContain(
      `(#1.${file}: proven; today stale, what a later command of Agent 2`,
    );
    await again.world.stop();
  });

  it("marks a report that was to be proven and is not", async () => {
    const stage = stageIn(
      await createWorld({
        2: { ...agents[2], script: (_, index) => (index < 2 ? "Done." : { calls: [{ action: "noop" }] }) },
      }),
    );
    await stage.order("2", "build it");
    const shown = await legion(["inbox"], { cwd: stage.world.project });
    expect(shown.out).toContain(
      "(2>0#1)\n(unproven: no result that it cites was proven when it was sent)\n  Done.",
    );
  });
});

describe("legion log <agent> <event>", () => {
  it("shows the proof whole, and says where there is none", async () => {
    const { stage, failed } = await reported(await createWorld(agents));
    const cwd = stage.world.project;
    const shown = await legion(["log", "1", `${failed}`], { cwd });
    expect(shown.out).toMatch(new RegExp(`^--- .* ---\n\\S+ +${failed} result +ok: *\n  done\n$`));
    const json = JSON.parse((await legion(["log", "1", `${failed}`, "--json"], { cwd })).out) as object;
    expect(json).toMatchObject({
      seq: failed,
      kind: "result",
      touched: { ran: expect.stringContaining("test") as string },
    });
    for (const none of ["7777", "0", "x", "-1"]) {
      const refused = await legion(["log", "1", none], { cwd });
      expect([refused.exitCode, refused.out]).toEqual([2, ""]);
    }
    expect((await legion(["log", "1", "7777"], { cwd })).err).toContain(
      "there is no event 7777 of Agent 1; its log ends at",
    );
    expect((await legion(["log", "1", `${failed}`, "--tree"], { cwd })).exitCode).toBe(2);
  });
});
