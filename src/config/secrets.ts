// Which values nobody may be shown: keys and passwords that the runtime knows of, the variables that somebody named, and what
// in the project's `.env` is a secret by its name or by its looks.

import type { Secret } from "../base/redaction/redactor.ts";
import type { Variables } from "../base/process/variables.ts";
import type { Notify } from "./files/person-config.ts";

/** Those that are taken out of the environment of the process, before anything else is loaded: cli/kit/keys.ts. */
const SERVICE_KEY = /^(?:ANTHROPIC|OPENAI|GOOGLE|BRAVE|TAVILY)_(?:.*_)?(?:KEY|TOKEN|SECRET)$/;
/** Addresses that may have a password in them. */
const SERVICE_ADDRESS = /^(?:(?:ANTHROPIC|OPENAI|GOOGLE|BRAVE|TAVILY|SEARXNG)_(?:.*_)?URL|LEGION_BUS)$/;

export interface SecretSources {
  readonly env: Variables;
  readonly dotEnv: Variables;
  /** What entries of MCP servers name of an environment or of headers. */
  readonly servers?: readonly Variables[];
  /** Variables whose values are secrets, whatever they look like. */
  readonly named: readonly string[];
  /** Where the legion is kept. */
  readonly bus?: { readonly kind: string; readonly address?: { readonly password?: string } };
  /** Where a person is told that they are wanted. */
  readonly notify?: Notify;
}

/** Some may be too short, or too common, to be hidden. */
export function secretsOf({
  env,
  dotEnv,
  servers = [],
  named,
  bus,
  notify,
}: SecretSources): readonly Secret[] {
  const isWanted = (name: string): boolean => SERVICE_KEY.test(name) || named.includes(name);
  const password = bus?.address?.password;
  return [
    ...secretsIn(env, isWanted, (name) => named.includes(name) || SERVICE_ADDRESS.test(name)),
    ...[dotEnv, ...servers].flatMap((variables) => [
      ...secretsIn(
        variables,
        (name, value) => isWanted(name) || saysSecret(name, value) || looksRandom(value),
        () => true,
      ),
    ]),
    ...traceHeadersIn(env),
    ...(password ? formsOfPassword(password).map((value) => ({ name: "bus", value })) : []),
    ...(notify?.kind === "url" ? passwordsIn(notify.url) : []).map((value) => ({ name: "notify", value })),
  ];
}

