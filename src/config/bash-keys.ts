// How an agent acts in bash alone, as the front matter of its definition says it.

import { z } from "zod";
import { LegionError } from "../base/errors.ts";
import type { BashSettings } from "../domain/task-templates.ts";
import { duration, section } from "./files/settings.ts";

const TEXT = "expected a text; put it in quotes, or behind |";
const template = z.string(TEXT);

/** Keys of front matter that only such an agent has. */
export const bashKeys = {
  templates: section({
    system: template.optional(),
    instance: template,
    observation: template,
    formatError: template,
    timeout: template.optional(),
  }).optional(),
  actionRegex: z.string(TEXT).optional(),
  formatErrors: z.int("expected a whole number").min(0, "expected at least 0").optional(),
  commandTimeout: duration.refine((ms) => ms > 0, "expected a duration above 0, such as 30s").optional(),
};

type BashKeys = { readonly [Key in keyof typeof bashKeys]?: z.output<(typeof bashKeys)[Key]> };

/** It has one module, and its history is its log. */
const NOT_WITH_BASH = ["modules", "actions", "memory", "skills", "mcp", "guides", "receipts"] as const;

const DEFAULT_FORMAT_ERRORS = 3;
const DEFAULT_TIMEOUT_MS = 30_000;

/** What of front matter goes only with another protocol. */
export function checkProtocol(
  front: BashKeys & { readonly protocol?: string },
  context: z.core.$RefinementCtx,
): void {
  const refuse = (key: string, message: string): void =>
    context.addIssue({ code: "custom", path: [key], message, input: front });
  const said = (key: string): boolean => (front as Readonly<Record<string, unknown>>)[key] !== undefined;
  if (front.protocol !== "bash")
    for (const key of Object.keys(bashKeys).filter(said)) refuse(key, "only for `protocol: bash`");
  else for (const key of NOT_WITH_BASH.filter(said)) refuse(key, "not for `protocol: bash`; leave it out");
}

/** @param body the text below the front matter. Throws CONFIG, naming the file, for what is missing or there twice. */
export function bashSettings(
  { templates, actionRegex, formatErrors, commandTimeout = DEFAULT_TIMEOUT_MS }: BashKeys,
  { file, body }: { readonly file: string; readonly body: string },
): BashSettings {
  if (!templates)
    throw new LegionError(
      "CONFIG",
      `${file}:1: "templates" is missing: instance, observation and formatError`,
    );
  const { system = body } = templates;
  if (system.trim() === "")
    throw new LegionError(
      "CONFIG",
      `${file}:1: what it is told stands below the front matter, and nothing does`,
    );
  if (templates.system !== undefined && body !== "")
    throw new LegionError(
      "CONFIG",
      `${file}:1: what it is told stands below, and in templates.system: keep one`,
    );
  return {
    templates: { ...templates, system },
    actionRegex,
    calls: "auto",
    formatErrors: formatErrors ?? DEFAULT_FORMAT_ERRORS,
    timeoutMs: commandTimeout,
    explain: (what, fault) => `${file}: ${placeOf(what, templates)}: ${fault}`,
    variables: { timeout: commandTimeout / 1_000 },
  };
}

/** For people. */
function placeOf(
  what: Parameters<NonNullable<BashSettings["explain"]>>[0],
  templates: NonNullable<BashKeys["templates"]>,
): string {
  if (what === "actionRegex") return what;
  return what === "system" && templates.system === undefined
    ? "the text below the front matter"
    : `templates.${what}`;
}
