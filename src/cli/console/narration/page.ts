// The page that people read: rows of text beside the names of the agents they are about.

import { count } from "../../../base/text/wording.ts";
import { displayName, type AgentId } from "../../../domain/message/message.ts";
import { clip, columnsOf, plain, takeRow, type Look, type Paint } from "../../kit/terminal.ts";

/** One thing that is said of an agent. */
export interface Remark {
  /** One character that tells what it is. */
  readonly mark: string;
  /** Untrusted, of any length. */
  readonly text: string;
  /** How many rows of it are shown at most. */
  readonly maxRows: number;
  readonly look?: Look | undefined;
}

/** A row of a text that comes bit by bit; its mark is empty where it continues the one before. */
export type StreamedRow = Omit<Remark, "maxRows">;

export interface ConsolePage {
  /** Writes a remark, if there is one, under the agent's name, cut after as many rows as it asks for. */
  say(agent: AgentId, remark: Remark | undefined): void;
  /** Writes one row; the name stands before it only where it tells something. */
  go(agent: AgentId, row: StreamedRow): void;
  /** How many columns a row of text has. */
  textColumns(): number;
  /** The colour of an agent's name. */
  lookOf(agent: AgentId): Look;
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
export const NARROW = 60;
const MAX_NAME = 12;
const MIN_TEXT = 16;
/** Where nothing has to fit, this much of a line is shown of what is cut anyway. */
const WIDE = 200;
const LOOKS: readonly Look[] = ["cyan", "magenta", "yellow", "green", "blue"];

/** How an agent is called on a row of so many columns. */
export function shortName(agent: AgentId, columns: number): string {
  return clip(columns < NARROW ? agent : displayName(agent), MAX_NAME);
}

export function createPage({ print, columns, paint, agents }: PageOptions): ConsolePage {
  const looks = new Map(agents.map((agent, index) => [agent, LOOKS[index % LOOKS.length]!]));
  const wide = widest(agents.map((agent) => shortName(agent, NARROW))) + 2;
  const narrow = widest(agents.map((agent) => shortName(agent, 0))) + 1;
  const nameColumns = (): number => (columns() < NARROW ? narrow : wide);
  let written = "";
  let last: AgentId | undefined;

  const lookOf = (agent: AgentId): Look => looks.get(agent) ?? "bold";
  const put = (agent: AgentId | undefined, { mark, text, look }: StreamedRow): void => {
    const name = agent === undefined ? "" : shortName(agent, columns());
    const row = `${" ".repeat(Math.max(1, nameColumns() - columnsOf(name)))}${mark || " "} ${text}`.trimEnd();
    written += `${agent === undefined ? "" : paint(lookOf(agent), name)}${look ? paint(look, row) : row}\n`;
  };
  const textColumns = (): number => Math.max(MIN_TEXT, columns() - nameColumns() - 2);
  return {
    textColumns,
    lookOf,
    say(agent, remark) {
      if (!remark) return;
      const { mark, text, maxRows, look } = remark;
      const [first = "", ...others] = layOut(text, maxRows, Math.min(WIDE, textColumns()));
      put(agent, { mark, text: first, look });
      for (const row of others) put(undefined, { mark: "", text: row, look });
      last = agent;
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

export function widest(cells: readonly string[]): number {
  return cells.reduce((width, cell) => Math.max(width, columnsOf(cell)), 0);
}

/** The first `maxRows` rows of a text, with a word on how much is missing. */
function layOut(text: string, maxRows: number, columns: number): readonly string[] {
  const all = plain(text).trim().split("\n");
  const lines = all.length > maxRows ? all.filter((line) => line.trim() !== "") : all;
  const rows: string[] = [];
  let rest = "";
  while (rows.length < maxRows && (rest !== "" || lines.length > 0)) {
    const line = rest || lines.shift()!.trimEnd();
    const indent = /^ */.exec(line)![0].slice(0, Math.floor(columns / 2));
    const taken = takeRow(line, columns);
    rest = taken.rest && indent + taken.rest;
    rows.push(taken.row);
  }
  if (rest === "" && lines.length === 0) return rows;
  const missing = lines.length > 0 ? `… (${count(lines.length, "more line")})` : "…";
  const lastRow = clip(rows.pop()!, columns - columnsOf(missing) - 1);
  return [...rows, `${lastRow.replace(/…$/, "")} ${missing}`];
}
