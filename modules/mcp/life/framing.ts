// Messages over pipes: one JSON text a line.

const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;
/** What a server prints between two messages is told apart, but not for ever. */
const MAX_PROSE_BYTES = 1024 * 1024;
const MAX_NOTED = 400;
const NEWLINE = 0x0a;

export interface Framing<Message> {
  /** Throws with one sentence where it is too much. */
  take(chunk: Buffer): readonly Message[];
}

/**
 * @param read throws at what is no message
 * @param onProse told what a server prints where only messages belong
 */
export function createFraming<Message>(
  read: (line: string) => Message,
  onProse: (line: string) => void,
): Framing<Message> {
  let pieces: Buffer[] = [];
  let length = 0;
  let prose = 0;
  const end = (): string => {
    const line = Buffer.concat(pieces).toString("utf8").trim();
    pieces = [];
    length = 0;
    return line;
  };
  const readOrNot = (line: string): Message | undefined => {
    try {
      return read(line);
    } catch {
      return undefined;
    }
  };
  const add = (piece: Buffer): void => {
    length += piece.length;
    if (length > MAX_MESSAGE_BYTES) throw new Error("It sent a message of more than 16 MB.");
    pieces.push(piece);
  };
  return {
    take(chunk) {
      const messages: Message[] = [];
      let from = 0;
      for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, from)) {
        add(chunk.subarray(from, at));
        from = at + 1;
        const bytes = length;
        const line = end();
        if (line === "") continue;
        const message = line.startsWith("{") ? readOrNot(line) : undefined;
        if (message !== undefined) {
          messages.push(message);
          prose = 0;
          continue;
        }
        onProse(line.slice(0, MAX_NOTED));
        prose += bytes;
        if (prose > MAX_PROSE_BYTES)
          throw new Error("It printed more than 1 MB that is no message of the protocol.");
      }
      if (from < chunk.length) add(chunk.subarray(from));
      return messages;
    },
  };
}
