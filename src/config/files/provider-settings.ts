// How providers are reached, as people and programs write it.

import { z } from "zod";
import type { Secret } from "../../base/redaction/redactor.ts";
import type { Variables } from "../../base/process/variables.ts";
import { LegionError } from "../../base/errors.ts";
import type { ProviderSettings } from "../../model/registry/connection.ts";
import { explainIssue } from "./yaml.ts";
import { duration, onOff, section } from "./settings.ts";

const count = z.int("expected a whole number").min(1, "expected at least 1");
const shape = {
  baseUrl: z
    .url({ protocol: /^https?$/, error: "expected a URL such as http://localhost:11434/v1" })
    .optional(),
  stream: onOff.transform((on): "on" | "off" => (on ? "on" : "off")).optional(),
  concurrency: count.optional(),
  maxOutput: count.optional(),
  timeout: duration.optional(),
  first: duration.optional(),
  stall: duration.optional(),
};
const anthropicShape = {
  ...shape,
  apiVersion: z.enum(["2026-10-21", "2023-06-01"], "expected 2026-10-21 or 2023-06-01").optional(),
};

const HEADERS = "expected a map of headers such as { X-Team: ${TEAM_TOKEN} }";
/** Those that say what is sent, and how, are written by who sends it. */
const OURS = /^(?:host|connection|content-.*|transfer-encoding|accept-encoding|upgrade|te|trailer)$/i;
/** Without its scheme it is a secret, too; words of another text are none. */
const WITH_SCHEME = /^(?:bearer|basic|token|key|apikey)\s+(\S+)$/i;
const VALUE = /^[\t\x20-\x7e]*$/;
const headers = z.record(
  z
    .string()
    .regex(/^[\w!#$%&'*+.^`|~-]+$/, "expected the name of a header such as X-Team")
    .refine((name) => !OURS.test(name), "this header is not yours to set"),
  z
    .string("expected a text")
    .max(8_192, "expected at most 8192 characters")
    .regex(VALUE, "expected plain ASCII"),
  HEADERS,
);
const elsewhere = z
  .never({ error: "a project says no headers: write them in your own file, ~/.config/ai-legion/config.yaml" })
  .optional();

/** In a project's config.yaml. */
export const projectProviders = section({
  anthropic: section({ ...anthropicShape, headers: elsewhere })
    .transform(withUnits)
    .optional(),
  openai: section({ ...shape, headers: elsewhere })
    .transform(withUnits)
    .optional(),
});

/** In the person's own file. */
export const personProviders = section({
  anthropic: section({ ...anthropicShape, headers: headers.optional() })
    .transform(withUnits)
    .optional(),
  openai: section({ ...shape, headers: headers.optional() })
    .transform(withUnits)
    .optional(),
});

const key = { apiKey: z.string("expected a text").optional(), headers: headers.optional() };
const programProviders = section({
  anthropic: section({ ...anthropicShape, ...key })
    .transform(withUnits)
    .optional(),
  openai: section({ ...shape, ...key })
    .transform(withUnits)
    .optional(),
});

/**
 * What a program says of providers; it outranks environment and files. Times are milliseconds, or texts such as `90s`:
 * `timeout` of a whole answer, `first` of the silence before it, `stall` of silence within it. `maxOutput`: tokens.
 * `${NAME}` in a header stands for a variable of the environment.
 */
export type ProgramProviders = z.input<typeof programProviders>;

export type PersonProviders = z.output<typeof personProviders>;

type CheckedProviders = z.output<typeof programProviders>;

/** Throws USAGE with one line that names what is wrong. */
export function checkProviders(said: ProgramProviders): CheckedProviders {
  const read = programProviders.safeParse(said, { reportInput: true });
  if (read.success) return read.data;
  throw new LegionError("USAGE", `providers: ${explainIssue(read.error.issues[0]!)}`);
}

/** What a program says of keys and base URLs, as if its environment did. */
export function variablesOf(providers: CheckedProviders): Variables {
  const said = (["anthropic", "openai"] as const).flatMap((name) => [
    [`${name.toUpperCase()}_API_KEY`, providers[name]?.apiKey] as const,
    [`${name.toUpperCase()}_BASE_URL`, providers[name]?.baseUrl] as const,
  ]);
  return Object.fromEntries(said.filter(([, value]) => value !== undefined));
}

/** Who spoke of providers, the last weighs most. */
export interface ProviderLayers {
  readonly person?: PersonProviders;
  readonly project?: z.output<typeof projectProviders>;
  readonly program?: CheckedProviders;
}

/** How each provider is reached, and what of that nobody may be shown. */
export interface Reached {
  readonly providers: Readonly<Record<string, ProviderSettings & { readonly concurrency?: number }>>;
  readonly secrets: readonly Secret[];
}

/**
 * Puts the variables of `env` into the headers. Throws CONFIG for one that is not set, naming who wrote it: `place`, the person's
 * file, or the program.
 */
export function reachOf(
  { person, project, program }: ProviderLayers,
  env: Variables,
  place: string,
): Reached {
  const secrets: Secret[] = [];
  const providers = (["anthropic", "openai"] as const).flatMap((name) => {
    const { apiKey: _, headers: ours, ...fromProgram } = program?.[name] ?? {};
    const { headers: theirs, ...fromPerson } = person?.[name] ?? {};
    const { headers: __, ...fromProject } = project?.[name] ?? {};
    const settings = { ...fromPerson, ...fromProject, ...fromProgram };
    const sent = Object.entries({ ...theirs, ...ours }).map(([header, text]) => {
      const speaker = ours && Object.hasOwn(ours, header) ? "Legion.open" : place;
      const setting = `providers.${name}.headers.${header}`;
      const filled = fillHeader({ setting, text, place: speaker }, env);
      secrets.push(...filled.secrets);
      return [header, filled.value] as const;
    });
    const headers = sent.length === 0 ? undefined : () => Object.fromEntries(sent);
    return headers || Object.keys(settings).length > 0
      ? [[name, { ...settings, ...(headers && { headers }) }] as const]
      : [];
  });
  return { providers: Object.fromEntries(providers), secrets };
}

interface WrittenHeader {
  readonly setting: string;
  readonly text: string;
  readonly place: string;
}

/** What is wrong with a value is said without it. */
function fillHeader({ setting, text, place }: WrittenHeader, env: Variables) {
  const secrets: Secret[] = [];
  const value = text.replace(/\$\{(\w+)\}/g, (_, name: string) => {
    const known = env[name]?.trim();
    if (!known)
      throw new LegionError("CONFIG", `${place}: ${setting}: ${name} is not set in the environment`);
    secrets.push({ name, value: known });
    return known;
  });
  if (!VALUE.test(value))
    throw new LegionError(
      "CONFIG",
      `${place}: ${setting}: a variable in it holds more than the printable ASCII that a header may`,
    );
  const [, token] = WITH_SCHEME.exec(value) ?? [];
  for (const secret of [value, token ?? ""]) secrets.push({ name: setting, value: secret });
  return { value, secrets };
}

function withUnits<
  T extends { readonly first?: number; readonly stall?: number; readonly timeout?: number },
>({ first, stall, timeout, ...rest }: T) {
  return {
    ...rest,
    ...(timeout !== undefined && { timeoutMs: timeout }),
    ...(first !== undefined && { firstMs: first }),
    ...(stall !== undefined && { stallMs: stall }),
  };
}
