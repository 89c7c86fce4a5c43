import { LegionError } from "../base/errors.ts";
import type { TextSettings } from "./files/config-schema.ts";
import type { RedisAddress } from "../storage/redis/connection/address.ts";

/** What carries the messages and keeps what is recorded: this process and the project's files, or Redis. */
export type BusChoice =
  | { readonly kind: "memory" }
  | {
      readonly kind: "redis";
      readonly address: RedisAddress;
      /** May agents run on a Redis that can lose what it was given? */
      readonly volatile: "allow" | "refuse";
      /** `move`: the files of the agents that are started are in this folder from now on, wherever they were. */
      readonly pins: "move" | "keep";
    };

/** What has no meaning without Redis, as the command line says it. */
const REDIS_ONLY = [
  ["name", "--name"],
  ["volatile", "--allow-volatile"],
  ["pins", "--here"],
] as const;

/** Throws USAGE if the command line says of Redis what has no meaning without it. */
export function busOf({ bus }: Pick<TextSettings, "bus">, typed: TextSettings): BusChoice {
  const { volatile = "refuse", pins = "keep" } = typed;
  if (bus?.kind === "redis") return { ...bus, volatile, pins };
  const said = REDIS_ONLY.find(([setting]) => typed[setting] !== undefined);
  if (!said) return { kind: "memory" };
  const way = "add --bus redis://host:port, or leave it out";
  throw new LegionError("USAGE", `${said[1]}: only for a legion in Redis; ${way}`);
}
