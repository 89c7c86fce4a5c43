// The command line in this process: what a person types, and what they see of it.

import { Readable } from "node:stream";
import type { Io } from "../../src/cli/kit/command.ts";
import { COMMANDS } from "../../src/cli/commands.ts";
import { dispatch } from "../../src/cli/kit/dispatch.ts";
import { explainFailure } from "../../src/cli/kit/failure.ts";

export interface Typing {
  /** The current folder. */
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  /** What a terminal of this width would show; without it, what a pipe gets. */
  readonly columns?: number;
  readonly stdin?: string;
  /** It is typed there, by somebody who can be asked. */
  readonly at?: "terminal";
  /** Called with everything that is printed so far; what it throws is a reader that went away. */
  readonly onOutput?: (out: string) => void;
  /** The same of standard error. */
  readonly onError?: (err: string) => void;
}

export interface Seen {
  readonly exitCode: number;
  readonly out: string;
  readonly err: string;
  /** Each line of the output as JSON. */
  readonly json: readonly unknown[];
}

export async function legion(argv: readonly string[], typing: Typing): Promise<Seen> {
  let out = "";
  let err = "";
  const { columns, cwd } = typing;
  const env = { XDG_CONFIG_HOME: process.env["XDG_CONFIG_HOME"] ?? "", ...typing.env };
  const toOut = (text: string): void => {
    out += text;
    typing.onOutput?.(out);
  };
  const toErr = (text: string): void => {
    err += text;
    typing.onError?.(err);
  };
  const io: Io = {
    env,
    cwd,
    stdin: reader(typing),
    stdout: writer(toOut, columns),
    stderr: writer(toErr, columns),
    commands: COMMANDS,
    signal: new AbortController().signal,
  };
  const exitCode = await dispatch(argv, io).catch((error: unknown) => {
    const failure = explainFailure(error, env);
    err += failure.text;
    return failure.exitCode;
  });
  return {
    exitCode,
    out,
    err,
    get json() {
      return out.trim() === ""
        ? []
        : out
            .trim()
            .split("\n")
            .map((line): unknown => JSON.parse(line));
    },
  };
}

function reader({ stdin = "", at }: Typing): Io["stdin"] {
  const typed = Readable.from([stdin]) as Io["stdin"];
  typed.isTTY = at === "terminal";
  return typed;
}

function writer(take: (text: string) => void, columns: number | undefined): NodeJS.WriteStream {
  const write = (text: string | Uint8Array): boolean => {
    take(typeof text === "string" ? text : Buffer.from(text).toString());
    return true;
  };
  const isTTY = columns !== undefined;
  return Object.create(process.stdout, {
    write: { value: write },
    columns: { value: columns },
    isTTY: { value: isTTY },
  }) as NodeJS.WriteStream;
}

/** What is printed as it comes, for a command that does not end by itself. */
export interface Following {
  /** Resolves when `text` was printed. */
  until(text: string): Promise<void>;
  /** Resolves when `text` is on standard error. */
  untilError(text: string): Promise<void>;
  /** Resolves with all of it, where it ends by itself. */
  readonly ended: Promise<Seen>;
  /** The next output that holds `text` is the last one that anybody reads. Resolves with what was read. */
  endAt(text: string): Promise<Seen>;
}

export function follow(argv: readonly string[], typing: Typing): Following {
  let out = "";
  let last: string | undefined;
  let tell = (): void => undefined;
  const onOutput = (printed: string): void => {
    out = printed;
    tell();
    if (last !== undefined && out.includes(last)) throw new Error("The reader has gone.");
  };
  let err = "";
  const onError = (printed: string): void => {
    err = printed;
    tell();
  };
  const ended = legion(argv, { ...typing, onOutput, onError });
  const told = (): Promise<void> => new Promise((resolve) => (tell = resolve));
  return {
    async until(text) {
      while (!out.includes(text)) await told();
    },
    async untilError(text) {
      while (!err.includes(text)) await told();
    },
    ended,
    endAt(text) {
      last = text;
      return ended;
    },
  };
}
