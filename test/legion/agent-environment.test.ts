import { describe, expect, it } from "vitest";
import { system } from "../../modules/system/index.ts";
import type { EnvironmentPlace, OpenEnvironment } from "../../src/environment/environment.ts";
import { createLocalEnvironment } from "../../src/environment/local.ts";
import { startLegion } from "../../src/legion/legion.ts";
import { temporaryFolder, toPlan } from "../world.ts";

describe("an agent that has an environment of its own", () => {
  it("gets it when it is opened, has its commands run there, and has it closed with it", async () => {
    const project = await temporaryFolder();
    const places: EnvironmentPlace[] = [];
    const ran: string[] = [];
    let closed = 0;
    const environment: OpenEnvironment = (place) => {
      places.push(place);
      return Promise.resolve({
        ...createLocalEnvironment({}),
        execute(command, { cwd, hosts }) {
          ran.push(`${command} in ${cwd === project ? "the project" : cwd} with ${hosts?.join(" ")}`);
          return Promise.resolve({ output: "done", exitCode: 0, remarks: ["`x` was set aside."] });
        },
        close: () => Promise.resolve(void closed++),
      });
    };
    const command = {
      action: "executeCommand",
      parameters: { command: "make", network: "a.example, b.example" },
    };
    const plan = toPlan("1", { modules: [system], script: [{ calls: [command] }, "done"] });
    const legion = await startLegion({
      project,
      plans: [{ ...plan, environment }],
      limits: {},
      durability: "process",
      delayMs: 0,
      heartbeatMs: "off",
      environment: createLocalEnvironment({}),
      settings: () => ({ commands: "allow", protectedPaths: ["kept"], privatePaths: ["hidden"] }),
    });
    await legion.control.say(["1"], "make it");
    await legion.untilIdle(new AbortController().signal);
    await legion.stop();
    expect(places).toMatchObject([
      { agent: "1", workspace: project, project, protectedPaths: ["kept"], privatePaths: ["hidden"] },
    ]);
    expect(ran).toEqual(["make in the project with a.example b.example"]);
    expect(closed).toBe(1);
  });
});
