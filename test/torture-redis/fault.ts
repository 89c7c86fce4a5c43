// What a checker of the torture test in Redis may find, and what it counts.

import type { Fault as FaultInFiles, Figures as FiguresInFiles } from "../torture/fault.ts";

export type Fault =
  | FaultInFiles
  /** Of two processes each believed to be the only one, and both were believed. */
  | "two owners"
  /** Something was done by one that had lost the right, after its successor had begun. */
  | "late"
  | "not given back"
  /** More model calls than the limit allows, or than were reserved. */
  | "limit"
  | "mailbox"
  /** A node ended by itself. */
  | "crashed";

export type Report = (fault: Fault, text: string) => void;

export interface Violation {
  readonly fault: Fault;
  readonly text: string;
}

export interface Figures extends Omit<FiguresInFiles, "leftovers"> {
  /** How often somebody got an agent. */
  readonly takings: number;
  readonly said: number;
  readonly steps: number;
}
