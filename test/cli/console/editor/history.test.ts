import { chmod, mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createRedactor } from "../../../../src/base/redaction/redactor.ts";
import { openHistory } from "../../../../src/cli/console/editor/history.ts";
import { openPersonFolder } from "../../../../src/storage/folder/person/folder.ts";
import { temporaryFolder } from "../../../world.ts";

async function person() {
  const folder = openPersonFolder({ XDG_CONFIG_HOME: await temporaryFolder() });
  const troubles: string[] = [];
  return { folder, troubles, open: () => openHistory(folder, (text) => void troubles.push(text)) };
}

describe("the history of the console", () => {
  it("lasts over sessions, for its owner's eyes only", async () => {
    const { folder, open, troubles } = await person();
    const first = await open();
    expect(first.entries).toEqual([]);
    for (const entry of ["2: hello", "2: hello", "two\nlines: \u001b[2J", "x".repeat(5_000)])
      await first.add(entry);
    expect((await open()).entries).toEqual(["2: hello", "two\nlines: \u001b[2J"]);
    expect((await stat(join(folder.path, "history"))).mode & 0o777).toBe(0o600);
    expect((await stat(folder.path)).mode & 0o777).toBe(0o700);
    expect(troubles).toEqual([]);
  });

  it("keeps no secret", async () => {
    const { folder } = await person();
    const redactor = createRedactor([{ name: "KEY", value: "v9Kq72fLmZ0vB3tYw5xA" }]);
    const { add } = await openHistory(folder, () => undefined, redactor);
    await add("2: the key is v9Kq72fLmZ0vB3tYw5xA");
    expect(await folder.read("history")).toBe('"2: the key is [redacted:KEY]"\n');
  });

  it("keeps what two consoles add at the same time", async () => {
    const { open } = await person();
    const [one, two] = [await open(), await open()];
    const added = Array.from({ length: 50 }, (_, index) => [`one ${index}`, `two ${index}`]);
    await Promise.all(added.flatMap(([a, b]) => [one.add(a!), two.add(b!)]));
    expect([...(await open()).entries].sort()).toEqual(added.flat().sort());
  });

  it("keeps entries in their order, and says when the last one is kept, however slow the disk is", async () => {
    const { folder, open } = await person();
    let spin = (): void => undefined;
    const standing = new Promise<void>((resolve) => (spin = resolve));
    const slow = async (name: string, text: string): Promise<void> => {
      if (text.includes("first")) await standing;
      await folder.append(name, text);
    };
    const history = await openHistory({ ...folder, append: slow }, () => undefined);
    for (const entry of ["first", "second"]) void history.add(entry);
    const entries = history.settled().then(async () => (await open()).entries);
    spin();
    expect(await entries).toEqual(["first", "second"]);
  });

  it("is bounded, within a session as well, and loses the oldest first", async () => {
    const { folder, open } = await person();
    const history = await open();
    for (let index = 0; index < 300; index++) await history.add(`${index} ${"x".repeat(3_000)}`);
    expect((await stat(join(folder.path, "history"))).size).toBeLessThan(500_000);
    const { entries } = await open();
    expect(entries.at(-1)).toMatch(/^299 /);
    for (let index = 0; index < 2_500; index++) await folder.append("history", `"${index}"\n`);
    await open();
    const lines = (await readFile(join(folder.path, "history"), "utf8")).trim().split("\n");
    expect(lines).toHaveLength(1_000);
    expect(lines.at(-1)).toBe('"2499"');
  });

  it("leaves out what is no entry", async () => {
    const { folder, open } = await person();
    await folder.write("history", '"good"\nbad\n{"a":1}\n"half');
    expect((await open()).entries).toEqual(["good"]);
  });

  it("is none, and says so once, where its folder can be written by others or is no folder", async () => {
    const { folder, open, troubles } = await person();
    await mkdir(folder.path);
    await chmod(folder.path, 0o777);
    const history = await open();
    await history.add("secret");
    await history.add("another");
    expect(troubles).toEqual([
      expect.stringMatching(/^What is entered here is not kept: .*can be written by/),
    ]);
    const other = openPersonFolder({ XDG_CONFIG_HOME: await temporaryFolder() });
    await writeFile(other.path, "");
    const told: string[] = [];
    await (await openHistory(other, (text) => void told.push(text))).add("x");
    expect(told).toHaveLength(1);
  });
});
