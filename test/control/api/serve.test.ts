import { expect, it } from "vitest";
import { READINGS } from "../../../src/control/api/readings.ts";
import { ROUTES } from "../../../src/control/api/routes.ts";
import { createWorld } from "../../world.ts";
import { ask, serve } from "../serve.ts";

it("serves every route under /v1, and where commands of the version before ask for it", async () => {
  const { socket } = await serve(await createWorld({ "1": {} }));
  for (const [name, { path, method }] of Object.entries(ROUTES)) {
    if (name === "stop") continue;
    const answers = [
      await ask(socket, { path: `/v1${path}`, body: "{}" }),
      await ask(socket, { path, body: "{}" }),
    ];
    if (method === "get") answers.push(await ask(socket, { method: "GET", path: `/v1${path}` }));
    expect(new Set(answers.map(({ text }) => text)).size, name).toBe(1);
    expect(answers[0]!.text).not.toContain("there is no");
  }
});

it("describes every route, so that programs of others can ask as well", async () => {
  const { socket } = await serve(await createWorld({ "1": {} }));
  const { status, text } = await ask(socket, { method: "GET", path: "/v1/openapi.json" });
  expect(status).toBe(200);
  const { openapi, servers, paths } = JSON.parse(text);
  expect({ openapi, servers, paths: Object.keys(paths) }).toEqual({
    openapi: "3.1.0",
    servers: [{ url: "/v1" }],
    paths: [...Object.values(ROUTES), ...Object.values(READINGS)].map(({ path }) => path),
  });
  expect(paths["/agents/{agent}/log"].get.parameters).toMatchObject([
    { name: "agent", in: "path", required: true },
    { name: "from", in: "query", required: false },
    { name: "before", in: "query", required: false },
    { name: "limit", in: "query", required: false },
    { name: "moment", in: "query", required: false },
  ]);
  expect(Object.keys(paths["/overview"].get.responses["200"].content)).toEqual(["text/event-stream"]);
  const { requestBody, responses } = paths["/say"].post;
  expect(requestBody.content["application/json"].schema).toMatchObject({
    required: ["targets", "content"],
    additionalProperties: false,
    properties: { delivery: { enum: ["normal", "abort", "steer", "follow-up"] } },
  });
  expect(Object.keys(responses)).toEqual(["200", "default"]);
});
