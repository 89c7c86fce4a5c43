// A prompt is the one before it and a little more. Each turn is written once, and what was joined for one prompt is kept
// for the next, which then costs what is new and not the whole history.

import type { Turn } from "../../domain/model.ts";

/** A turn in a provider's form. */
export interface Written {
  /** The message, as JSON, if the turn is one of its own; empty if there is nothing to say. */
  readonly json: string;
  /** Neighbours of the same kind become one message; without a kind a turn stays its own. */
  readonly kind?: string;
}

export interface JoinerOptions<W extends Written> {
  write(turn: Turn): W;
  /** One message of neighbours, at least one. */
  merge(neighbours: readonly W[]): string;
  /** How many of the last messages the caller may still change; at least one, which may get further neighbours. */
  readonly open: number;
}

export interface Joined<W extends Written> {
  /** The first turn that has something to say. */
  readonly first: W | undefined;
  /** The messages that stay as they are, as members of a JSON array. */
  readonly closed: string;
  /** The turns of each message after them. */
  readonly open: W[][];
}

interface MessageSpan<W extends Written> {
  readonly neighbours: W[];
  /** The index of the turn it begins with. */
  readonly from: number;
}

interface Prefix<W extends Written> {
  /** Those that are closed, and the one that begins the first open message: with another one it might be merged. */
  readonly turns: readonly Turn[];
  readonly first: W | undefined;
  readonly closed: string;
}

export function createJoiner<W extends Written>(
  options: JoinerOptions<W>,
): (turns: readonly Turn[]) => Joined<W> {
  const known = new WeakMap<Turn, W>();
  const prefixes = new WeakMap<Turn, Prefix<W>>();
  const write = (turn: Turn): W => {
    let written = known.get(turn);
    if (!written) known.set(turn, (written = options.write(turn)));
    return written;
  };
  const resume = (turns: readonly Turn[]): { prefix?: Prefix<W>; messages: MessageSpan<W>[] } => {
    const prefix = turns[0] && prefixes.get(turns[0]);
    if (prefix?.turns.every((turn, at) => turn === turns[at])) {
      const messages = group(turns, prefix.turns.length - 1, write);
      if (messages.length >= options.open) return { prefix, messages };
    }
    return { messages: group(turns, 0, write) };
  };
  return (turns) => {
    const { prefix, messages } = resume(turns);
    const closing = messages.splice(0, Math.max(0, messages.length - options.open));
    const first = prefix?.first ?? (closing[0] ?? messages[0])?.neighbours[0];
    const joined = closing.map(({ neighbours }) => options.merge(neighbours)).join(",");
    const closed = joinMembers(prefix?.closed ?? "", joined);
    if (closing.length > 0)
      prefixes.set(turns[0]!, { turns: turns.slice(0, messages[0]!.from + 1), first, closed });
    return { first, closed, open: messages.map(({ neighbours }) => neighbours) };
  };
}

function group<W extends Written>(
  turns: readonly Turn[],
  from: number,
  write: (turn: Turn) => W,
): MessageSpan<W>[] {
  const messages: MessageSpan<W>[] = [];
  for (let at = from; at < turns.length; at++) {
    const written = write(turns[at]!);
    if (written.json === "") continue;
    const last = messages.at(-1)?.neighbours;
    if (last && written.kind !== undefined && last[0]!.kind === written.kind) last.push(written);
    else messages.push({ neighbours: [written], from: at });
  }
  return messages;
}

/** Members of a JSON array, without those that are empty. Long ones are not copied. */
export function joinMembers(...members: readonly string[]): string {
  return members.reduce(
    (joined, member) => (joined && member ? `${joined},${member}` : joined || member),
    "",
  );
}
