// A pattern can keep JavaScript busy for ever, and so can a million files: both are left to a thread that can be ended.

import { parentPort, workerData } from "node:worker_threads";
import type { Place, Search } from "./search.ts";
import { walk } from "./walk.ts";

export type Told = readonly (readonly [path: string, places: readonly Place[]])[];

const AT_ONCE = 200;

let told: [string, readonly Place[]][] = [];

function send(): void {
  parentPort?.postMessage(told satisfies Told);
  told = [];
}

walk(workerData as Search, (path, places) => {
  if (told.push([path, places]) >= AT_ONCE) send();
});
send();
