import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { createAdmission } from "../../../src/cli/consent/ask-trust.ts";
import type { Typed } from "../../../src/cli/kit/command.ts";
import { isLegionError, messageOf } from "../../../src/base/errors.ts";
import { openPersonFolder } from "../../../src/storage/folder/person/folder.ts";
import { grantsOf } from "../../../src/storage/folder/person/trust.ts";
import { createTempProject } from "../../temp-project.ts";
import { createTerminal, type Terminal } from "../screen.ts";

let home: string;
let project: string;

beforeEach(async () => {
  home = await createTempProject();
  project = await createTempProject({ "a.mjs": `import "./b.mjs";`, "b.mjs": "", "c.mjs": "" });
});

interface Asked {
  /** `admitted`, or why not. */
  readonly outcome: Promise<string>;
  readonly terminal: Terminal;
  /** Resolves when the question stands there. */
  readonly question: Promise<void>;
}

/** A person at a terminal, or nobody. */
function ask(who: "person" | "nobody", names = ["a.mjs"], options: Typed["options"] = {}): Asked {
  const terminal = createTerminal(100);
  const isTTY = who === "person";
  const stdin = Object.assign(terminal.stdin, { isTTY });
  const stdout = Object.defineProperty(terminal.stdout, "isTTY", { value: isTTY });
  onTestFinished(() => void stdin.pause());
  const write = stdout.write.bind(stdout) as (text: string) => boolean;
  const question = new Promise<void>((resolve) => {
    stdout.write = (text: string | Uint8Array) => {
      const isTaken = write(String(text));
      if (terminal.rows().at(-1)?.startsWith("Run it?")) resolve();
      return isTaken;
    };
  });
  const io = { env: { XDG_CONFIG_HOME: home }, stdin, stdout };
  const admit = createAdmission(project, { options }, io);
  const modules = names.map((name) => join(project, name));
  const outcome = admit({ modules, programs: [] }).then(
    () => "admitted",
    (error: unknown) => {
      expect(isLegionError(error, "CONFIG"), messageOf(error)).toBe(true);
      return messageOf(error);
    },
  );
  return { outcome, terminal, question };
}

async function answer(keys: string, names?: string[]): Promise<string> {
  const { outcome, terminal, question } = ask("person", names);
  await question;
  await terminal.type(keys);
  return outcome;
}

function outcome(names?: string[], options?: Typed["options"]): Promise<string> {
  return ask("nobody", names, options).outcome;
}

const UNTRUSTED = /^this project brings code that you have not trusted: a\.mjs and 1 more; --trust runs it/;

describe("code that a project brings", () => {
  it("does not run while nobody has said so, and says what would let it", async () => {
    expect(await outcome()).toMatch(UNTRUSTED);
    expect(await outcome(["a.mjs"], { json: "true" })).toMatch(UNTRUSTED);
    expect([...(await grantsOf(openPersonFolder({ XDG_CONFIG_HOME: home }), project))]).toEqual([]);
  });

  it("is shown to a person, whose yes holds until it changes", async () => {
    const { outcome: asked, terminal, question } = ask("person");
    await question;
    expect(terminal.rows()).toEqual([
      "This project brings code that can do here whatever you can do. It has not run here before:",
      "  a.mjs",
      "  b.mjs",
      "y: run it, and ask again when it changes. a: always, whatever this project becomes. Anything else:",
      "no.",
      "Run it? y/a/N",
    ]);
    await terminal.type("y\r");
    expect(await asked).toBe("admitted");
    expect(await outcome()).toBe("admitted");
    await writeFile(join(project, "c.mjs"), "changed");
    expect(await outcome()).toBe("admitted");
    await writeFile(join(project, "b.mjs"), "changed");
    expect(await outcome()).toMatch(UNTRUSTED);
    const again = ask("person");
    await again.question;
    expect(again.terminal.rows()[0]).toMatch(/It has changed since you trusted it:$/);
    await again.terminal.type("y\r");
    expect(await again.outcome).toBe("admitted");
  });

  it("is trusted module by module: a yes to two is one to each of them, not to a third", async () => {
    expect(await answer("y\r", ["a.mjs", "c.mjs"])).toBe("admitted");
    expect(await outcome(["c.mjs"])).toBe("admitted");
    expect(await outcome(["b.mjs"])).toMatch(/not trusted: b\.mjs; --trust/);
  });

  it("may be trusted whatever it becomes", async () => {
    expect(await answer("a\r")).toBe("admitted");
    await writeFile(join(project, "b.mjs"), "changed");
    await rm(join(project, "c.mjs"));
    expect(await outcome(["a.mjs", "b.mjs"])).toBe("admitted");
  });

  it.each(["\r", "n\r", "yeah\r", "\u0003", "\u0004"])("is not trusted by %j", async (keys) => {
    expect(await answer(keys)).toMatch(UNTRUSTED);
    expect(await outcome()).toMatch(UNTRUSTED);
  });

  it("is trusted without a question by the two options", async () => {
    expect(await outcome(["a.mjs"], { trust: "true" })).toBe("admitted");
    expect(await outcome()).toBe("admitted");
    await writeFile(join(project, "b.mjs"), "changed");
    expect(await outcome()).toMatch(UNTRUSTED);
    expect(await outcome(["a.mjs"], { trustAlways: "true" })).toBe("admitted");
    await writeFile(join(project, "b.mjs"), "changed again");
    expect(await outcome()).toBe("admitted");
  });

  it("is shown as what it is, whatever its names and however much it is", async () => {
    const names = Array.from({ length: 20 }, (_, index) => `lib/${index + 10}.mjs`);
    const hostile = "lib/\u001b[2J\u202eevil.mjs";
    const files = Object.fromEntries([hostile, ...names].map((name) => [name, "import(x)"]));
    project = await createTempProject({ ...files, "a.mjs": "import(name)" });
    const { outcome: asked, terminal, question } = ask("person");
    await question;
    const rows = terminal.rows();
    expect(rows).toContain("  lib/evil.mjs");
    expect(rows).toContain("  and 10 more files");
    expect(rows.join(" ")).toContain("Its text does not tell all that it loads (a.mjs: import(...))");
    await terminal.type("\r");
    await asked;
  });
});

describe("a program that a project's settings name", () => {
  async function admitProgram(path: string, options: Typed["options"] = {}): Promise<string> {
    const { stdin, stdout } = createTerminal(100);
    const nobody = Object.assign(stdin, { isTTY: false });
    const admit = createAdmission(
      project,
      { options },
      { env: { XDG_CONFIG_HOME: home }, stdin: nobody, stdout },
    );
    return admit({ modules: [], programs: [path] }).then(() => "admitted", messageOf);
  }

  it("needs trust by its path, and by its content where the project brings it", async () => {
    expect(await admitProgram("/usr/bin/chromium")).toMatch(/not trusted: .*chromium \(the browser/);
    expect(await admitProgram("/usr/bin/chromium", { trust: "true" })).toBe("admitted");
    expect(await admitProgram("/usr/bin/chromium")).toBe("admitted");
    expect(await admitProgram("/usr/bin/other")).toMatch(/not trusted/);

    const own = join(project, "browser");
    await writeFile(own, "one");
    expect(await admitProgram(own, { trust: "true" })).toBe("admitted");
    expect(await admitProgram(own)).toBe("admitted");
    await writeFile(own, "two");
    expect(await admitProgram(own)).toMatch(/not trusted: browser/);
  });
});
