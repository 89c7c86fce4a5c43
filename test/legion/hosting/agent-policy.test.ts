import { expect, it } from "vitest";
import { defineAction, defineModule, ok } from "../../../src/domain/authoring/module.ts";
import { onlyActions, withoutActions } from "../../../src/legion/hosting/agent-policy.ts";

const action = defineAction({ description: "Does it", parameters: {}, execute: () => ok("done") });
const found = { github__open: action, github__close: action, db__query: action, listResources: action };
const modules = [
  defineModule({ name: "own", actions: { look: action, leap: action } }),
  defineModule({
    name: "servers",
    actions: {},
    offers: { find: () => Promise.resolve(1), actions: () => found },
  }),
];

function namesOf(left: typeof modules | ReturnType<typeof onlyActions>): readonly string[] {
  return left.flatMap(({ actions, offers }) => [actions, offers?.actions?.(1) ?? {}].flatMap(Object.keys));
}

it.each([
  [["look"], ["look"]],
  [
    ["look", "github__open"],
    ["look", "github__open"],
  ],
  [["github__*"], ["github__open", "github__close"]],
  [
    ["look", "*__*", "gone__tool"],
    ["look", "github__open", "github__close", "db__query"],
  ],
])("actions: %j leaves just those, also of what is found outside later", (wanted, left) => {
  expect(namesOf(onlyActions(modules, wanted))).toEqual(left);
});

it("an action that is found outside and forbidden outright is not there", () => {
  const left = withoutActions(modules, ["action github__*", "action leap"]);
  expect(namesOf(left)).toEqual(["look", "db__query", "listResources"]);
});

it("an action that no module has is refused, and one of a server is not: nobody knows yet", () => {
  expect(() => onlyActions(modules, ["lok"])).toThrow('did you mean "look"?');
  expect(() => onlyActions(modules, ["later__lok"])).not.toThrow();
});
