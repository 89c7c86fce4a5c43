import { describe, expect, it } from "vitest";
import { z } from "zod";
import { checkCall } from "../../../src/agent/act/check-call.ts";
import { indexActions } from "../../../src/agent/parts/module-set.ts";
import {
  defineAction,
  defineModule,
  ok,
  type ParametersSchema,
} from "../../../src/domain/authoring/module.ts";
import { toolsProtocol } from "../../../src/model/protocol/tools.ts";

const LOOK_UP: ParametersSchema = {
  type: "object",
  properties: {
    word: { type: "string", description: "What to look up" },
    depth: { $ref: "#/$defs/depth" },
  },
  required: ["word"],
  $defs: { depth: { type: "integer", minimum: 1 } },
};

function toolOf(parameters: ParametersSchema) {
  const got: unknown[] = [];
  const tool = defineAction({
    description: "Look up",
    parameters,
    touches: [],
    execute(given) {
      got.push(given);
      return ok("done");
    },
  });
  const index = indexActions([defineModule({ name: "books", actions: { tool } })], toolsProtocol);
  const check = (given: unknown) => checkCall({ id: "c1", action: "tool", parameters: given }, index);
  return { tool, index, check, got };
}

describe("an action whose parameters are described by JSON Schema", () => {
  it("is shown to models as it is described", () => {
    expect(toolOf(LOOK_UP).index.tools).toEqual([
      expect.objectContaining({ name: "tool", parameters: LOOK_UP }),
    ]);
  });

  it.each<[unknown, string]>([
    [{}, "Missing required parameter: `word`."],
    [{ word: "oak", depth: 0 }, "Wrong parameter `depth` (given: `0`)"],
    ["oak", "could not be read as a JSON object"],
  ])("refuses %j", (given, reason) => {
    expect(toolOf(LOOK_UP).check(given)).toMatchObject({
      kind: "refused",
      reason: expect.stringContaining(reason) as string,
    });
  });

  it("is given what passes, and what was not described too", async () => {
    const { tool, check, got } = toolOf(LOOK_UP);
    const checked = check({ word: "oak", depth: 2, more: [1] });
    expect(checked).toMatchObject({ kind: "ready", ready: { parameters: { word: "oak", more: [1] } } });
    await tool.execute({ word: "oak", more: [1] }, {} as never);
    expect(got).toEqual([{ word: "oak", more: [1] }]);
  });

  it("takes any object where the description is more than can be checked", () => {
    const { check } = toolOf({ type: "object", properties: { a: { not: { type: "string" } } } });
    expect(check({ a: "x" }).kind).toBe("ready");
    expect(check([]).kind).toBe("refused");
  });
});

it("a parameter may be called type", () => {
  const parameters = { type: z.literal("object") };
  const action = defineAction({ description: "Sort", parameters, execute: () => ok("") });
  expect(action.schema).toBeUndefined();
  expect(action.parameters.safeParse({ type: "object" }).success).toBe(true);
});
