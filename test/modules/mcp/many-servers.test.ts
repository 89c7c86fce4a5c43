import { expect, it, onTestFinished } from "vitest";
import { temporaryFolder } from "../../world.ts";
import { openAgent } from "./agent.ts";
import { FAKE_SERVER } from "./kit.ts";

it("twelve servers serve an agent, and nothing warns of that", async () => {
  const warnings: string[] = [];
  const note = ({ message }: Error): void => void warnings.push(message);
  process.on("warning", note);
  onTestFinished(() => void process.off("warning", note));
  const names = Array.from({ length: 12 }, (_, n) => `s${n}`);
  const servers = names.map((name) => [name, { command: process.execPath, args: [FAKE_SERVER] }]);
  const agent = await openAgent({ folder: await temporaryFolder(), servers: Object.fromEntries(servers) });
  for (const name of names)
    expect((await agent.call(name, "echo", { name })).content).toContain(`"name":"${name}"`);
  expect(warnings).toEqual([]);
});
