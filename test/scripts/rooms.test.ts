import { describe, expect, it } from "vitest";
import { problems } from "./small-house.ts";

describe("imports", () => {
  const from = (path: string) => `import "${path}";`;

  it.each([
    ["src/cli/run/start/start.ts", "../../../legion/legion.ts"],
    ["src/cli/index.ts", "./commands.ts"],
    ["src/control/service.ts", "../legion/legion.ts"],
    ["src/index.ts", "./legion/legion.ts"],
    ["src/library/open.ts", "../control/serve-legion.ts"],
    ["src/testing/test-legion.ts", "../library/open.ts"],
    ["src/legion/supervision/supervisor.ts", "../../agent/actor.ts"],
    ["src/legion/legion.ts", "../storage/open.ts"],
    ["src/agent/actor.ts", "./think/ask.ts"],
    ["src/agent/act/perform.ts", "../parts/agent.ts"],
    ["src/agent/think/ask.ts", "./prompt.ts"],
    ["src/config/module-loader.ts", "../../modules/core.ts"],
    ["src/storage/files/log.ts", "../contract/store.ts"],
    ["src/storage/redis/mail/bus.ts", "../../../mail/bus.ts"],
    ["src/past/log/event-log.ts", "../domain/event.ts"],
    ["modules/web.ts", "../src/domain/authoring/module.ts"],
    ["modules/web.ts", "./web/page.ts"],
    ["modules/web/page.ts", "../../src/domain/authoring/module.ts"],
    ["modules/web.ts", "zod"],
    ["page/legion/legion.tsx", "../../src/base/text/unseen.ts"],
    ["page/legion/legion.tsx", "../parts/numbers.ts"],
    ["test/agent/actor.test.ts", "../../src/agent/actor.ts"],
  ])("%s may import %s", (path, specifier) => {
    expect(problems({ [path]: from(specifier) })).toEqual([]);
  });

  it("the page may know the types of the whole house, and takes little of it to the browser", () => {
    const specifier = "../src/legion/status.ts";
    expect(problems({ "page/page.tsx": `import type { AgentStatus } from "${specifier}";` })).toEqual([]);
    const objections = [expect.stringContaining("a browser has no use for it: use `import type`")];
    expect(problems({ "page/page.tsx": from(specifier) })).toEqual(objections);
  });

  it.each([
    ["src/legion/legion.ts", "../cli/run/start.ts", "legion may not know cli"],
    ["src/cli/run/start/start.ts", "../../../index.ts", "cli may not know index"],
    ["src/library/open.ts", "../cli/run/start/start.ts", "library may not know cli"],
    ["src/cli/run/start/start.ts", "../../../library/open.ts", "cli may not know library"],
    ["src/agent/actor.ts", "../legion/legion.ts", "agent may not know legion"],
    ["src/agent/actor.ts", "../storage/open.ts", "agent may not know storage"],
    ["src/storage/open.ts", "../agent/actor.ts", "storage may not know agent"],
    ["src/agent/think/ask.ts", "../actor.ts", "agent/think may not know agent/actor"],
    ["src/agent/parts/agent.ts", "../act/perform.ts", "agent/parts may not know agent/act"],
    ["src/storage/files/log.ts", "../redis/link.ts", "storage/files may not know storage/redis"],
    ["src/storage/contract/store.ts", "../files/log.ts", "storage/contract may not know storage/files"],
    ["src/past/view.ts", "../mail/bus.ts", "past may not know mail"],
    ["src/base/clock.ts", "../domain/event.ts", "base may not know domain"],
    ["src/view.ts", "./base/clock.ts", "view is no room of the house"],
    ["src/past/view.ts", "../../scripts/repo.mjs", "outside of src/ and modules/"],
    ["src/past/view.ts", "../../modules/core.ts", "past may not know modules"],
    ["page/page.tsx", "../scripts/repo.mjs", "outside of page/ and src/"],
    [
      "modules/web.ts",
      "../src/domain/message/message.ts",
      "a module imports only src/domain/authoring/ and libraries",
    ],
    ["modules/web.ts", "./webcam.ts", "a module imports only src/domain/authoring/"],
    ["modules/web/page.ts", "../notes.ts", "a module imports only src/domain/authoring/"],
  ])("%s may not import %s", (path, specifier, objection) => {
    const objections = [expect.stringContaining(objection)];
    expect(problems({ [path]: from(specifier) })).toEqual(objections);
    expect(problems({ [path]: `import type { T } from "${specifier}";` })).toEqual(objections);
    expect(problems({ [path]: `const later = () => import("${specifier}");` })).toEqual(objections);
    expect(problems({ [path]: `type T = import("${specifier}").T;` })).toEqual(objections);
  });

  it("run in no circle, of types neither", () => {
    const files = {
      "src/past/view.ts": from("./fold.ts"),
      "src/past/fold.ts": 'import type { T } from "./state.ts";',
      "src/past/state.ts": 'type T = import("./view.ts").T;',
      "src/past/ledger.ts": from("./view.ts"),
    };
    expect(problems(files)).toEqual([
      "src/past/fold.ts:1: circle: src/past/fold.ts -> src/past/state.ts -> src/past/view.ts -> src/past/fold.ts",
    ]);
  });

  it("keep libraries out of what every command loads", () => {
    const files = {
      "src/cli/index.ts":
        'import { f } from "../past/view.ts";\nimport "node:fs";\nconst g = () => import("./run/start.ts");',
      "src/cli/run/start/start.ts": 'import "commander";',
      "src/past/view.ts": 'import type { z } from "zod";\nimport { type Pino } from "pino";',
    };
    expect(problems(files)).toEqual([
      "src/past/view.ts:2: pino is loaded by every command: use await import()",
    ]);
  });
});
