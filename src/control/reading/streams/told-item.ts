// One thing that a stream tells, as a server-sent event.

export interface StreamedItem {
  /** `<log>:<seq>` of an event: what a viewer names who comes again. */
  readonly id?: string;
  /** JSON: it has no line breaks. */
  readonly text: string;
}

const encoder = new TextEncoder();

export function encodeItem({ id, text }: StreamedItem): Uint8Array {
  return encoder.encode(`${id === undefined ? "" : `id: ${id}\n`}data: ${text}\n\n`);
}
