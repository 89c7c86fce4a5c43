import { chown, mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { openPersonFolder } from "../../../src/storage/folder/person/folder.ts";
import { granted } from "../../../src/storage/folder/person/trust.ts";
import { legion } from "../../cli/legion.ts";
import { temporaryFolder } from "../../world.ts";

const SOMEBODY = 12_345;

describe("what is a link, in a project that came from elsewhere", () => {
  it.each([
    "cache/memory/main",
    "cache/memory",
    "memory/main",
    "memory/main/legion",
    "memory/main/legion/tmp",
  ])("I1 is not followed to what lies behind it: %s", async (way) => {
    const [cwd, elsewhere] = [await temporaryFolder(), await temporaryFolder()];
    const precious = ["legion", "main/legion", "."].map((folder) => join(elsewhere, folder, "precious"));
    await mkdir(join(elsewhere, "main/legion"), { recursive: true });
    await mkdir(join(elsewhere, "legion"), { recursive: true });
    for (const path of precious) await writeFile(path, "mine");
    const link = join(cwd, ".ai-legion", way);
    await mkdir(dirname(link), { recursive: true });
    await symlink(elsewhere, link);
    const command = ["memory", "search", "boats", "--memory", "main/legion"];
    expect(await legion(command, { cwd })).toMatchObject({
      exitCode: 2,
      err: `legion: .ai-legion/${way} is a link; nothing is read or written until it is moved away\n`,
    });
    for (const path of precious) expect(await readFile(path, "utf8")).toBe("mine");
  });
});

// Only root may give a folder away.
describe.runIf(process.getuid?.() === 0)("a project of another user", () => {
  async function foreignProject(): Promise<{ cwd: string; env: Record<string, string> }> {
    const [cwd, config] = [await temporaryFolder(), await temporaryFolder()];
    await chown(cwd, SOMEBODY, SOMEBODY);
    return { cwd, env: { XDG_CONFIG_HOME: config } };
  }

  it("I2 is opened once the person trusts it, which is recorded", async () => {
    const typing = await foreignProject();
    expect(await legion(["ps"], typing)).toMatchObject({
      exitCode: 2,
      err: expect.stringMatching(/^legion: .* belongs to another user \(12345\); if you trust .*\n$/),
    });
    await legion(["doctor", "--trust"], typing);
    expect(await granted(openPersonFolder(typing.env), typing.cwd, "owner")).toBe(String(SOMEBODY));
    expect(await legion(["ps"], typing)).toMatchObject({ exitCode: 0, err: "" });
  });

  it("may hold state of its owner as well as one's own, and of nobody else", async () => {
    const typing = await foreignProject();
    await legion(["doctor", "--trust"], typing);
    await mkdir(join(typing.cwd, ".ai-legion/agents"), { recursive: true });
    await chown(join(typing.cwd, ".ai-legion/agents"), SOMEBODY, SOMEBODY);
    expect(await legion(["ps"], typing)).toMatchObject({ exitCode: 0 });
    await chown(join(typing.cwd, ".ai-legion/agents"), SOMEBODY + 1, SOMEBODY);
    expect(await legion(["ps"], typing)).toMatchObject({ exitCode: 2 });
  });

  it("is asked about anew when it belongs to somebody else again", async () => {
    const typing = await foreignProject();
    await legion(["doctor", "--trust"], typing);
    await chown(typing.cwd, SOMEBODY + 1, SOMEBODY);
    expect(await legion(["ps"], typing)).toMatchObject({ exitCode: 2 });
  });
});
