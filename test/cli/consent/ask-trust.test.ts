import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { createAdmission } from "../../../src/cli/consent/ask-trust.ts";
import type { Typed } from "../../../src/cli/kit/command.ts";
import { isLegionError, messageOf } from "../../../src/base/errors.ts";
import { openPersonFolder } from "../../../src/storage/folder/person/folder.ts";
import type { WantedGrant } from "../../../src/config/grants/grant.ts";
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
  /** What stood on standard error. */
  readonly said: readonly string[];
}

/** A person at a terminal, or nobody. */
function ask(
  who: "person" | "nobody",
  names: readonly string[] = ["a.mjs"],
  options: Typed["options"] = {},
  grants: readonly WantedGrant[] = [],
): Asked {
  const terminal = createTerminal(100);
  const isTTY = who === "person";
  const said: string[] = [];
  const stdin = Object.assign(terminal.stdin, { isTTY });
  const stdout = Object.defineProperty(terminal.stdout, "isTTY", { value: isTTY });
  onTestFinished(() => void stdin.pause());
  const stderr = Object.create(process.stderr, {
    write: { value: (text: string) => said.push(text) },
  }) as NodeJS.WriteStream;
  const write = stdout.write.bind(stdout) as (text: string) => boolean;
  const question = new Promise<void>((resolve) => {
    stdout.write = (text: string | Uint8Array) => {
      const isTaken = write(String(text));
      if (/^(?:Run|Trust) it\?/.test(terminal.rows().at(-1) ?? "")) resolve();
      return isTaken;
    };
  });
  const io = { env: { XDG_CONFIG_HOME: home }, stdin, stdout, stderr };
  const admit = createAdmission(project, { options }, io);
  const modules = names.map((name) => join(project, name));
  const outcome = admit({ modules, grants }).then(
    () => "admitted",
    (error: unknown) => {
      expect(isLegionError(error, "CONFIG"), messageOf(error)).toBe(true);
      return messageOf(error);
    },
  );
  return { outcome, terminal, question, said };
}

it("does not run what was exchanged while the person read", async () => {
  const { outcome, terminal, question } = ask("person");
  await question;
  await writeFile(join(project, "b.mjs"), "// another");
  await terminal.type("y\r");
  expect(await outcome).toMatch(/^this project brings code that you have not trusted: a\.mjs/);
});

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
      "y: run it, and ask again when its code changes or it wants more. a: always, whatever this project",
      "becomes. Anything else: no.",
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

describe("what the files of a project want besides", () => {
  const FILE = ".ai-legion/config.yaml";
  const wanted = (setting: string, value: string, says = `have ${value}`): WantedGrant => ({
    what: `${FILE} ${setting}`,
    value,
    says,
    by: FILE,
    isGranted: false,
  });
  const granted = async () => [...(await grantsOf(openPersonFolder({ XDG_CONFIG_HOME: home }), project))];

  it("is asked together with its code, and a no leaves it out", async () => {
    const { outcome: asked, terminal, question } = ask("person", ["a.mjs"], {}, [wanted("bus", "x")]);
    await question;
    expect(terminal.rows()).toEqual([
      "This project brings code that can do here whatever you can do. It has not run here before:",
      "  a.mjs",
      "  b.mjs",
      "By its own files this project would:",
      `  have x (${FILE})`,
      "y: run it, and ask again when its code changes or it wants more. a: always, whatever this project",
      "becomes. Anything else: no.",
      "Run it? y/a/N",
    ]);
    await terminal.type("n\r");
    expect(await asked).toMatch(UNTRUSTED);
    expect(await granted()).toEqual([]);
  });

  it("is asked alone where no code is new, and yes holds for these values", async () => {
    const { outcome: asked, terminal, question, said } = ask("person", [], {}, [wanted("bus", "x")]);
    await question;
    expect(terminal.rows()).toEqual([
      "By its own files this project would:",
      `  have x (${FILE})`,
      "y: so be it, and ask again for whatever goes beyond that. Anything else: no, and it goes on without.",
      "Trust it? y/N",
    ]);
    await terminal.type("y\r");
    expect(await asked).toBe("admitted");
    expect(await granted()).toEqual([[`${FILE} bus`, "x"]]);
    expect(said).toEqual([]);
  });

  it.each(["\r", "a\r", "\u0003"])("goes on without it at %j, and says so in one line", async (keys) => {
    const { outcome: asked, terminal, question, said } = ask("person", [], {}, [wanted("bus", "x")]);
    await question;
    await terminal.type(keys);
    expect(await asked).toBe("admitted");
    expect(await granted()).toEqual([]);
    expect(said).toEqual([
      `legion: left out, as you have not trusted it: have x (${FILE}); \`legion trust\` shows what this project wants, ` +
        "`legion trust --trust` grants it\n",
    ]);
  });

  it("is left out where nobody can be asked, and named once, however much it is", async () => {
    const many = ["1", "2", "3", "4", "5"].map((value) => wanted(`s${value}`, value));
    const { outcome: asked, said } = ask("nobody", [], {}, many);
    expect(await asked).toBe("admitted");
    expect(said).toHaveLength(1);
    expect(said[0]).toContain(`have 3 (${FILE}); 2 more; \`legion trust\` shows`);
  });

  it("is granted with the code by --trust and --trust-always", async () => {
    const one = ask("nobody", ["c.mjs"], { trust: "true" }, [wanted("bus", "x")]);
    expect(await one.outcome).toBe("admitted");
    expect((await granted()).map(([what]) => what)).toEqual(["code c.mjs", `${FILE} bus`]);
    const always = ask("nobody", ["c.mjs"], { trustAlways: "true" }, [wanted("name", "y")]);
    expect(await always.outcome).toBe("admitted");
    expect((await granted()).map(([what]) => what)).toEqual([
      "code c.mjs",
      `${FILE} bus`,
      "code",
      `${FILE} name`,
    ]);
  });

  it("is shown whole with what a terminal would act on spelt out, or with its length", async () => {
    const hostile = wanted("bus", "x", "reach a\u202eb\u001b[2Jc\u200bd\ne");
    const long = wanted("long", "y", `reach ${"z".repeat(5_000)}`);
    const { outcome: asked, terminal, question } = ask("person", [], {}, [hostile, long]);
    await question;
    const rows = terminal.rows().map((row) => row.trim());
    expect(rows).toContain(`reach a\\u{202e}b\\u{1b}[2Jc\\u{200b}d\\u{a}e (${FILE})`);
    expect(rows.join("")).toContain("zzz... (5006 characters)");
    await terminal.type("\r");
    await asked;
  });
});
