import { expect, it } from "vitest";
import { createInspector } from "../../../src/domain/inspection.ts";
import { createFeed } from "../../../src/control/socket/server.ts";

const told = (agent: string, text: string) =>
  ({ kind: "live:delta", agent, delta: { kind: "text", text } }) as const;

it("begins with an empty line and gives each watcher what it asked for", async () => {
  const { inspect, watch } = createInspector();
  const feed = createFeed({ inspect, watch });
  const [all, two] = [feed.follow(undefined), feed.follow("2")];
  inspect(told("1", "a"));
  inspect(told("2", "b\nc"));
  feed.close();
  const lines = [told("1", "a"), told("2", "b\nc")].map((inspection) => `${JSON.stringify(inspection)}\n`);
  expect(await all.text()).toBe(`\n${lines.join("")}`);
  expect(await two.text()).toBe(`\n${lines[1]}`);
});

it("cuts off who does not keep up, and nobody else", async () => {
  const { inspect, watch } = createInspector();
  const feed = createFeed({ inspect, watch });
  const [slow, other] = [feed.follow("1"), feed.follow("2")];
  const megabyte = "x".repeat(1_048_576);
  for (let count = 0; count < 40; count++) inspect(told("1", megabyte));
  inspect(told("2", "still here"));
  expect((await slow.text()).length).toBeLessThan(20 * megabyte.length);
  feed.close();
  expect(await other.text()).toContain("still here");
});

it("stops watching when a follower leaves", async () => {
  let watchers = 0;
  const feed = createFeed({
    inspect: () => undefined,
    watch: () => {
      watchers++;
      return () => void watchers--;
    },
  });
  const { body } = feed.follow("1");
  expect(watchers).toBe(1);
  await body!.cancel();
  expect(watchers).toBe(0);
});
