// A real engine, and an image that is made here.

import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll } from "vitest";
import { findPodman } from "../../../scripts/podman.mjs";

const PROGRAMS = "sh sleep cat echo env ls true head yes setsid touch wc seq printf mkdir rm grep kill".split(
  " ",
);
const folder = mkdtempSync(join(tmpdir(), "legion-podman-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

// Of a machine that is a container itself, and may raise no limit.
const settings = `[containers]
default_ulimits = ["nofile=1000:1000", "nproc=1000:1000"]
[engine]
runtime = "runc"
cgroup_manager = "cgroupfs"
events_logger = "none"
`;
writeFileSync(join(folder, "containers.conf"), settings);
process.env["CONTAINERS_CONF"] = join(folder, "containers.conf");

/**
 * Makes `image` of a shell, a few programs and `files`, by absolute path, and runs it once. Says whether containers run here, and
 * loudly if not.
 */
export function makeImage(image: string, files: Readonly<Record<string, string>> = {}): boolean {
  const obstacle = obstacleTo(image, files);
  if (obstacle !== undefined)
    console.warn(`PODMAN DOES NOT RUN HERE: CONTAINERS ARE TESTED BY A STAND-IN ALONE. ${obstacle.trim()}`);
  return obstacle === undefined;
}

function obstacleTo(image: string, files: Readonly<Record<string, string>>): string | undefined {
  const found = findPodman();
  if (!found) return "it is not installed, or busybox-static or bash-static is not";
  const root = mkdtempSync(join(folder, "root-"));
  for (const name of ["bin", "tmp", "etc", "proc", "sys", "dev"])
    mkdirSync(join(root, name), { recursive: true });
  cpSync(found.busybox, join(root, "bin/busybox"));
  cpSync(found.bash, join(root, "bin/bash"));
  for (const name of PROGRAMS) symlinkSync("busybox", join(root, "bin", name));
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  }
  spawnSync("tar", ["-C", root, "-cf", join(folder, "image.tar"), "."]);
  const imported = spawnSync(found.podman, ["import", join(folder, "image.tar"), image], {
    encoding: "utf8",
  });
  if (imported.status !== 0) return imported.stderr;
  const order = ["run", "--rm", "--init", "--network", "none", "--memory", "4g", image, "true"];
  const tried = spawnSync(found.podman, order, { encoding: "utf8" });
  return tried.status === 0 ? undefined : tried.stderr;
}
