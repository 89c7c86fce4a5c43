import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  createDiagnostics,
  readLogLevel,
  type DiagnosticsOptions,
} from "../../../../src/cli/run/start/diagnostics.ts";
import { NO_SECRETS, createRedactor } from "../../../../src/base/redaction/redactor.ts";
import type { Inspection } from "../../../../src/domain/inspection.ts";
import { createTempProject } from "../../../temp-project.ts";

async function open(options: Partial<DiagnosticsOptions> = {}) {
  const folder = options.folder ?? (await createTempProject({}));
  const failures: unknown[] = [];
  const diagnostics = createDiagnostics({
    folder,
    level: "info",
    redactor: NO_SECRETS,
    after: Promise.resolve(),
    onFailure: (error) => failures.push(error),
    ...options,
  });
  const text = async (): Promise<string> => {
    await diagnostics.close();
    const file = (await readdir(folder)).sort().at(-1)!;
    return readFile(join(folder, file), "utf8");
  };
  return { ...diagnostics, folder, failures, text };
}

const retrying = (reason: string): Inspection => ({
  kind: "live:state",
  agent: "1",
  state: "retrying",
  reason,
});

describe("diagnostics", () => {
  it("hold no secret that is known, wherever it turns up (K1)", async () => {
    const awkward = 'pass"word\\1';
    const values = ["sk-very-secret", awkward, "short"];
    const redactor = createRedactor(values.map((value, index) => ({ name: `KEY_${index}`, value })));
    const { see, note, text } = await open({ redactor });
    see(retrying("401 for key sk-very-secret, short of money"));
    note(
      { "sk-very-secret": awkward, nested: { list: [awkward] }, apiKey: "unknown-to-us" },
      `with ${awkward}`,
    );
    const written = await text();
    expect(written).not.toContain("sk-very-secret");
    expect(written).not.toContain("word");
    expect(written).not.toContain("unknown-to-us");
    expect(written).toContain("401 for key [redacted:KEY_0], short of money");
    for (const line of written.trimEnd().split("\n")) expect(() => JSON.parse(line) as unknown).not.toThrow();
  });

  it("keep what happens before they can be written (K2)", async () => {
    const { note, text } = await open();
    for (let n = 1; n <= 3; n++) note({ n }, "early");
    const lines = (await text())
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as object);
    expect(lines).toMatchObject([{ n: 1, level: "info", msg: "early" }, { n: 2 }, { n: 3 }]);
  });

  it("drop the oldest runs past 50, and nothing else", async () => {
    const runs = Array.from(
      { length: 60 },
      (_, n) => `2026-01-01T00-00-${String(n).padStart(2, "0")}-000Z.log`,
    );
    const folder = await createTempProject(
      Object.fromEntries([...runs, "mine.log"].map((name) => [name, ""])),
    );
    const { close } = await open({ folder });
    await close();
    const left = (await readdir(folder)).sort();
    expect(left).toHaveLength(51);
    expect(left).toContain("mine.log");
    expect(left).not.toContain(runs[10]);
    expect(left).toContain(runs[11]);
  });

  it("say once that they cannot be written, and never stop anybody", async () => {
    const folder = join(await createTempProject({ file: "" }), "file");
    const { note, close, failures } = await open({ folder });
    note({}, "lost");
    await close();
    note({}, "lost, too");
    expect(failures).toHaveLength(1);
  });

  it("write nothing at all at the level silent", async () => {
    const { note, close, folder } = await open({ level: "silent" });
    note({}, "nothing");
    await close();
    expect(await readdir(folder)).toEqual([]);
  });

  it("keep to the level that LEGION_LOG names", async () => {
    expect([undefined, "", " debug "].map(readLogLevel)).toEqual(["info", "info", "debug"]);
    expect(() => readLogLevel("loud")).toThrow(/^LEGION_LOG: expected silent, .*, not "loud"$/);
    const { see, text } = await open({ level: "error" });
    see(retrying("busy"));
    see({ kind: "live:state", agent: "1", state: "halted", reason: "disk full" });
    expect(await text()).toMatch(/^[^\n]*"reason":"disk full","msg":"halted"}\n$/);
  });
});
