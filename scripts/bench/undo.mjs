// What it costs to know what a command changed in a repository of 10,000 files: a command that changes one file with its record, beside the
// same command bare and two bare snapshots of git by hand.

import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { figure, load, median, report, round, temporaryFolder, timed } from "./bench.mjs";
import { run } from "./sandboxes.mjs";

const { environmentFor, findEnvironment } = await load("src/environment/open.js");
const { openSnapshots } = await load("src/environment/snapshots/snapshots.js");
const { createNetwork } = await load("src/environment/network/network.js");
const { createDisk } = await load("src/base/files/disk.js");
const { NO_SECRETS } = await load("src/base/redaction/redactor.js");
const { keepFiles } = await load("src/past/undo/kept.js");
const { keepCommand } = await load("src/past/undo/commands.js");

const FOLDERS = 100;
const FILES = 100;
const ROUNDS = 30;

/** A repository with one commit. @param {string} folder */
function makeRepository(folder) {
  for (let at = 0; at < FOLDERS; at++) {
    mkdirSync(join(folder, `part-${at}`), { recursive: true });
    for (let file = 0; file < FILES; file++)
      writeFileSync(join(folder, `part-${at}/file-${file}.ts`), `export const x = ${at * FILES + file};\n`);
  }
  writeFileSync(join(folder, ".gitignore"), "/.ai-legion\n");
  const git = ["-c", "user.name=a", "-c", "user.email=a@b.c"];
  for (const words of [
    ["init", "-q"],
    ["add", "-A"],
    [...git, "commit", "-qm", "one"],
  ])
    execFileSync("git", words, { cwd: folder });
}

const finding = await findEnvironment(process.env);
if (!finding.probe.works) {
  report([figure("undo", "a command's record", `not measured: ${finding.why}`)]);
} else {
  const workspace = realpathSync(temporaryFolder());
  makeRepository(workspace);
  const home = join(workspace, ".ai-legion");
  const environment = await environmentFor({
    choice: { kind: "bubblewrap" },
    finding,
    variables: process.env,
  })({
    ...{ agent: "1", workspace, project: workspace, home, network: createNetwork({ allowPrivate: [] }) },
    ...{ protectedPaths: [], privatePaths: [] },
  });
  const mark = "bench-of-undo-0123456789abcdef0123";
  const looks = openSnapshots(join(home, "tmp/snapshots"), { add: () => undefined }).of({
    ...{ environment, workspace, mark },
  });
  const agents = join(home, "agents");
  const disk = createDisk(join(home, "tmp"), workspace);
  const kept = keepFiles({
    agents,
    folder: (/** @type {string} */ id) => join(agents, id),
    disk,
    redactor: NO_SECRETS,
  })("1");
  const options = { cwd: workspace, timeoutMs: 10_000, signal: new AbortController().signal };
  let n = 0;
  const command = () => environment.execute(`echo ${n++} > part-7/file-7.ts`, options);

  const elsewhere = realpathSync(temporaryFolder());
  cpSync(join(workspace, ".git/index"), join(elsewhere, "index"));
  mkdirSync(join(elsewhere, "objects"));
  const bare = ["-C", workspace, "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null"];
  const env = [
    `GIT_INDEX_FILE=${join(elsewhere, "index")}`,
    `GIT_OBJECT_DIRECTORY=${join(elsewhere, "objects")}`,
    `GIT_ALTERNATE_OBJECT_DIRECTORIES=${join(workspace, ".git/objects")}`,
  ];
  const snapshot = async () => {
    await run("env", [...env, "git", ...bare, "add", "-A"]);
    await run("env", [...env, "git", ...bare, "write-tree"]);
  };
  const recorded = async () => {
    const begun = await looks.begin();
    await command();
    const changes = await begun.end();
    await begun.close();
    if (changes.kind !== "known" || changes.files.length !== 1) throw new Error(JSON.stringify(changes));
    const workplace = { root: workspace, home: ".ai-legion" };
    await keepCommand(kept, { key: `key ${n}`, workspace: workplace, beside: new Set() }, changes);
  };
  const ways = { command, snapshot, recorded };
  const { wallMs: first } = await timed(recorded);
  const times = { command: [0], snapshot: [0], recorded: [0] };
  for (let round = 0; round < ROUNDS; round++)
    for (const name of /** @type {(keyof typeof ways)[]} */ (Object.keys(ways)))
      times[name].push((await timed(ways[name])).wallMs);
  await looks.close();
  await environment.close();
  const limit = median(times.command) + 2 * median(times.snapshot);
  const ratio = median(times.recorded) / limit;
  report([
    figure("undo", "a command with its record, 10,000 files", `${round(median(times.recorded))} ms`, {
      beside: `${round(limit)} ms bare with two bare snapshots: ${ratio.toFixed(2)} times`,
      goal: "<= 1.3 times",
      met: ratio <= 1.3,
    }),
    figure("undo", "the first of a start", `${round(first)} ms`),
  ]);
}
