// One rule of a policy: `run npm test`, `write docs/**`, `net *.example.com:443`.

import { LegionError } from "../../base/errors.ts";
import { nearest } from "../../base/text/nearest.ts";
import { HOLE, readCommandLine, type CommandLine, type Words } from "./command-line.ts";
import { meaningsOf, nameOf, type Meaning } from "./meanings.ts";
import { ANY, fitsAll, fitsText, meet, readWildcard, type Wildcard } from "./wildcard.ts";

/** One thing outside of its agent that a call touches. */
export type Touch =
  /** Absolute paths: as it was asked for, and where that leads with every link resolved. */
  | { readonly kind: "read" | "write"; readonly asked: string; readonly real: string }
  | { readonly kind: "run"; readonly command: string }
  /** A name in lower case or an address, without brackets. */
  | {
      readonly kind: "net";
      readonly host: string;
      readonly port: number;
      /** The whole address, where one was named. */
      readonly url?: string;
      /** `command`: reached by what a command runs; `choice`: by the runtime, where a person said so; `agent`: where the agent did. */
      readonly by: "agent" | "choice" | "command";
    }
  | { readonly kind: "send"; readonly to: string }
  /** A call of an action that does not say what it touches, with its parameters as JSON. */
  | { readonly kind: "anything"; readonly call: string }
  /** The action that is called: every call has one. */
  | { readonly kind: "action"; readonly name: string };

export type Subject = Exclude<Touch["kind"], "anything">;
export const SUBJECTS = [
  "action",
  "read",
  "write",
  "run",
  "net",
  "send",
] as const satisfies readonly Subject[];

/** `allow` needs certainty, the others a suspicion. */
export type RuleUse = "deny" | "ask" | "allow";

export interface Rule {
  /** As it was written. */
  readonly text: string;
  readonly subject: Subject;
  fits(touch: Touch, use: RuleUse): boolean;
}

/** What a relative path of a rule begins in. */
export interface RulePlaces {
  /** Absolute. */
  readonly workspace: string;
  /** `~`, absolute. */
  readonly home: string;
}

/** Throws USAGE with what would be right. */
export function parseRule(text: string, places: RulePlaces): Rule {
  const [, subject = "", pattern = ""] = /^\s*(\S+)(?:\s+([^]*?))?\s*$/.exec(text) ?? [];
  const known = SUBJECTS.find((one) => one === subject);
  if (!known) throw refusal(text, adviceOn(subject));
  if (pattern === "") throw refusal(text, `say what after it, such as ${EXAMPLES[known]}`);
  return { text: `${known} ${pattern}`, subject: known, fits: FITTING[known](pattern, places) };
}

/** The rule as it is kept. Throws as `parseRule` does. */
export function checkRule(text: string): string {
  return parseRule(text, { workspace: "/", home: "/" }).text;
}

const EXAMPLES: Readonly<Record<Subject, string>> = {
  action: "action mcp__*",
  read: "read secrets/**",
  write: "write docs/**",
  run: "run npm test",
  net: "net *.example.com",
  send: "send 2",
};

function adviceOn(subject: string): string {
  const [meant] = nearest(subject, SUBJECTS);
  return meant ? `did you mean ${meant} ...?` : `write one of ${Object.values(EXAMPLES).join(", ")}`;
}

function refusal(text: string, advice: string): LegionError {
  return new LegionError("USAGE", `${JSON.stringify(text)} is no rule; ${advice}`);
}

type Fits = Rule["fits"];
type MakeFits = (pattern: string, places: RulePlaces) => Fits;

const FITTING: Readonly<Record<Subject, MakeFits>> = {
  action: named((touch) => touch.kind === "action" && touch.name),
  send: named((touch) => touch.kind === "send" && touch.to),
  read: pathFits("read"),
  write: pathFits("write"),
  run: commandFits,
  net: hostFits,
};

function named(nameOf: (touch: Touch) => string | false): MakeFits {
  return (pattern) => {
    const wildcard = readWildcard(pattern);
    const folded = readWildcard(pattern.toLowerCase());
    return (touch, use) => {
      const name = nameOf(touch);
      if (name === false) return false;
      return use === "allow" ? fitsText(wildcard, name) : fitsText(folded, name.toLowerCase());
    };
  };
}

/** `*` within one name, `**` over several; what names a folder means all that is in it. */
function pathFits(kind: "read" | "write"): MakeFits {
  return (pattern, { workspace, home }) => {
    const [, inHome] = /^~(?:\/([^]*)|$)/.exec(pattern) ?? [];
    const isHome = pattern === "~" || inHome !== undefined;
    const from = pattern.startsWith("/") ? "" : isHome ? home : workspace;
    const written = namesOf(`${from}/${isHome ? (inHome ?? "") : pattern}`);
    const plain = readParts([...written, "**"]);
    const folded = readParts([...written.map(foldCase), "**"]);
    return (touch, use) => {
      if (touch.kind !== kind) return false;
      const { names, foldedNames } = namesOnce(touch);
      return use === "allow"
        ? names.every((one) => fitsAll(plain, one, fitsText))
        : foldedNames.some((one) => fitsAll(folded, one, fitsText));
    };
  };
}

interface TouchedNames {
  /** Of the path as it was asked for, and of where it leads if that is another. */
  readonly names: readonly (readonly string[])[];
  readonly foldedNames: readonly (readonly string[])[];
}

