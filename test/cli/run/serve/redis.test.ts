import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { redisIsThere, startRedis, type Server } from "../../../storage/redis/servers.ts";
import { createTempProject } from "../../../temp-project.ts";
import { legion } from "../../legion.ts";
import { buildProgram } from "../../program.ts";
import { connect } from "./programs.ts";

let server: Server;
beforeAll(async () => {
  await buildProgram();
  if (redisIsThere) server = await startRedis();
}, 120_000);
afterAll(() => server?.stop());

describe.runIf(redisIsThere)(
  "legion mcp serve, of a legion that several nodes share",
  { timeout: 60_000 },
  () => {
    it("is one more node of it: a call that another one has heard is the same call (K8, K9)", async () => {
      const env = { LEGION_BUS: server.url };
      const [here, there] = [await createTempProject(), await createTempProject()];
      const [one, two] = [await connect(here, env), await connect(there, {}, ["--bus", server.url])];
      const order = { task: "note a: b", id: "call-1" };
      const spawned = await one.call("spawn", order);
      expect(await two.call("spawn", order)).toEqual({ ...spawned, repeated: true });
      const { agent } = spawned;
      const words = { to: [agent], text: "note c: d", id: "call-2" };
      const sent = await two.call("send", words);
      expect(sent).toMatchObject({ remarks: [] });
      expect(await one.call("send", words)).toMatchObject({ messages: sent["messages"], repeated: true });
      for (;;) if ((await two.call("wait", { agent, seconds: 30 }))["over"] === "rests") break;
      expect(await two.call("notes", { agent })).toEqual({ titles: ["a", "c"] });
      expect((await legion(["ps", "--json", "--bus", server.url], { cwd: there })).json).toMatchObject([
        { id: agent },
      ]);
      // And a call that both hear at the same moment.
      const racing = { task: "note e: f", id: "call-3" };
      const both = await Promise.all([one.call("spawn", racing), two.call("spawn", racing)]);
      expect(new Set(both.map(({ repeated }) => repeated))).toEqual(new Set([false, true]));
      expect(new Set(both.map((spawn) => spawn["message"])).size).toBe(1);
    });
  },
);
