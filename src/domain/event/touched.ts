/** What a call touched outside its agent, in the order that the node of its workspace knows. */
export interface Touched {
  /** Names the node's count of the writes that it knows of; the names of later counts come after it. */
  readonly count: string;
  /** Of the workspace: absolute, real. */
  readonly root: string;
  /** How many writes were known when the call began. */
  readonly from: number;
  /** Its number among them; absent: it wrote nothing. */
  readonly n?: number;
  /** Real paths, relative to the workspace where they are in it; empty for all of it. Absent: none. */
  readonly read?: readonly string[];
  /** The same. Of a command absent: nobody knows. */
  readonly wrote?: readonly string[];
  /** The command, or the call that does not say what it touches: it may have read anything. */
  readonly ran?: string;
}
