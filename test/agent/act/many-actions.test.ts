import { expect, it } from "vitest";
import { checkCall } from "../../../src/agent/act/check-call.ts";
import { indexActions } from "../../../src/agent/parts/module-set.ts";
import { defineAction, defineModule, ok } from "../../../src/domain/authoring/module.ts";
import type { Completion } from "../../../src/domain/model.ts";
import { textProtocol } from "../../../src/model/protocol/text.ts";
import { toolsProtocol } from "../../../src/model/protocol/tools.ts";

const MANY = 1_280;
const touch = defineAction({ description: "Touch", parameters: {}, execute: () => ok("") });
const actions = Object.fromEntries(Array.from({ length: MANY }, (_, n) => [`server__tool${n}`, touch]));
const busy = defineModule({ name: "busy", actions });

const answer = (text: string, calls: Completion["calls"] = []): Completion => ({
  text,
  calls,
  usage: { input: 1, output: 1 },
  stop: "end",
});

it.each([
  ["in text", textProtocol, (name: string) => answer(name)],
  ["in text, behind words", textProtocol, (name: string) => answer(`I touch it.\n\n${name}`)],
  ["as a call", toolsProtocol, (name: string) => answer("", [{ id: "1", name, arguments: "{}" }])],
  ["as a call that is written", toolsProtocol, (name: string) => answer(name)],
])(
  "of 1,280 actions the one that is called %s is found without reading their list again",
  (_, protocol, say) => {
    const index = indexActions([busy], protocol);
    let reads = 0;
    const specs = new Proxy(index.specs, {
      get: (list, key) => (reads++, Reflect.get(list, key) as unknown),
    });
    const found = (name: string): unknown => {
      const parsed = protocol.parse(say(name), specs);
      if (parsed.kind !== "calls") return parsed;
      const checked = checkCall(parsed.calls[0]!, { actions: index.actions, specs });
      return checked.kind === "ready" ? checked.ready.name : checked;
    };
    expect(found("server__tool0")).toBe("server__tool0");
    const once = reads;
    expect(once).toBeGreaterThanOrEqual(MANY);
    expect(found(`server__tool${MANY - 1}`)).toBe(`server__tool${MANY - 1}`);
    expect(found("Server__Tool7")).toBe("server__tool7");
    expect(reads).toBe(once);
  },
);
