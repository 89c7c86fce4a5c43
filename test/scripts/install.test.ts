import { existsSync, rmSync } from "node:fs";
import { expect, it } from "vitest";
import { createClone, type Clone } from "./clone.ts";

/** Stands in for npm, which would need a registry: notes what it was asked, and leaves the list that npm leaves. */
const NPM = `
  import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
  writeFileSync("asked.json", JSON.stringify(process.argv.slice(2)));
  console.log("from npm");
  if (process.env.OFFLINE) process.exit(1);
  const { packages } = JSON.parse(readFileSync("package-lock.json", "utf8"));
  for (const path in packages) if (path === "" || packages[path].optional) delete packages[path];
  mkdirSync("node_modules", { recursive: true });
  writeFileSync("node_modules/.package-lock.json", JSON.stringify({ packages }));
`;
const INSTALL = `import("./scripts/install.mjs").then(({ install }) => console.log(install()));`;

function install(clone: Clone, env: NodeJS.ProcessEnv = {}) {
  clone.write("npm-cli.js", NPM);
  const { stdout, stderr } = clone.run(["-e", INSTALL], { ...env, npm_execpath: clone.path("npm-cli.js") });
  const asked: unknown = existsSync(clone.path("asked.json"))
    ? JSON.parse(clone.read("asked.json"))
    : "nothing";
  rmSync(clone.path("asked.json"), { force: true });
  return { stdout, stderr, asked };
}

it("installs on a fresh clone, development tools included, and says so on stderr", () => {
  const { stdout, stderr, asked } = install(createClone(), { NODE_ENV: "production" });
  expect(asked).toEqual(expect.arrayContaining(["ci", "--include=dev"]));
  expect(stderr).toMatch(/^Installing dependencies.*\nfrom npm\nInstalled in .* s\.\n$/);
  expect(stdout).toBe("true\n");
});

it("has nothing to do and nothing to say when what is locked is there, without the packages of other systems", () => {
  const clone = createClone();
  install(clone);
  expect(install(clone)).toEqual({ stdout: "true\n", stderr: "", asked: "nothing" });
});

it.each([
  [
    "an update",
    (lock: string) => lock.replace(/("node_modules\/zod": \{\s*"version": )"[^"]*"/, '$1"0.0.1"'),
  ],
  [
    "an addition",
    (lock: string) => lock.replace('"node_modules/zod"', '"node_modules/zed": {}, "node_modules/zod"'),
  ],
])("installs again after %s in the lock file", (_, change) => {
  const clone = createClone();
  install(clone);
  const lock = clone.read("package-lock.json");
  clone.write("package-lock.json", change(lock));
  expect(clone.read("package-lock.json")).not.toBe(lock);
  expect(install(clone).asked).toContain("ci");
  expect(install(clone).asked).toBe("nothing");
});

it("installs again after an installation that was cut short", () => {
  const clone = createClone();
  clone.write("node_modules/zod/package.json", "{}");
  expect(install(clone).asked).toContain("ci");
});

it("says what to do when npm fails", () => {
  const { stdout, stderr } = install(createClone(), { OFFLINE: "1" });
  expect(stderr).toMatch(/Installing failed\. .*registry.*\n$/);
  expect(stdout).toBe("false\n");
});

it("says which Node it needs, before anything else", () => {
  const clone = createClone();
  clone.write("package.json", clone.read("package.json").replace(/"node": ">=[^"]*"/, '"node": ">=20.99.0"'));
  const asExpected = { stdout: "true\n", asked: expect.arrayContaining(["ci"]) };
  const refused = {
    stdout: "false\n",
    stderr: `AI Legion needs Node 20.99.0 or newer; this is ${process.versions.node}. Get one from https://nodejs.org.\n`,
    asked: "nothing",
  };
  expect(install(clone)).toMatchObject(process.versions.node.startsWith("20.") ? refused : asExpected);
});
