import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { chmod, mkdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { openPersonFolder, personFolderPath } from "../../../../src/storage/folder/person/folder.ts";
import { grant, granted, grantsOf } from "../../../../src/storage/folder/person/trust.ts";
import { createTempProject } from "../../../temp-project.ts";

describe("the person's folder", () => {
  it("lies where XDG says, a relative path says nothing", () => {
    expect(personFolderPath({ XDG_CONFIG_HOME: "/x", HOME: "/h" })).toBe("/x/ai-legion");
    expect(personFolderPath({ XDG_CONFIG_HOME: "x", HOME: "/h" })).toBe("/h/.config/ai-legion");
    expect(personFolderPath({ HOME: "/h" })).toBe("/h/.config/ai-legion");
  });

  it("keeps files that only their owner can read", async () => {
    const home = await createTempProject();
    const person = openPersonFolder({ XDG_CONFIG_HOME: join(home, "config") });
    expect(await person.read("history")).toBeUndefined();
    await person.write("history", "hello");
    await person.write("history", "world");
    expect(await person.read("history")).toBe("world");
    expect((await stat(person.path)).mode & 0o777).toBe(0o700);
    expect((await stat(join(person.path, "history"))).mode & 0o777).toBe(0o600);
  });

  it("believes nothing that others can write, and follows no link", async () => {
    const home = await createTempProject({ "elsewhere/trust.json": "{}" });
    const person = openPersonFolder({ XDG_CONFIG_HOME: home });
    await symlink(join(home, "elsewhere"), person.path);
    await expect(person.read("trust.json")).rejects.toThrow("is no folder");
    await expect(person.write("trust.json", "{}")).rejects.toThrow();

    const open = openPersonFolder({ XDG_CONFIG_HOME: join(home, "second") });
    await mkdir(open.path, { recursive: true });
    await chmod(open.path, 0o777);
    await expect(open.read("trust.json")).rejects.toThrow("can be written by other users; chmod go-w");
  });
});

describe("trust", () => {
  it("is kept by project and by what was granted", async () => {
    const person = openPersonFolder({ XDG_CONFIG_HOME: await createTempProject() });
    expect(await granted(person, "/a", "code")).toBeUndefined();
    await grant(person, "/a", { what: "code", value: "sha256:1" });
    await grant(person, "/a", { what: "owner", value: "1000" });
    await grant(person, "/b", { what: "code", value: "any" });
    await grant(person, "/a", { what: "code", value: "sha256:2" });
    expect(await granted(person, "/a", "code")).toBe("sha256:2");
    expect(await granted(person, "/a", "owner")).toBe("1000");
    expect(await granted(person, "/b", "owner")).toBeUndefined();
    const kept = JSON.parse(await readFile(join(person.path, "trust.json"), "utf8"));
    expect(Object.keys(kept.projects)).toEqual(["/a", "/b"]);
  });

  it("is kept where the folder of all settings is a link to another place", async () => {
    const folder = await createTempProject();
    await mkdir(join(folder, "real"));
    await symlink(join(folder, "real"), join(folder, "config"));
    const person = openPersonFolder({ XDG_CONFIG_HOME: join(folder, "config") });
    await grant(person, "/project/here", { what: "code", value: "1" });
    expect(await granted(person, "/project/here", "code")).toBe("1");
  });

  it("loses nothing where several processes grant at once, each to a project and to one of all", async () => {
    const home = await createTempProject();
    const program = fileURLToPath(new URL("grant-process.ts", import.meta.url));
    const run = promisify(execFile);
    const names = ["one", "two", "three", "four"];
    await Promise.all(
      names.map((name) => run(process.execPath, ["--import", "tsx", program, home, name, "10"])),
    );
    const person = openPersonFolder({ XDG_CONFIG_HOME: home });
    const all = names.flatMap((name) => Array.from({ length: 10 }, (_, index) => `code ${name}-${index}`));
    expect([...(await grantsOf(person, "/all")).keys()].toSorted()).toEqual(all.toSorted());
    for (const name of names) expect((await grantsOf(person, `/${name}`)).size).toBe(10);
  });

  it("that cannot be read grants nothing and says so", async () => {
    const home = await createTempProject();
    const person = openPersonFolder({ XDG_CONFIG_HOME: home });
    await person.write("trust.json", "{ half");
    await expect(granted(person, "/a", "code")).rejects.toThrow("is no record of trust");
    await writeFile(join(person.path, "trust.json"), "[]");
    await expect(grant(person, "/a", { what: "code", value: "any" })).rejects.toThrow("no record of trust");
  });
});

it.runIf(existsSync("/proc/self"))(
  "is refused, with a way out, where no folder can be made for it",
  async () => {
    const granting = grant(openPersonFolder({ HOME: "/proc" }), "/project", {
      what: "code",
      value: "always",
    });
    await expect(granting).rejects.toThrow(/^nothing can be kept in .*; XDG_CONFIG_HOME can name another/);
  },
);
