// Small file systems of a test's own: ext4 on a file, mounted through a loop device. Only root may do that.

import { execFile, execFileSync } from "node:child_process";
import { copyFile, mkdir, mkdtemp, rm, truncate, writeFile } from "node:fs/promises";
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

export interface Device {
  /** Where it is mounted. */
  readonly folder: string;
  /** Mounts what the device holds at this moment, as it is found after a power cut, for `look` alone. */
  cutPower(look: (folder: string) => Promise<void>): Promise<void>;
}

/** A device for `work` alone: nothing is written back to it but what is flushed. */
export async function onDevice(bytes: number, work: (device: Device) => Promise<void>): Promise<void> {
  const root = await mkdtemp(join(tmpdir(), "legion-device-"));
  const file = join(root, "device");
  const image = join(root, "image");
  try {
    await writeFile(file, "");
    await truncate(file, bytes);
    await run("mkfs.ext4", ["-q", "-F", file]);
    await mounted(file, (folder) =>
      work({
        folder,
        async cutPower(look) {
          await copyFile(file, image);
          await mounted(image, look);
        },
      }),
    );
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

async function mounted(file: string, look: (folder: string) => Promise<void>): Promise<void> {
  const folder = `${file}-mounted`;
  await mkdir(folder, { recursive: true });
  await run("mount", ["-o", "loop,commit=600", file, folder]);
  try {
    await look(folder);
  } finally {
    // At once, whoever still writes there: nobody waits for them.
    await run("umount", ["-l", folder]);
  }
}

/** Why this machine cannot make devices; `undefined` if it can. */
export function whyNoDevices(): string | undefined {
  if (process.platform !== "linux") return "it needs Linux";
  if (process.getuid?.() !== 0) return "it needs root";
  const root = mkdtempSync(join(tmpdir(), "legion-probe-"));
  const file = join(root, "device");
  try {
    writeFileSync(file, "");
    truncateSync(file, 4_194_304);
    execFileSync("mkfs.ext4", ["-q", "-F", file], { stdio: "ignore" });
    execFileSync("mount", ["-o", "loop", file, root], { stdio: "ignore" });
    execFileSync("umount", [root], { stdio: "ignore" });
    return undefined;
  } catch {
    return "this machine cannot mount a file";
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}
