import { beforeAll, describe, expect, it } from "vitest";
import { buildProgram } from "../../../cli/program.ts";
import { runSuite } from "../../../conformance/suite.ts";

const HERE = "test/modules/mcp/conformance";

/** What applies, with the protocol that it is spoken in. */
const SCENARIOS = [
  ["initialize", "2025-11-25"],
  ["tools_call", "2025-11-25"],
  ["sse-retry", "2025-11-25"],
  ["json-schema-2020-12-preservation", "2025-11-25"],
  ["tools_call", "2026-07-28"],
  ["request-metadata", "2026-07-28"],
  ["http-standard-headers", "2026-07-28"],
  ["http-custom-headers", "2026-07-28"],
  ["http-invalid-tool-headers", "2026-07-28"],
  ["json-schema-ref-no-deref", "2026-07-28"],
  ["json-schema-2020-12-preservation", "2026-07-28"],
] as const;

/** What does not, and why. */
const NOT_APPLICABLE: readonly (readonly [name: RegExp, reason: string])[] = [
  [/^auth\//, "OAuth is not there yet: a server that wants it is away, with that reason"],
  [/^elicitation-/, "no elicitation: nobody may ask a person through an agent"],
  [
    /^sep-2322-client-request-state$/,
    "no elicitation: what has to be sent again goes with the answer to one",
  ],
  [/^sep-2640-/, "an extension: skills come from folders, not from servers"],
];

beforeAll(buildProgram, 120_000);

describe("the protocol's conformance suite, for clients", () => {
  it.each(SCENARIOS)(
    "%s in %s passes",
    async (scenario, version) => {
      const command = `${process.execPath} ${HERE}/client.mjs`;
      const { code, out } = await runSuite([
        "client",
        "--command",
        command,
        "--scenario",
        scenario,
        "--spec-version",
        version,
      ]);
      expect(out).toMatch(/Passed: [1-9]\d*\/\d+, 0 failed, 0 warnings/);
      expect(code).toBe(0);
    },
    40_000,
  );

  it("has no scenario that neither passes nor is left out for a reason", async () => {
    const { out } = await runSuite(["list"]);
    const [, clients = ""] = /Client scenarios[^\n]*\n((?: +- .*\n)+)/.exec(out) ?? [];
    const listed = [...clients.matchAll(/- (\S+)/g)].map(([, name]) => name!);
    const passing: readonly string[] = SCENARIOS.map(([name]) => name);
    const isLeftOut = (name: string): boolean => NOT_APPLICABLE.some(([pattern]) => pattern.test(name));
    expect(listed.length).toBeGreaterThan(40);
    expect(listed.filter((name) => !passing.includes(name) && !isLeftOut(name))).toEqual([]);
    expect(passing.filter((name) => !listed.includes(name) || isLeftOut(name))).toEqual([]);
  });
});
