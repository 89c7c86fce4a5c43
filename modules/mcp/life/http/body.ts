// The body of an answer on its way to the library: within bounds, and with an end that is told.

const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;
/** What is no message is passed over, but not for ever: so much of it in a minute. */
const MAX_PROSE_BYTES = 1024 * 1024;
const PROSE_MS = 60_000;
const HEAD_BYTES = 16;
const NEWLINE = 0x0a;

export interface Watched {
  /** Throws, with one sentence, where it is too much. */
  take(chunk: Uint8Array): void;
  /** It is over; `error`: before its time. What is added to it then; `undefined`: it ends as it did. */
  end(error?: unknown): Uint8Array | undefined;
}

export function watch(body: ReadableStream<Uint8Array>, { take, end }: Watched): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  return new ReadableStream({
    async pull(controller) {
      let last: Uint8Array | undefined;
      try {
        const { value } = await reader.read();
        if (value) {
          take(value);
          return controller.enqueue(value);
        }
        last = end();
      } catch (error) {
        void reader.cancel().catch(() => undefined);
        last = end(error);
        if (!last) throw error;
      }
      if (last) controller.enqueue(last);
      controller.close();
    },
    async cancel(reason) {
      end();
      await reader.cancel(reason);
    },
  });
}

/** Of a body that is one message. Throws where it is too long. */
export function measureMessage(): (chunk: Uint8Array) => void {
  let length = 0;
  return ({ byteLength }) => {
    length += byteLength;
    if (length > MAX_MESSAGE_BYTES) throw new Error("It sent a message of more than 16 MB.");
  };
}

const FIELD = /^(?:data|id|event|retry)?:/;

/** Of a stream of events, each of them a message. Throws where one is too long, or too much of it is none. */
export function measureEvents(now: () => number) {
  let event = { measure: measureMessage(), bytes: 0, isMessage: false };
  let line = { head: "", bytes: 0 };
  let prose = { bytes: 0, fromMs: now() };
  let canBeResumed = false;
  const addProse = (bytes: number): void => {
    if (now() - prose.fromMs >= PROSE_MS) prose = { bytes: 0, fromMs: now() };
    prose.bytes += bytes;
    if (prose.bytes > MAX_PROSE_BYTES) throw new Error("It sent more than 1 MB that is no message.");
  };
  const add = (piece: Uint8Array): void => {
    event.measure(piece);
    line.bytes += piece.byteLength;
    const head = piece.subarray(0, HEAD_BYTES - line.head.length);
    if (head.length > 0) line.head += Buffer.from(head).toString("latin1");
  };
  const endLine = (): void => {
    const { bytes } = line;
    const head = line.head.trim();
    line = { head: "", bytes: 0 };
    canBeResumed ||= /^id: *\S/.test(head);
    event.isMessage ||= /^data: *[{[]/.test(head);
    if (FIELD.test(head)) return void (event.bytes += bytes);
    if (head !== "") return addProse(bytes);
    if (!event.isMessage) addProse(event.bytes);
    event = { measure: measureMessage(), bytes: 0, isMessage: false };
  };
  return {
    take(chunk: Uint8Array): void {
      let from = 0;
      for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, from)) {
        add(chunk.subarray(from, at + 1));
        from = at + 1;
        endLine();
      }
      if (from < chunk.length) add(chunk.subarray(from));
    },
    /** Did the server say how it may be asked for the rest? */
    canBeResumed: () => canBeResumed,
  };
}
