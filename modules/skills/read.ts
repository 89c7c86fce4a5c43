// One SKILL.md -> a skill, with notes on what the format would have otherwise (agentskills.io).

import { basename } from "node:path";
import { cleanLine, cleanName } from "./clean.ts";
import { readFrontMatter, textOf } from "./front-matter.ts";

/** What is known of a skill before it is read. */
export interface SkillHead {
  /** Lower-case letters, digits and hyphens, at most 64. */
  readonly name: string;
  /** One line, at most 1,024 characters. */
  readonly description: string;
  /** For people, a line each: what is wrong with it. Empty: it is as the format wants it. */
  readonly notes: readonly string[];
}

const MAX_NAME = 64;
const MAX_DESCRIPTION = 1_024;
const MAX_COMPATIBILITY = 500;
const FIELDS = ["name", "description", "license", "allowed-tools", "metadata", "compatibility"];

/** `folder`: of the skill. `undefined`: it says nothing at all. */
export function readHead(text: string, folder: string): SkillHead | undefined {
  const { fields, body, faults } = readFrontMatter(text);
  const own = basename(folder);
  const name = cleanName(textOf(fields.get("name")), MAX_NAME) || cleanName(own, MAX_NAME);
  const said = cleanLine(textOf(fields.get("description")), MAX_DESCRIPTION);
  const description = said || cleanLine(firstSentence(body), MAX_DESCRIPTION);
  if (name === "" || description === "") return undefined;
  const notes =
    fields.size === 0
      ? faults
      : [...faults, ...notesOnKeys(fields), ...notesOnName(fields, own), ...notesOnTexts(fields)];
  return { name, description, notes: notes.map((note) => cleanLine(note, MAX_NOTE)) };
}

const MAX_NOTE = 300;

/** The first line of the text that is no heading; else the heading. */
function firstSentence(body: string): string {
  const lines = body.slice(0, 10_000).split("\n");
  const line =
    lines.find((each) => /^\s*[^\s#]/.test(each)) ?? lines.find((each) => each.trim() !== "") ?? "";
  return line.replace(/^\s*#+\s*/, "");
}

function notesOnKeys(fields: ReadonlyMap<string, unknown>): readonly string[] {
  const others = [...fields.keys()].filter((key) => !FIELDS.includes(key)).slice(0, 10);
  return others.length === 0 ? [] : [`the format does not know ${others.join(", ")}`];
}

function notesOnName(fields: ReadonlyMap<string, unknown>, folder: string): readonly string[] {
  if (!fields.has("name")) return ["the name is missing; it is called after its folder"];
  const name = textOf(fields.get("name")).trim().normalize("NFKC");
  if (name === "") return ["the name is empty; it is called after its folder"];
  const shown = cleanLine(name, MAX_NAME);
  return [
    ...(name.length > MAX_NAME ? [`the name has ${name.length} characters, more than ${MAX_NAME}`] : []),
    ...(/^[\p{L}\p{M}\p{N}]+(?:-[\p{L}\p{M}\p{N}]+)*$/u.test(name) && name === name.toLowerCase()
      ? []
      : [`the name "${shown}" is not of lower-case letters, digits and single hyphens`]),
    ...(name === folder.normalize("NFKC")
      ? []
      : [`the name "${shown}" is not that of its folder, ${folder}`]),
  ];
}

function notesOnTexts(fields: ReadonlyMap<string, unknown>): readonly string[] {
  const description = textOf(fields.get("description"));
  const compatibility = fields.get("compatibility");
  return [
    ...(description.trim() === "" ? ["the description is missing; the text's first line stands for it"] : []),
    ...(description.length > MAX_DESCRIPTION
      ? [`the description has ${description.length} characters, more than ${MAX_DESCRIPTION}`]
      : []),
    ...(compatibility === undefined ||
    (typeof compatibility === "string" && compatibility.length <= MAX_COMPATIBILITY)
      ? []
      : [`compatibility is no text of at most ${MAX_COMPATIBILITY} characters`]),
  ];
}
