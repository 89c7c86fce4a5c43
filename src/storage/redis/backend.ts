// Reaches the Redis that a legion shall live in, and makes sure that it keeps what it is given.

import type { Config } from "../../config/config.ts";
import { LegionError } from "../../base/errors.ts";
import type { Finding } from "./connection/health.ts";
import type { RedisHome } from "./node.ts";
import type { Io } from "../../cli/kit/command.ts";
import { paintFor } from "../../cli/kit/terminal.ts";

export interface OpenHome {
  readonly home: RedisHome;
  close(): Promise<void>;
}

export interface HomeOrder {
  readonly config: Config;
  readonly io: Io;
  /** Shows a line about Redis while the node runs. */
  readonly onTrouble: (text: string) => void;
}

/**
 * `undefined` if the legion lives in files. Tries for half a minute, and says so. Rejects with STORAGE if Redis cannot be
 * reached, with REFUSED if it can lose what it is given and nobody allowed that.
 */
export async function openHome({ config, io, onTrouble }: HomeOrder): Promise<OpenHome | undefined> {
  const { bus, name: legion } = config;
  if (bus.kind === "memory") return undefined;
  const { reachRedis } = await import("./connection/first-contact.ts");
  const { durabilityOf, examine } = await import("./connection/health.ts");
  const say = (text: string): void => void io.stderr.write(`${text}\n`);
  let told = "";
  const link = await reachRedis(bus.address, {
    onRetry(reason) {
      if (reason !== told) say(`${reason.replace(/\.?$/, ".")} Trying again for half a minute...`);
      told = reason;
    },
  });
  try {
    const findings = await examine(link);
    const refusals = findings.filter(({ severity }) => severity === "refuse");
    if (refusals.length > 0 && bus.volatile === "refuse") throw refusalOf(refusals);
    const paint = paintFor(io.stderr, io.env);
    for (const finding of findings) say(`${paint("red", "WARNING")} ${describe(finding)}`);
    const durability = await durabilityOf(link, findings);
    return { home: { link, legion, durability, pins: bus.pins, onTrouble }, close: link.close };
  } catch (error) {
    await link.close();
    throw error;
  }
}

function refusalOf(findings: readonly Finding[]): LegionError {
  const [worst] = findings as readonly [Finding];
  return new LegionError(
    "REFUSED",
    `${describe(worst)}\n  --allow-volatile starts all the same; \`legion doctor\` tells more`,
  );
}

function describe({ text, remedy }: Finding): string {
  return `Redis at ${text}. To mend it, ${remedy}.`;
}
