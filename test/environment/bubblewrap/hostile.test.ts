import { spawn, spawnSync } from "node:child_process";
import { createServer, type Server } from "node:net";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, readlink, realpath, rm } from "node:fs/promises";
import { symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Environment } from "../../../src/environment/environment.ts";
import { bubblewrapIsThere, openChosen, placeIn } from "../opened.ts";

const CANARY = "canary-5c1f3a";

/** What somebody else has on this machine, and what must be the same afterwards. */
interface Outside {
  readonly folder: string;
  readonly workspace: string;
  readonly loopback: number;
  readonly abstract: string;
  readonly victim: number;
}

let outside: Outside;
let environment: Environment;
const servers: Server[] = [];
const reached: string[] = [];

async function listen(address: { path: string } | { port: number; host: string }): Promise<Server> {
  const server = createServer((socket) => {
    reached.push(JSON.stringify(address));
    socket.end(CANARY);
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(address, resolve));
  return server;
}

async function furnish(folder: string): Promise<string> {
  const workspace = join(folder, "project");
  for (const path of [
    "person/.ssh",
    "other",
    "project/.ai-legion",
    "project/packages/one",
    "project/.vscode",
  ])
    await mkdir(join(folder, path), { recursive: true });
  for (const path of [
    "person/.ssh/id_ed25519",
    "other/plan.txt",
    "project/.env",
    "project/packages/one/key.pem",
  ])
    await writeFile(join(folder, path), CANARY);
  await writeFile(join(workspace, ".vscode/tasks.json"), "{}");
  await symlink("../person", join(workspace, "link-out"));
  await mkdir(join(workspace, "settings"));
  await writeFile(join(workspace, "settings/ours"), CANARY);
  await symlink("settings/ours", join(workspace, ".npmrc"));
  for (const repository of [workspace, join(workspace, "packages/one")])
    spawnSync("git", ["init", "-q", repository], { env: { PATH: process.env["PATH"], HOME: folder } });
  return workspace;
}

/** What must not change, whatever a command does: the text of each file by its path. */
async function snapshot({ folder, workspace }: Outside): Promise<Record<string, string>> {
  const kept: Record<string, string> = {};
  const roots = [
    "person",
    "other",
    "project/.vscode",
    "project/.git/hooks",
    "project/packages/one/.git/hooks",
  ];
  for (const root of roots) {
    for (const entry of await readdir(join(folder, root), { recursive: true, withFileTypes: true })) {
      const path = join(entry.parentPath, entry.name);
      if (entry.isFile()) kept[path] = await readFile(path, "latin1");
    }
  }
  for (const file of [".env", ".git/config", "packages/one/.git/config", "packages/one/key.pem"])
    kept[file] = await readFile(join(workspace, file), "utf8");
  kept["link"] = await readlink(join(workspace, ".npmrc"));
  kept["workspace"] = (await readdir(workspace)).filter((name) => name.startsWith(".")).join(" ");
  return kept;
}

const connect = (address: string): string =>
  `node -e 'require("net").connect(${address}).on("data", (text) => console.log("BREACH", String(text))).on("error", () => {})'`;

/** Each prints BREACH if it worked. */
const ATTEMPTS: readonly (readonly [name: string, command: (outside: Outside) => string])[] = [
  ["reads the passwords of the machine", () => "cat /etc/shadow /etc/gshadow && echo BREACH"],
  [
    "reads the person's home, and another project",
    ({ folder }) =>
      `cat ${folder}/person/.ssh/id_ed25519 ${folder}/other/plan.txt; ls ${folder}/other && echo BREACH`,
  ],
  [
    "goes out by a link",
    ({ folder }) => `cat link-out/.ssh/id_ed25519; ln -s ${folder}/other here; cat here/plan.txt`,
  ],
  [
    "reads what hides in the workspace",
    () => "cat .env packages/one/key.pem settings/ours .npmrc; cat < .env",
  ],
  [
    "reads the environment of the runtime",
    () => "cat /proc/*/environ | tr '\\0' '\\n' | grep -a CANARY= && echo BREACH",
  ],
  [
    "goes out through the files of a process",
    ({ folder }) =>
      `for p in /proc/[0-9]*; do cat $p/root${folder}/other/plan.txt $p/cwd/.env; ls $p/root/root/.ssh; done`,
  ],
  [
    "changes the kernel's settings",
    () =>
      'for f in vm/swappiness kernel/core_pattern; do v=$(cat /proc/sys/$f); echo "$v" > /proc/sys/$f && echo BREACH; done',
  ],
  [
    "uncovers what is hidden",
    () =>
      "umount .env && echo BREACH; umount -l .git/hooks && echo BREACH; mount -o remount,rw .vscode && echo BREACH",
  ],
  [
    "makes namespaces of its own",
    () => "unshare -Urm true && echo BREACH; unshare -Ur umount .env && echo BREACH",
  ],
  [
    "ends or looks into a process outside",
    ({ victim }) =>
      `kill -9 ${victim} && echo BREACH; ls /proc/${victim}/fd && echo BREACH; kill -0 ${process.pid} && echo BREACH`,
  ],
  [
    "connects to this machine, and to another",
    ({ loopback }) =>
      `${connect(`${loopback}, "127.0.0.1"`)}; ${connect('80, "192.0.2.1"')}; (exec 3<>/dev/tcp/127.0.0.1/${loopback}) && echo BREACH`,
  ],
  [
    "asks the legion through its socket",
    ({ workspace }) =>
      `${connect('".ai-legion/legion.sock"')}; ${connect(JSON.stringify(`${workspace}/.ai-legion/legion.sock`))}; ls .ai-legion/* && echo BREACH`,
  ],
  ["connects to an abstract socket", ({ abstract }) => connect(JSON.stringify(abstract))],
  [
    "moves .git away and makes another",
    () => "mv .git x && echo BREACH; rm -rf .git; mv .git/hooks .git/h && echo BREACH",
  ],
  [
    "has git run something",
    () =>
      "echo evil > .git/hooks/pre-commit; echo '[core] fsmonitor = evil' >> .git/config; git config core.pager evil; " +
      "rm .git/config; mv .git/config .git/c; cp /bin/sh .git/hooks/post-checkout",
  ],
  [
    "leads git elsewhere, from a folder above it",
    () =>
      "mv packages p; mv packages/one packages/two; mkdir -p .git/worktrees/w; echo ../evil > .git/commondir; echo x > .git/config.worktree; " +
      "echo evil > packages/one/.git/hooks/post-merge; git worktree add -q w",
  ],
  [
    "plants what others run or read",
    () =>
      "git init -q nested; echo evil > nested/.git/hooks/pre-commit; echo A=1 > .env.local; echo evil > .bashrc; mkdir -p .husky .idea deep/er/.vscode; " +
      "echo evil > deep/er/.vscode/tasks.json; ln -s /etc/passwd .netrc; mkdir agents; echo evil > agents/evil.md",
  ],
  [
    "plants a repository under another name",
    () =>
      "git init -q --bare pkg; mkdir d && cd d && echo 'ref: refs/heads/x' > HEAD && mkdir objects refs && echo '[core]' > config",
  ],
  [
    "puts a file in the place of a link",
    () => "rm .npmrc && echo registry=evil > .npmrc; mv .npmrc elsewhere",
  ],
  [
    "gets rights, devices or a terminal",
    () =>
      "grep -q 'NoNewPrivs:.1' /proc/self/status || echo BREACH; grep Cap /proc/self/status | grep -qv '0000000000000000' && echo BREACH; " +
      "mknod disk b 254 0 && echo BREACH; cat /dev/mem /dev/vda /dev/sda | head -c 1; " +
      `perl -e 'open(T, "+</dev/tty") && ioctl(T, 0x5412, "x") && print "BREACH"'; echo 1 > /proc/sysrq-trigger && echo BREACH`,
  ],
  [
    "makes a program that runs as its owner, for whoever starts it",
    () =>
      "cp /bin/true s; chmod u+s s; chmod 4755 s; chmod 6755 s; install -m 4755 /bin/true t; cp --preserve=mode /usr/bin/passwd u; " +
      `perl -e 'chmod 04755, "s"; syscall(452, -100, "s", 04755, 0)'; find . -perm /4000 | grep . && echo BREACH; ` +
      "chmod 755 s && ./s || echo BREACH; rm -f s t u",
  ],
  [
    "reads or fills the keyring of who started the runtime",
    () =>
      `perl -e '$! = 0; print "BREACH" if syscall(250, 6, -3, 0, 0) >= 0; print "BREACH" if syscall(248, "user", "a", "b", 1, -3) >= 0'`,
  ],
];

const LEFT =
  "mkdir -p ~/bin /tmp/bin; for d in ~/bin /tmp/bin; do printf '#!/bin/sh\\necho BREACH\\n' > $d/git; chmod +x $d/git; done; " +
  "echo 'echo BREACH' > ~/.bashrc; cp ~/.bashrc ~/.profile; export PATH=~/bin:$PATH BASH_ENV=~/.bashrc LD_PRELOAD=/tmp/evil.so";

describe.runIf(bubblewrapIsThere)("hostile: sandbox", () => {
  beforeAll(async () => {
    // Beside /tmp, which is the agent's own inside.
    const base = existsSync("/var/tmp") ? "/var/tmp" : tmpdir();
    const folder = await realpath(await mkdtemp(join(base, "legion-hostile-")));
    const workspace = await furnish(folder);
    const victim = spawn("sleep", ["600"], { env: { CANARY } });
    const loopback = await listen({ port: 0, host: "127.0.0.1" });
    const abstract = `\0legion-hostile-${process.pid}`;
    await listen({ path: abstract });
    await listen({ path: join(workspace, ".ai-legion/legion.sock") });
    const { port } = loopback.address() as { readonly port: number };
    outside = { folder, workspace, loopback: port, abstract, victim: victim.pid! };
    const variables = { ...process.env, CANARY, HOME: join(folder, "person") };
    environment = await openChosen({ kind: "bubblewrap" }, placeIn(workspace), variables);
  });

  afterAll(async () => {
    process.kill(outside.victim, "SIGKILL");
    for (const server of servers) server.close();
    await environment.close();
    await rm(outside.folder, { recursive: true, force: true });
  });

  const run = (command: string) => {
    const { signal } = new AbortController();
    return environment.execute(command, { cwd: outside.workspace, timeoutMs: 20_000, signal });
  };

  it.each(ATTEMPTS)("a command %s (E7, E8, M1, M2)", async (_, command) => {
    const before = await snapshot(outside);
    reached.length = 0;
    const { output } = await run(`${command(outside)}\necho TRIED`);
    expect(output).toContain("TRIED");
    expect(output).not.toMatch(/BREACH|canary|command not found/);
    expect(reached).toEqual([]);
    expect(process.kill(outside.victim, 0)).toBe(true);
    expect(await snapshot(outside)).toEqual(before);
    for (const planted of ["nested/.git", "deep/er/.vscode", "agents", "pkg", "d"])
      expect(existsSync(join(outside.workspace, planted))).toBe(false);
  });

  it("a command is given no file that the runtime was started with", async () => {
    const program = `
      import { openChosen, placeIn } from ${JSON.stringify(new URL("../opened.ts", import.meta.url).href)};
      const cwd = ${JSON.stringify(outside.workspace)};
      const environment = await openChosen({ kind: "bubblewrap" }, placeIn(cwd));
      const { signal } = new AbortController();
      const command = "sleep 9 & sleep 0.1; ls /proc/$!/fd | xargs; cat <&40; cat <&200";
      console.log((await environment.execute(command, { cwd, timeoutMs: 20_000, signal })).output);
      process.exit(0);`;
    const secret = JSON.stringify(join(outside.folder, "other/plan.txt"));
    const script = `exec 9<${secret} 40<${secret} 200<${secret}; exec "$0" --import tsx --input-type=module -e "$1"`;
    const { stdout } = spawnSync("bash", ["-c", script, process.execPath, program], { encoding: "utf8" });
    expect(stdout).toMatch(/^0 1 2\nbash: line 1: 40: Bad .*\nbash: line 1: 200: Bad /);
    expect(stdout).not.toContain(CANARY);
  });

  it("a command leaves programs and settings for the next one", async () => {
    await run(LEFT);
    const { output } = await run('type git; echo "$LD_PRELOAD$BASH_ENV"; bash -c "git --version"');
    expect(output).toMatch(/^git is \/\S*\/git\n\ngit version/);
  });
});
