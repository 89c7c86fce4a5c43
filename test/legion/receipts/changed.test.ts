// What real actions and undos change, as receipts tell of it: when they are sent, and today.

import { describe, expect, it } from "vitest";
import { core } from "../../../modules/core.ts";
import { messaging } from "../../../modules/messaging.ts";
import { system } from "../../../modules/system/index.ts";
import { undoHere } from "../../../src/control/api/undo-here.ts";
import { createReceiptsToday } from "../../../src/legion/receipts/today.ts";
import type { Script } from "../../../src/model/scripted/scripted.ts";
import { createFileBackend } from "../../../src/storage/files/backend.ts";
import { openWorld, temporaryFolder, type World } from "../../world.ts";
import { edit, put, remove, REST, write } from "../undo/yard.ts";

/** Does each call that a message consists of. */
const obey: Script = ({ turns }) => {
  const told = turns.at(-1);
  const [, order] =
    (told?.role === "user" && /--- MESSAGE FROM CONTROL ---\n\n(\{.*\})$/s.exec(told.text)) || [];
  return order === undefined ? REST : { calls: [JSON.parse(order) as object] as never };
};
const agent = { modules: [core, messaging, system], script: obey, receipts: "on" } as const;

/** Has an agent do something; returns the id of the order and the number of its newest result. */
async function order(world: World, id: string, call: object) {
  const [message] = await world.say(id, JSON.stringify(call));
  await world.idle();
  const results = (await world.kinds(id, "result")).filter(({ content }) => content !== "");
  return { message: message!, seq: results.at(-1)?.seq ?? 0 };
}

/** Agent 1 wrote `path`; agent 2 is there as well. */
async function afterWriting(path = "x") {
  const project = await temporaryFolder();
  put(project, path, "old");
  const world = await openWorld(project, { 1: agent, 2: agent });
  return { world, ...(await order(world, "1", write(path, "new"))) };
}

/** Has agent 1 cite its result: the verdict as it was sent. */
async function cite(world: World, seq: number) {
  const parameters = { targetAgentId: "0", message: "Done.", receipts: [`#${seq}`] };
  await order(world, "1", { action: "sendMessage", parameters });
  return (await newest(world))?.receipt.verdict;
}

async function newest({ kinds, project }: World) {
  const { message } = (await kinds("0", "message")).at(-1)!;
  const [receipt] = (await createReceiptsToday(createFileBackend(project).reader)(message)) ?? [];
  return receipt;
}

describe("a receipt of a file", () => {
  it("is stale when an undo put something else in its place, also one that is sent then", async () => {
    const { world, message, seq } = await afterWriting();
    expect([await cite(world, seq), (await newest(world))?.today]).toEqual(["proven", { verdict: "proven" }]);
    await world.legion.undo(message);
    await world.idle();
    const undone = (await world.kinds("0", "notice")).at(-1)!.seq;
    const why = `x was written since, by Control (#0.${undone})`;
    expect((await newest(world))?.today).toEqual({ verdict: "stale", why });
    expect(await cite(world, seq)).toBe("stale");
  });

  it("is stale as well when no node ran at the undo", async () => {
    const { world, message, seq } = await afterWriting();
    await cite(world, seq);
    await world.stop();
    const config = { durability: "process" } as const;
    await undoHere({ project: world.project, backend: createFileBackend(world.project), config }, message);
    expect((await newest(world))?.today).toMatchObject({ verdict: "stale" });
  });

  it("holds when an undo was about others, or left it", async () => {
    const { world, seq } = await afterWriting();
    const other = await order(world, "2", write("y", "new"));
    await cite(world, seq);
    await world.legion.undo(other.message);
    expect((await newest(world))?.today).toEqual({ verdict: "proven" });
  });

  it("holds when a write was refused before it began", async () => {
    const { world, seq } = await afterWriting();
    await order(world, "2", edit("x", "not there", "y"));
    expect((await world.kinds("2", "result"))[0]).toMatchObject({ outcome: "error" });
    expect(await cite(world, seq)).toBe("proven");
  });

  it("is stale when a write failed that had begun", async () => {
    const { world, seq } = await afterWriting("d/x");
    await order(world, "2", remove("d"));
    expect((await world.kinds("2", "result"))[0]).toMatchObject({ outcome: "error" });
    expect(await cite(world, seq)).toBe("stale");
  });
});
