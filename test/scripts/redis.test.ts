import { chmodSync, existsSync } from "node:fs";
import { expect, it } from "vitest";
import { createClone, type Clone } from "./clone.ts";

const PROVIDE = `import("./scripts/redis.mjs").then(({ provideRedis, findRedis }) => {
  console.log(provideRedis(), findRedis()?.server.replace(process.cwd(), ""));
});`;

/** Stand in for the system's own, which would need the network: `apt-get` downloads one archive, `dpkg` unpacks a server. */
const APT_GET = `
  echo "$@" >> "$ASKED"
  [ -z "$OFFLINE" ] || { echo "cannot reach the archive" >&2; exit 100; }
  if [ "$1" = download ]; then echo archive > redis.deb; fi
`;
const DPKG = `
  [ "$1 $2 $3" = "-x redis.deb ." ] || exit 1
  /bin/mkdir -p usr/bin
  printf '%s' "$UNPACKED" > usr/bin/redis-server
  /bin/chmod +x usr/bin/redis-server
`;

function serverThatSays(version: string): string {
  return `#!/bin/sh\necho "Redis server v=${version} sha=00000000:0"\n`;
}

function createMachine(clone: Clone) {
  const program = (name: string, text: string) => {
    clone.write(`bin/${name}`, text);
    chmodSync(clone.path(`bin/${name}`), 0o755);
  };
  program("apt-get", `#!/bin/sh\n${APT_GET}`);
  program("dpkg", `#!/bin/sh\n${DPKG}`);
  return {
    program,
    provide: (env: NodeJS.ProcessEnv = {}) =>
      clone.run(["-e", PROVIDE], {
        PATH: clone.path("bin"),
        ASKED: clone.path("asked"),
        UNPACKED: serverThatSays("7.0.15"),
        REDIS_SERVER: "",
        CI: "",
        ...env,
      }),
    asked: () => (existsSync(clone.path("asked")) ? clone.read("asked") : ""),
  };
}

it("has nothing to do and nothing to say when a server that is new enough is on the PATH", () => {
  const machine = createMachine(createClone());
  machine.program("redis-server", serverThatSays("8.2.1"));
  expect(machine.provide()).toMatchObject({ stdout: "there /bin/redis-server\n", stderr: "" });
  expect(machine.asked()).toBe("");
});

it("takes the server that REDIS_SERVER names, and no other one", () => {
  const clone = createClone();
  const machine = createMachine(clone);
  machine.program("redis-server", serverThatSays("8.2.1"));
  machine.program("other", serverThatSays("7.2.0"));
  expect(machine.provide({ REDIS_SERVER: clone.path("bin/other") }).stdout).toBe("there /bin/other\n");
  const { stdout, stderr } = machine.provide({ REDIS_SERVER: "/nowhere/redis-server" });
  expect(stdout).toBe("skipped undefined\n");
  expect(stderr).toContain("REDIS_SERVER=/nowhere/redis-server is no Redis server of version 7 or newer");
});

it("unpacks one that needs no rights and starts no service, once, and says so on stderr", () => {
  const machine = createMachine(createClone());
  machine.program("redis-server", serverThatSays("6.2.9"));
  const { stdout, stderr } = machine.provide();
  expect(stdout).toBe("there /node_modules/.cache/redis/usr/bin/redis-server\n");
  expect(stderr).toMatch(/^Unpacking redis-server and redis-tools .*\nRedis is there after .* s\.\n$/);
  expect(machine.asked()).not.toContain("install");
  expect(machine.provide()).toMatchObject({ stdout, stderr: "" });
});

it("brings the libraries that an unpacked server lacks where it may, else says how", () => {
  const machine = createMachine(createClone());
  const { stdout, stderr } = machine.provide({ UNPACKED: "#!/bin/sh\nexit 127\n", CI: "true" });
  expect(stdout).toBe("failed undefined\n");
  const isRoot = process.getuid?.() === 0;
  expect(machine.asked().includes("install -y")).toBe(isRoot);
  expect(stderr).toContain("apt-get install redis-tools");

  const unasked = createMachine(createClone());
  unasked.provide({ UNPACKED: "#!/bin/sh\nexit 127\n" });
  expect(unasked.asked()).not.toContain("install -y");
});

it("leaves the tests out loudly when there is no way, and fails where nobody would read that", () => {
  const machine = createMachine(createClone());
  const left = machine.provide({ OFFLINE: "1" });
  expect(left.stdout).toBe("skipped undefined\n");
  expect(left.stderr).toMatch(/EVERY TEST THAT NEEDS ONE IS SKIPPED\. Install Redis 7 or newer/);
  const failed = machine.provide({ OFFLINE: "1", CI: "true" });
  expect(failed.stdout).toBe("failed undefined\n");
  expect(failed.stderr).toContain("No redis-server, and none could be brought. Install Redis 7 or newer");
});
