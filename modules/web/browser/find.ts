// Which browser of this machine reads pages. Looks and changes nothing, so that `legion doctor` can ask too.

import { accessSync, constants, statSync } from "node:fs";
import { platform } from "node:os";
import { delimiter, isAbsolute, join } from "node:path";

export interface BrowserSearch {
  /** What a person configured: this one or none. */
  readonly path?: string;
  /** PUPPETEER_EXECUTABLE_PATH in it means this one or none; else PATH, and on Windows the folders of programs. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

const NAMES = [
  "chromium",
  "chromium-browser",
  "google-chrome",
  "google-chrome-stable",
  "chrome",
  "microsoft-edge",
];
const WINDOWS_NAMES = ["chrome.exe", "chromium.exe", "msedge.exe"];

const LINUX_PLACES = [
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome-stable",
  "/opt/google/chrome/chrome",
  "/snap/bin/chromium",
  "/usr/bin/microsoft-edge",
];
const MAC_PLACES = ["Google Chrome", "Chromium", "Microsoft Edge"].map(
  (name) => `/Applications/${name}.app/Contents/MacOS/${name}`,
);
const WINDOWS_FOLDERS = ["PROGRAMFILES", "PROGRAMFILES(X86)", "LOCALAPPDATA"];
const WINDOWS_PLACES = ["Google/Chrome", "Chromium", "Microsoft/Edge"];

/** The file to run; `undefined` if there is none, or if the one that was named is no program. */
export function findBrowser({ path, env }: BrowserSearch): string | undefined {
  const named = path ?? env["PUPPETEER_EXECUTABLE_PATH"];
  const candidates = named ? [named] : [...onPath(env["PATH"] ?? ""), ...usualPlaces(env)];
  const found = candidates.find(isProgram);
  return found && behindScript(found);
}

function onPath(path: string): readonly string[] {
  // npm puts what a project's packages bring first; a relative folder is wherever somebody happens to be.
  const folders = path
    .split(delimiter)
    .filter((folder) => isAbsolute(folder) && !/[\\/]node_modules[\\/]/.test(folder));
  const names = platform() === "win32" ? WINDOWS_NAMES : NAMES;
  return names.flatMap((name) => folders.map((folder) => join(folder, name)));
}

function usualPlaces(env: BrowserSearch["env"]): readonly string[] {
  if (platform() === "darwin") return MAC_PLACES;
  if (platform() !== "win32") return LINUX_PLACES;
  const folders = WINDOWS_FOLDERS.flatMap((name) => env[name] ?? []);
  return folders.flatMap((folder) =>
    WINDOWS_PLACES.flatMap((place) => WINDOWS_NAMES.map((name) => join(folder, place, "Application", name))),
  );
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}

/** Debian's /usr/bin/chromium is a script that adds switches and extensions for a person at a screen. */
function behindScript(file: string): string {
  const program = "/usr/lib/chromium/chromium";
  return file === "/usr/bin/chromium" && isProgram(program) ? program : file;
}
