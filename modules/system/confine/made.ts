import { join } from "node:path";
import type { Host } from "../../../src/domain/authoring/host.ts";

/** Tells that the folders of those names, one in the other, are about to be made in the folder `start`. */
export async function tellMade(host: Host, start: string, names: readonly string[]): Promise<void> {
  if (names.length === 0) return;
  const made = names.map((_, index) => join(start, ...names.slice(0, index + 1)));
  const [before, after] = [{ kind: "nothing" }, { kind: "folder" }] as const;
  await host.replacing(() => Promise.resolve(made.map((path) => ({ path, before, after }))));
}
