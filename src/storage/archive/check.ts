// What is believed of an archive: a line may have the right checksum and still be made to break whoever reads it.

import { z } from "zod";
import {
  countSchema,
  eventSchemas,
  logIdSchema,
  MAX_EPOCH,
  messageSchema,
  stampSchema,
} from "../../domain/event-schema.ts";
import { placeOf } from "../files/journal/segments.ts";
import { parseMessageId, type AgentId } from "../../domain/message.ts";
import { BLOB } from "../folder/agent-path.ts";

export function isSegmentName(name: unknown): name is string {
  const place = typeof name === "string" ? placeOf(name) : undefined;
  return place !== undefined && place.epoch <= MAX_EPOCH && place.part <= MAX_EPOCH;
}

export function isLogId(id: unknown): id is string {
  return logIdSchema.safeParse(id).success;
}

/** A whole number from 0 up that can still be counted on from. */
export function isCount(value: unknown): value is number {
  return countSchema.safeParse(value).success;
}

/** Is it a message to `agent`, whole enough for everything that reads mailboxes? */
export function isMailTo(agent: AgentId, message: unknown): boolean {
  const { data } = messageSchema.safeParse(message);
  return data !== undefined && parseMessageId(data.id).to === agent;
}

/** True if a line of a log has what everything that reads logs takes for granted. */
export function isEventShaped(event: { readonly kind: string; readonly blobs?: unknown }): boolean {
  const schema = SCHEMAS.get(event.kind) ?? stampSchema;
  return schema.safeParse(event).success && (event.blobs === undefined || hasSoundOutline(event));
}

const SCHEMAS: ReadonlyMap<string, z.ZodType> = new Map(Object.entries(eventSchemas));

const outlineSchema = z.array(z.tuple([z.array(z.union([z.string(), z.number()])), z.string().regex(BLOB)]));

/** Long texts may only have stood where an empty one stands now. */
function hasSoundOutline({ blobs, ...event }: { readonly blobs?: unknown }): boolean {
  const { data } = outlineSchema.safeParse(blobs);
  return data !== undefined && data.every(([path]) => path.reduce<unknown>(memberOf, event) === "");
}

function memberOf(value: unknown, key: string | number): unknown {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
  return (value as Readonly<Record<string | number, unknown>>)[key];
}
