import { z } from "zod";
import type { Host } from "../../src/domain/authoring/host.ts";

const settings = z.object({
  /** `off`, or the path of the program; absent: the one that is found. */
  browser: z.string().optional(),
  /** Absent: nobody set up a search. */
  search: z
    .union([
      z.object({
        provider: z.enum(["google", "brave", "tavily", "searxng"]),
        baseUrl: z.string().optional(),
      }),
      /** Somebody did, but so that it cannot work: one sentence. */
      z.object({ problem: z.string() }),
    ])
    .optional(),
  /** What the search provider wants to see, by its variable. A function, so that no listing of the settings shows it. */
  keys: z.custom<() => Readonly<Record<string, string>>>((value) => typeof value === "function").optional(),
});

export type WebSettings = z.output<typeof settings>;

/** What the runtime settled for this module. It has been checked before: throws if that went wrong. */
export function readSettings(given: Host["settings"]): WebSettings {
  return settings.parse(given);
}
