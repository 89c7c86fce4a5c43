import { existsSync } from "node:fs";
import { chmod, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openPersonFolder } from "../../../../src/storage/folder/person/folder.ts";
import { authorshipOf, knownAuthorshipOf } from "../../../../src/storage/folder/person/authorship.ts";
import { createTempProject } from "../../../temp-project.ts";

const newPerson = async () => openPersonFolder({ XDG_CONFIG_HOME: await createTempProject() });

it("is made once, whoever needs it first, and nobody else can read it", async () => {
  const person = await newPerson();
  const hands = await Promise.all(Array.from({ length: 20 }, () => authorshipOf(person)));
  expect(new Set(hands.map(({ sign }) => sign("a log", 3))).size).toBe(1);
  expect((await stat(join(person.path, "key"))).mode & 0o777).toBe(0o600);
});

it("knows again what it signed, and nothing else", async () => {
  const [own, other] = [await authorshipOf(await newPerson()), await authorshipOf(await newPerson())];
  const code = own.sign("a log", 3);
  expect(own.isOwn(code, "a log", 3)).toBe(true);
  expect(own.isOwn(code, "a log", 4)).toBe(false);
  expect(own.isOwn(code, "another log", 3)).toBe(false);
  expect(other.isOwn(code, "a log", 3)).toBe(false);
  for (const none of [undefined, null, "", 7, code.slice(1), `${code}0`])
    expect(own.isOwn(none, "a log", 3)).toBe(false);
});

it("is not made by who only reads: then nothing is the person's", async () => {
  const person = await newPerson();
  const code = (await authorshipOf(await newPerson())).sign("a log", 3);
  expect((await knownAuthorshipOf(person)).isOwn(code, "a log", 3)).toBe(false);
  await expect(stat(join(person.path, "key"))).rejects.toThrow("ENOENT");
});

it("is the same on a machine that it was copied to", async () => {
  const [here, there] = [await newPerson(), await newPerson()];
  const code = (await authorshipOf(here)).sign("a log", 3);
  await there.write("key", await readFile(join(here.path, "key"), "utf8"));
  expect((await authorshipOf(there)).isOwn(code, "a log", 3)).toBe(true);
});

it.runIf(existsSync("/proc/self"))(
  "is refused, with a way out, where no folder can be made for it",
  async () => {
    const person = openPersonFolder({ HOME: "/proc" });
    await expect(authorshipOf(person)).rejects.toThrow(
      /^nothing can be kept in \/proc\/\.config\/ai-legion: .*; XDG_CONFIG_HOME can name another place/,
    );
  },
);

it("is refused where it is none, or somebody else could have put it there", async () => {
  const person = await newPerson();
  await person.write("key", "secret\n");
  await expect(authorshipOf(person)).rejects.toThrow(/key is no key; remove it to have a new one made/);
  await writeFile(join(person.path, "key"), "a".repeat(64));
  await chmod(join(person.path, "key"), 0o666);
  await expect(authorshipOf(person)).rejects.toThrow("can be written by other users; chmod go-w");
});
