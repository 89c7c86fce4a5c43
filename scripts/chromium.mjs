// Brings a Chromium for the tests and the bench: a person's legion takes the browser that is there. Plain JavaScript on
// Node alone.

import { hasAptGet, installPackages, isProgram, isRoot, onPath, provide } from "./debian.mjs";
import { say } from "./repo.mjs";

const NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
const USUAL_PLACES = [
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
  "C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe",
];

/**
 * Looks without changing anything: the file that PUPPETEER_EXECUTABLE_PATH names, then PATH, then the usual places.
 * @returns {string | undefined}
 */
export function findChromium() {
  const named = process.env.PUPPETEER_EXECUTABLE_PATH;
  return (named ? [named] : [...onPath(NAMES), ...USUAL_PLACES]).find(isProgram);
}

export function provideChromium() {
  return provide({
    name: "Chromium",
    program: "Chromium",
    way: "Install Chromium or Chrome, or name one in PUPPETEER_EXECUTABLE_PATH.",
    find: findChromium,
    bring,
  });
}

function bring() {
  const named = process.env.PUPPETEER_EXECUTABLE_PATH;
  if (named) {
    say(`PUPPETEER_EXECUTABLE_PATH=${named} is no program.`);
  } else if (isRoot && hasAptGet()) {
    installPackages(["chromium"], "Tests of the web need Chromium");
  }
}
