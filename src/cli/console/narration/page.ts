// The page that people read: rows of text beside the names of the agents they are about.

import { displayName, type AgentId } from "../../../domain/message.ts";
import { clip, columnsOf, plain, takeRow, type Look, type Paint } from "../../kit/terminal.ts";

/** One thing that is said of an agent. */
export interface Remark {
  /** One character that tells what it is. */
  readonly mark: string;
  /** Untrusted, of any length. */
  readonly text: string;
  /** How many rows of it are shown at most. */
  readonly maxRows: number;
  readonly look?: Look;
}

/** A row of a text that comes bit by bit. */
export interface StreamedRow extends Pick<Remark, "text" | "look"> {
  /** Empty for rows that continue the one before. */
  readonly mark: string;
}

export interface ConsolePage {
  /** Writes a remark under the agent's name, cut after as many rows as it asks for. */
  say(agent: AgentId, remark: Remark): void;
  /** Writes one row; the name stands before it only where it tells something. */
  go(agent: AgentId, row: StreamedRow): void;
  /** How many columns a row of text has. */
  textColumns(): number;
  /** Hands over what was written since. */
  flush(): void;
}

export interface PageOptions {
  /** Takes whole rows, each with a newline at its end. */
  readonly print: (rows: string) => void;
  /** Infinity where nothing has to fit. */
  readonly columns: () => number;
  readonly paint: Paint;
  readonly agents: readonly AgentId[];
}

/** Below this, agents go by their ids. */
const NARROW = 60;
const MAX_NAME = 12;
const MIN_TEXT = 16;
/** Where nothing has to fit, this much of a line is shown of what is cut anyway. */
const WIDE = 200;
const LOOKS: readonly Look[] = ["cyan", "magenta", "yellow", "green", "blue"];

/** The colour of the name of the agent that is the `index`th of its node, from 0. */
export function lookOf(index: number): Look {
  return LOOKS[index % LOOKS.length]!;
}

export function createPage({ print, columns, paint, agents }: PageOptions): ConsolePage {
  const looks = new Map(agents.map((agent, index) => [agent, lookOf(index)]));
  const wide = { nameOf: displayName, width: widest(agents.map(displayName)) + 2 };
  const narrow = { nameOf: (agent: AgentId) => agent, width: widest(agents) + 1 };
  const names = () => (columns() < NARROW ? narrow : wide);
  let written = "";
  let last: AgentId | undefined;

  const put = (agent: AgentId | undefined, { mark, text, look }: StreamedRow): void => {
    const { nameOf, width } = names();
    const name = agent === undefined ? "" : clip(nameOf(agent), MAX_NAME);
    const row = `${" ".repeat(Math.max(1, width - columnsOf(name)))}${mark || " "} ${text}`.trimEnd();
    written += `${paint(looks.get(agent ?? "") ?? "bold", name)}${look ? paint(look, row) : row}\n`;
  };
  const textColumns = (): number => Math.max(MIN_TEXT, columns() - names().width - 2);
  return {
    textColumns,
    say(agent, { text, maxRows, ...remark }) {
      const rows = layOut(text, maxRows, Math.min(WIDE, textColumns()));
      rows.forEach((row, index) =>
        put(index === 0 ? agent : undefined, { ...remark, text: row, ...(index > 0 && { mark: "" }) }),
      );
      last = undefined;
    },
    go(agent, row) {
      put(row.mark === "" && last === agent ? undefined : agent, row);
      last = agent;
    },
    flush() {
      if (written !== "") print(written);
      written = "";
    },
  };
}

function widest(names: readonly string[]): number {
  return Math.min(
    MAX_NAME,
    names.reduce((width, name) => Math.max(width, name.length), 1),
  );
}

/** The first `maxRows` rows of a text, with a word on how much is missing. */
function layOut(text: string, maxRows: number, columns: number): readonly string[] {
  const all = plain(text).trim().split("\n");
  const lines = all.length > maxRows ? all.filter((line) => line.trim() !== "") : all;
  const rows: string[] = [];
  let rest = "";
  while (rows.length < maxRows && (rest !== "" || lines.length > 0)) {
    const taken = takeRow(rest || lines.shift()!.trimEnd(), columns);
    rest = taken.rest;
    rows.push(taken.row);
  }
  if (rest === "" && lines.length === 0) return rows;
  const missing =
    lines.length > 0 ? `… (${lines.length} more ${lines.length === 1 ? "line" : "lines"})` : "…";
  const lastRow = clip(rows.pop()!, columns - columnsOf(missing) - 1);
  return [...rows, `${lastRow.replace(/…$/, "")} ${missing}`];
}
