import type { Redactor } from "../base/redaction/redactor.ts";
import type { NewEvent } from "../domain/event/event.ts";
import { mapFields } from "../base/text/json.ts";

/** What records are found and told apart by. Nobody can put a secret there, and without it they are nothing. */
const NAMES: ReadonlySet<string> = new Set([
  "kind",
  "id",
  "call",
  "log",
  "from",
  "origin",
  "module",
  "type",
  "source",
  "targetAgentIds",
  "sentAt",
  "delivery",
  "cause",
  "re",
  "root",
  "outcome",
  "stop",
  "protocol",
  "model",
  "prompt",
  "introduction",
]);
/** Fields that hold records of this kind themselves. */
const RECORDS: ReadonlySet<string> = new Set(["message", "sends", "calls"]);

/**
 * `event` as it may be written down; the same object if it holds no secret. What a provider must see again was made for
 * exactly what it said: where anything of that is hidden, it is left out whole.
 */
export function redactEvent(event: NewEvent, redactor: Redactor): NewEvent {
  const clean = redactRecord(event, redactor);
  return clean.kind === "decision" && clean !== event ? { ...clean, provider: undefined } : clean;
}

function redactRecord<R extends object>(record: R, redactor: Redactor): R {
  return mapFields(record, (key, value) => {
    if (NAMES.has(key)) return value;
    return RECORDS.has(key) ? redactRecords(value, redactor) : redactor.value(value);
  });
}

function redactRecords(value: unknown, redactor: Redactor): unknown {
  if (Array.isArray(value)) {
    const records = value.map((record: unknown) => redactRecords(record, redactor));
    return records.every((record, index) => record === value[index]) ? value : records;
  }
  return typeof value === "object" && value !== null ? redactRecord(value, redactor) : value;
}