/** Many rules are held against one path. */
const NAMES = new WeakMap<Touch, TouchedNames>();

function namesOnce(touch: Touch & { readonly kind: "read" | "write" }): TouchedNames {
  let known = NAMES.get(touch);
  if (!known) {
    const names = [...new Set([touch.asked, touch.real])].map(namesOf);
    const foldedNames = names.map((one) => one.map(foldCase));
    NAMES.set(touch, (known = { names, foldedNames }));
  }
  return known;
}

function readParts(names: readonly string[]): readonly (Wildcard | typeof ANY)[] {
  return names.map((name) => (name === "**" ? ANY : readWildcard(name)));
}

/** The names of a path; `.` and `..` are taken as they are meant. */
function namesOf(path: string): readonly string[] {
  const names: string[] = [];
  for (const name of path.split("/")) {
    if (name === "..") names.pop();
    else if (name !== "" && name !== ".") names.push(name);
  }
  return names;
}

/** Some file systems take these for the same. */
function foldCase(name: string): string {
  return name.normalize("NFKC").toLowerCase();
}

/** As in paths, `**` is no less than `*`. */
const isOpenWord = (word: string): boolean => /^\*+$/.test(word);

/**
 * The words of a simple command; `*` within one word, a last word `*` is any further ones. `*` alone is every command, and a
 * command that is written just like the pattern fits whatever is in it.
 */
function commandFits(pattern: string): Fits {
  if (isOpenWord(pattern)) return (touch) => touch.kind === "run";
  const words = pattern.split(/\s+/);
  const isPlain = !pattern.includes("*");
  const isOpen = isOpenWord(words.at(-1)!);
  const wanted = words.map((word, at) => (isOpen && at === words.length - 1 ? ANY : readWildcard(word)));
  return (touch, use) => {
    if (touch.kind !== "run") return false;
    const { written, line, meanings } = readOnce(touch);
    if (isPlain && written === pattern) return true;
    if (use !== "allow") return meanings.some((meaning) => mayMean(wanted, meaning));
    const { parts, unread } = line;
    return unread === undefined && parts.length > 0 && parts.every((part) => fitsAll(wanted, part, fitsText));
  };
}

interface ReadCommand {
  /** Without the space around it. */
  readonly written: string;
  readonly line: CommandLine;
  readonly meanings: readonly Meaning[];
}

/** Many rules are held against one command. */
const READ = new WeakMap<Touch, ReadCommand>();

function readOnce(touch: Touch & { readonly kind: "run" }): ReadCommand {
  let read = READ.get(touch);
  if (!read) {
    const line = readCommandLine(touch.command);
    const written = touch.command.replace(/^[ \t\n]+|[ \t\n]+$/g, "");
    READ.set(touch, (read = { written, line, meanings: meaningsOf(line) }));
  }
  return read;
}

type CommandPattern = readonly (Wildcard | typeof ANY)[];

/** Is there a way to fill the holes with which it is what is `wanted`? */
function mayMean(wanted: CommandPattern, { words, hasHoles, isWithin }: Meaning): boolean {
  const [program] = wanted;
  const fits = (part: Wildcard, word: string): boolean =>
    mayBe(part, word) || (part === program && mayBe(part, nameOf(word)));
  const pattern: CommandPattern = isWithin ? [ANY, ...wanted] : wanted;
  return hasHoles ? meet(pattern, withHoles(words), fits) : fitsAll(pattern, words, fits);
}

function withHoles(words: Words): readonly (string | typeof ANY)[] {
  return words.map((word) => (word.replaceAll(HOLE, "") === "" && word !== "" ? ANY : word));
}

function mayBe(part: Wildcard, word: string): boolean {
  if (!word.includes(HOLE)) return fitsText(part, word);
  const characters = Array.from(word, (character) => (character === HOLE ? ANY : character));
  return meet(Array.from(part), characters, (one, other) => one === other);
}

/** `*` within one label of a name, `**` over several; without a port all are meant. */
function hostFits(pattern: string): Fits {
  const [, bracketed, name = "", digits] =
    /^(?:\[([^\]]*)\]|([^:[\]/\s]+))(?::(\d{1,5}))?$/.exec(pattern) ?? [];
  const host = hostname(bracketed === undefined ? name : `[${bracketed}]`);
  const port = digits === undefined ? undefined : Number(digits);
  if (host === undefined || port === 0 || (port ?? 1) > 65_535)
    throw refusal(`net ${pattern}`, "write a host such as example.com, *.example.com or [::1]:8080");
  const labels = host.split(".").map((label) => (label === "**" ? ANY : readWildcard(label)));
  return (touch) =>
    touch.kind === "net" &&
    (port === undefined || touch.port === port) &&
    fitsAll(labels, touch.host.split("."), fitsText);
}

/** As URLs have it; `undefined` for what none has. A `*` stands for letters there. */
function hostname(text: string): string | undefined {
  const STAR = "wildcard0";
  if (text.includes(STAR)) return undefined;
  const url = `http://${text.toLowerCase().replaceAll("*", STAR)}`;
  if (!URL.canParse(url)) return undefined;
  return new URL(url).hostname.replaceAll(STAR, "*").replace(/^\[|\]$|\.$/g, "");
}
