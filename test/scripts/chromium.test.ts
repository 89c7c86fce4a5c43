import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync } from "node:fs";
import { expect, it, onTestFinished } from "vitest";
import { createClone, type Clone } from "./clone.ts";

const PROVIDE = `import("./scripts/chromium.mjs").then(({ provideChromium, findChromium }) => {
  console.log(provideChromium(), findChromium()?.replace(process.cwd(), ""));
});`;

/** Stands in for the system's own, which would need the network. Without `LISTS` it has to be updated first. */
const APT_GET = `#!/bin/sh
echo "$@" >> "$ASKED"
[ -z "$OFFLINE" ] || { echo "cannot reach the archive" >&2; exit 100; }
case "$1" in
  update) : > lists ;;
  install)
    [ -n "$LISTS" ] || [ -e lists ] || { echo "unable to locate package" >&2; exit 100; }
    printf '#!/bin/sh\\n' > bin/chromium
    /bin/chmod +x bin/chromium ;;
esac
`;

function createMachine(clone: Clone) {
  const program = (name: string, text = "#!/bin/sh\n") => {
    clone.write(`bin/${name}`, text);
    chmodSync(clone.path(`bin/${name}`), 0o755);
  };
  program("apt-get", APT_GET);
  return {
    program,
    provide: (env: NodeJS.ProcessEnv = {}) =>
      clone.run(["-e", PROVIDE], {
        PATH: clone.path("bin"),
        ASKED: clone.path("asked"),
        PUPPETEER_EXECUTABLE_PATH: "",
        CI: "",
        ...env,
      }),
    asked: () => (existsSync(clone.path("asked")) ? clone.read("asked") : ""),
  };
}

const isRoot = process.getuid?.() === 0;

it("has nothing to do and nothing to say when one is on the PATH", () => {
  const machine = createMachine(createClone());
  machine.program("google-chrome");
  expect(machine.provide()).toMatchObject({ stdout: "there /bin/google-chrome\n", stderr: "" });
  expect(machine.asked()).toBe("");
});

it("takes the one that PUPPETEER_EXECUTABLE_PATH names, and no other one", () => {
  const clone = createClone();
  const machine = createMachine(clone);
  machine.program("chromium");
  machine.program("other");
  const named = (name: string) => machine.provide({ PUPPETEER_EXECUTABLE_PATH: clone.path(name) });
  expect(named("bin/other").stdout).toBe("there /bin/other\n");
  const { stdout, stderr } = named("bin/nothing");
  expect(stdout).toBe("skipped undefined\n");
  expect(stderr).toContain(`PUPPETEER_EXECUTABLE_PATH=${clone.path("bin/nothing")} is no program.`);
  expect(machine.asked()).toBe("");
});

it.runIf(isRoot)("installs one in CI, with fresh lists where they are missing, and says so on stderr", () => {
  const machine = createMachine(createClone());
  const { stdout, stderr } = machine.provide({ LISTS: "there", CI: "true" });
  expect(stdout).toBe("there /bin/chromium\n");
  expect(stderr).toMatch(
    /^Tests of the web need Chromium: apt-get install chromium\nChromium is there after .* s\.\n$/,
  );
  expect(machine.asked()).toBe("--version\ninstall -y --no-install-recommends chromium\n");
  expect(machine.provide()).toMatchObject({ stdout, stderr: "" });

  const bare = createMachine(createClone());
  expect(bare.provide({ CI: "true" }).stdout).toBe("there /bin/chromium\n");
  expect(
    bare
      .asked()
      .split("\n")
      .map((line) => line.split(" ", 1)[0]),
  ).toEqual(["--version", "install", "update", "install", ""]);
});

it.runIf(isRoot)("installs nothing into the system where there is nobody to ask, and says how", () => {
  const machine = createMachine(createClone());
  const { stdout, stderr } = machine.provide({ LISTS: "there" });
  expect(stdout).toBe("skipped undefined\n");
  expect(stderr).toContain("nobody to ask: `CI=true npm test` runs apt-get install chromium.");
  expect(machine.asked()).not.toContain("install");
});

/** script(1), which gives a program a terminal. */
const script = spawnSync("sh", ["-c", "command -v script"], { encoding: "utf8" }).stdout.trim();

it.runIf(isRoot && script !== "").each([
  ["y", "there /bin/chromium"],
  ["", "skipped undefined"],
  ["no", "skipped undefined"],
])("asks at a terminal, and %j means %s", async (answer, outcome) => {
  const clone = createClone();
  createMachine(clone);
  clone.write("provide.mjs", PROVIDE);
  const terminal = spawn(script, ["-qec", `'${process.execPath}' provide.mjs`, "/dev/null"], {
    cwd: clone.path(""),
    env: { PATH: clone.path("bin"), ASKED: clone.path("asked"), LISTS: "there", SHELL: "/bin/sh" },
  });
  onTestFinished(() => void terminal.kill("SIGKILL"));
  let seen = "";
  terminal.stdout.setEncoding("utf8").on("data", (text: string) => {
    const wasAsked = seen.includes("[y/N]");
    seen += text;
    if (!wasAsked && seen.includes("Run apt-get install chromium on this machine? [y/N]"))
      terminal.stdin.write(`${answer}\n`);
  });
  await once(terminal, "close");
  expect(seen).toContain(outcome);
  expect(existsSync(clone.path("bin/chromium"))).toBe(answer === "y");
});

it("leaves the tests out loudly when there is no way, and fails where nobody would read that", () => {
  const machine = createMachine(createClone());
  const left = machine.provide({ OFFLINE: "1" });
  expect(left.stdout).toBe("skipped undefined\n");
  expect(left.stderr).toMatch(
    /NO Chromium: EVERY TEST THAT NEEDS ONE IS SKIPPED\. Install Chromium or Chrome/,
  );
  const failed = machine.provide({ OFFLINE: "1", CI: "true" });
  expect(failed.stdout).toBe("failed undefined\n");
  expect(failed.stderr).toContain("No Chromium, and none could be brought. Install Chromium or Chrome");
});
