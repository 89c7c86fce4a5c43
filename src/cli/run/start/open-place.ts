// Opens the place where a legion shall run, and says what a person should know of it.

import type { Config } from "../../../config/config.ts";
import type { Backend } from "../../../storage/contract/backend.ts";
import { openBackend } from "../../../storage/open.ts";
import type { Io } from "../../kit/command.ts";
import { paintFor } from "../../kit/terminal.ts";

export interface PlaceOrder {
  readonly config: Pick<Config, "bus" | "name">;
  /** Real path of the project's folder. */
  readonly project: string;
  readonly io: Pick<Io, "stderr" | "env">;
  /** Shows a line about it while the node runs. */
  readonly onTrouble: (text: string) => void;
}

/** Tries for half a minute, and says so. Rejects with STORAGE if it is out of reach. */
export function openPlace({ config, project, io, onTrouble }: PlaceOrder): Promise<Backend> {
  const { bus, name } = config;
  const say = (text: string): void => void io.stderr.write(`${text}\n`);
  const paint = paintFor(io.stderr, io.env);
  let told = "";
  return openBackend(
    { project, bus, name },
    {
      onRetry(reason) {
        if (reason !== told) say(`${reason.replace(/\.?$/, ".")} Trying again for half a minute...`);
        told = reason;
      },
      onWarning: (text) => say(`${paint("red", "WARNING")} ${text}`),
      onTrouble,
    },
  );
}
