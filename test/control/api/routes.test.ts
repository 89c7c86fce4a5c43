import { z } from "zod";
import { expect, it } from "vitest";
import { createClient } from "../../../src/control/api/client.ts";
import { ROUTES, ROUTE_NAMES } from "../../../src/control/api/routes.ts";
import { routeAt } from "../../../src/control/api/serve.ts";

it("finds a route at its own path alone", () => {
  expect(ROUTE_NAMES.map((name) => routeAt(ROUTES[name].path))).toEqual(ROUTE_NAMES);
  for (const path of ["", "/", "/Say", "say", "/say/", "/v1/say", "__proto__", "toString", "/constructor"])
    expect(routeAt(path)).toBeUndefined();
});

it.each(Object.entries(ROUTES))("says what is expected in every field of %s", (_, { question }) => {
  const { properties = {} } = z.toJSONSchema(question, { io: "input" });
  for (const [field, schema] of Object.entries(properties))
    expect(Object(schema).description, field).toBeTruthy();
});

it.each([
  ["of a later version that says more", { ids: ["0>1#1"], at: "noon" }, { ids: ["0>1#1"] }],
  ["that leaves something out", {}, undefined],
  ["in which something has another form", { ids: "0>1#1" }, undefined],
  ["that is none", null, undefined],
])("understands an answer %s, or says that the versions may differ", async (_, answer, understood) => {
  const saying = createClient(() => Promise.resolve(answer)).say({ targets: "all", content: "Hello" });
  if (understood) expect(await saying).toEqual(understood);
  else
    await expect(saying).rejects.toMatchObject({
      code: "REFUSED",
      message: expect.stringContaining("version"),
    });
});
