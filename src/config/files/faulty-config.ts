// Where a config.yaml in which something is wrong says that the legion is. A legion must not be taken for another one: what
// may mean that and cannot be read is refused.

import { fileSettings, type FileSettings } from "./config-schema.ts";
import { nearest } from "../../base/text/nearest.ts";
import { section } from "./settings.ts";
import { parseYaml, type YamlText } from "./yaml.ts";

const KEYS = Object.keys(fileSettings.shape);
const KEY = /^(["']?)([\w-]+)\1\s*:/;
const BUS = /\bbus\b|\brediss?:/i;

/** Absent: nothing is said of it. Rejects with CONFIG. */
export async function busIn(source: YamlText): Promise<FileSettings["bus"]> {
  const isAboutIt = (line: string): boolean => means(line, "bus") || BUS.test(line);
  return (await parseYaml(only(source, isAboutIt), section({ bus: fileSettings.shape.bus }))).bus;
}

/** Absent: nothing is said of it. Rejects with CONFIG. */
export async function nameIn(source: YamlText): Promise<FileSettings["name"]> {
  const isAboutIt = (line: string): boolean => means(line, "name");
  return (await parseYaml(only(source, isAboutIt), section({ name: fileSettings.shape.name }))).name;
}

/** Is it the line of the key, perhaps misspelt? */
function means(line: string, key: string): boolean {
  const written = KEY.exec(line)?.[2];
  return written !== undefined && nearest(written, KEYS)[0] === key;
}

/** All other lines are empty: what is refused still names the line of the file. */
function only(source: YamlText, isWanted: (line: string) => boolean): YamlText {
  const lines = source.text.split(/\r?\n/).map((line) => line.replace(/(^|\s)#.*$/, ""));
  return { ...source, text: lines.map((line) => (isWanted(line) ? line : "")).join("\n") };
}
