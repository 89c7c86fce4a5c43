import type { z } from "zod";
import type { AgentId } from "../../../domain/message/message.ts";
import type { Digest } from "../../../past/digest/digest.ts";

/** What somebody wants of a digest: small enough to be kept for many agents together, where nobody touches them. */
export interface DigestExcerpt<T> {
  /** A word of small letters. */
  readonly name: string;
  /** Another one wherever `of` makes something else of a digest. */
  readonly version: number;
  /** Of what `of` makes; plain JSON. */
  readonly schema: z.ZodType<T>;
  of(agent: AgentId, digest: Digest): T;
}