/** What collectors of traces are shown, in headers: all of each value, and what follows the word that says of which kind it is. */
function* traceHeadersIn(env: Variables): Generator<Secret> {
  for (const [name, text = ""] of Object.entries(env)) {
    if (!/^OTEL_EXPORTER_OTLP_(?:.*_)?HEADERS$/.test(name)) continue;
    for (const part of text.split(",")) {
      const given = part.slice(part.indexOf("=") + 1).trim();
      for (const value of new Set([given, decoded(given)]))
        yield* [value, ...value.split(" ").slice(1)].map((one) => ({ name, value: one }));
    }
  }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * @param isSecret is all of the value one?
 * @param mayHold may the value be an address with a password?
 */
function* secretsIn(
  variables: Variables,
  isSecret: (name: string, value: string) => boolean,
  mayHold: (name: string) => boolean,
): Generator<Secret> {
  for (const [name, given = ""] of Object.entries(variables)) {
    const value = given.trim();
    if (isSecret(name, value))
      for (const part of [value, ...linesOf(value), ...credentialsIn(value)]) yield { name, value: part };
    if (mayHold(name)) for (const password of passwordsIn(value)) yield { name, value: password };
  }
}

/** Is any of the value a secret, where somebody gives it this name? */
export function isSecretAs(name: string, value: string): boolean {
  return secretsOf({ env: {}, dotEnv: { [name]: value }, named: [] }).length > 0;
}

const HIDDEN = "***";

/** Words of a command line as they may be shown: of `API_KEY=abc`, of what follows `--api-key`, and of what looks like one, only the name. */
export function withoutSecrets(words: readonly string[]): readonly string[] {
  return words.map((word, index) => {
    const [, name = "", value = ""] = /^(?:-+[\w-]+=)?([\w.-]+)=(.*)$/s.exec(word) ?? [];
    if (value !== "" && isSecretAs(name, value)) return word.slice(0, -value.length) + HIDDEN;
    const option = /^-+[\w-]+$/.test(words[index - 1] ?? "") ? words[index - 1]! : "word";
    return isSecretAs(option, word) ? HIDDEN : word;
  });
}

/** As a header has them: `Bearer abc`. */
function credentialsIn(value: string): readonly string[] {
  return /^(?:Bearer|Basic|Token) +(\S+)$/i.exec(value)?.slice(1) ?? [];
}

/** What reads a file shows it line by line: those of a long key are secrets themselves. */
function linesOf(value: string): readonly string[] {
  const lines = value.split(/\r?\n/);
  return lines.length > 1 ? lines.map((line) => line.trim()).filter(looksRandom) : [];
}

const ADDRESS_WITH_USER = /^[a-z][a-z0-9+.-]*:\/\/([^/?#\s]*)@/i;

/** That of an address, as it is written there and as it is meant. */
function passwordsIn(value: string): readonly string[] {
  const user = ADDRESS_WITH_USER.exec(value)?.[1] ?? "";
  const at = user.indexOf(":");
  return at === -1 ? [] : formsOfPassword(user.slice(at + 1));
}

function formsOfPassword(password: string): readonly string[] {
  try {
    return [...new Set([password, decodeURIComponent(password)])];
  } catch {
    return [password];
  }
}

const SECRET_PART =
  /(?:KEY|TOKEN|SECRET|DSN|PASS|PASSWD|PASSWORD|PASSWORT|PASSPHRASE|PASSCODE|CREDENTIAL|AUTH)S?\d*$|^(?:KEY|PASS|TOKEN|SECRET|AUTHORIZ|AUTHENT)/i;
/** Names of things that have such a part and hold no secret. */
const ORDINARY_PART =
  /^(?:KEYBOARD|KEYWORD|KEYCLOAK|PASSIVE|PASSENGER|PASSPORT|PASSTHROUGH|MONKEY|TURKEY|COMPASS|BYPASS)S?$/i;

/** Does the name say that the value is a secret? Where a server is, without a word more, is none. */
function saysSecret(name: string, value: string): boolean {
  const parts = name.replace(/([a-z])([A-Z])/g, "$1_$2").split(/[^A-Za-z0-9]+/);
  if (!parts.some((part) => SECRET_PART.test(part) && !ORDINARY_PART.test(part))) return false;
  return !isPlainAddress(value);
}

function isPlainAddress(value: string): boolean {
  if (!/^https?:\/\//i.test(value) || !URL.canParse(value)) return false;
  const { username, password, search, pathname } = new URL(value);
  return `${username}${password}${search}` === "" && !looksRandom(pathname.slice(1));
}

const LEAST_RANDOM = 20;
/** Of all neighbours, so many are of different kinds: capitals, small letters, digits. */
const LEAST_CHANGES = 1 / 6;

/** Long, in one piece, and with letters of both cases or digits as no word, name, path or number mixes them. */
function looksRandom(value: string): boolean {
  if (value.length < LEAST_RANDOM || !/^[\w+/=.~:$!@#%^&*-]+$/.test(value) || value.includes("://"))
    return false;
  let changes = 0;
  for (let at = 1; at < value.length; at++) {
    const [before, now] = [kindOf(value[at - 1]!), kindOf(value[at]!)];
    if (before !== "" && now !== "" && before !== now) changes++;
  }
  return changes >= value.length * LEAST_CHANGES;
}

function kindOf(character: string): "capital" | "small" | "digit" | "" {
  if (/[0-9]/.test(character)) return "digit";
  if (/[a-z]/.test(character)) return "small";
  return /[A-Z]/.test(character) ? "capital" : "";
}
