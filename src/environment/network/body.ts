// The body of an answer, unpacked, in as much memory as was allowed and no more.

import type { IncomingMessage } from "node:http";
import { PassThrough, pipeline, type Readable, type Transform } from "node:stream";
import { constants, createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from "node:zlib";
import { quote } from "../../base/text/wording.ts";
import { network } from "./failure.ts";

const FIRST_BYTES = 64 * 1024;

/** Reads all of it. Rejects with NETWORK as soon as it is longer than `maxBytes`; `host` is named in sentences. */
export async function readBody(
  response: IncomingMessage,
  { maxBytes, host }: { readonly maxBytes: number; readonly host: string },
): Promise<Uint8Array> {
  const body = await unpack(response, host);
  // Copied together as it comes: a million chunks of one byte are a hundred megabytes of chunks.
  let bytes = Buffer.alloc(FIRST_BYTES);
  let length = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    const end = length + chunk.length;
    if (end > maxBytes)
      throw network(`The answer of ${host} is longer than the ${formatBytes(maxBytes)} that are read.`);
    if (end > bytes.length) bytes = Buffer.concat([bytes], Math.max(end, bytes.length * 2));
    chunk.copy(bytes, length);
    length = end;
  }
  // A part of more would hold all of it for as long as the body is kept.
  return new Uint8Array(bytes.subarray(0, length));
}

/** `5 MB`, `12 KB`, `300 bytes`; rounded down. */
export function formatBytes(bytes: number): string {
  if (bytes >= 1_048_576) return `${Math.floor(bytes / 104_857.6) / 10} MB`;
  return bytes >= 1_024 ? `${Math.floor(bytes / 1_024)} KB` : `${bytes} bytes`;
}

/** Only what is asked for is unpacked; a name that means no packing is sent by many servers. */
const PACKINGS = /\b(?:gzip|deflate|br|compress|zstd|dcb|dcz)\b/;

/** The packings that `unpack` understands. */
export const ACCEPTED_PACKINGS = "gzip, deflate, br";

/** The body as it is meant; `host` is named in sentences. */
export async function unpack(response: IncomingMessage, host: string): Promise<Readable> {
  const packing = (response.headers["content-encoding"] ?? "").trim().toLowerCase();
  if (!PACKINGS.test(packing)) return response;
  const unpacker = await createUnpacker(packing, response);
  if (!unpacker)
    throw network(`${host} packed its answer in a way that is not understood here: ${quote(packing)}.`);
  // What breaks either of them reaches the one who reads.
  return pipeline(response, unpacker, () => {});
}

async function createUnpacker(packing: string, response: IncomingMessage): Promise<Transform | undefined> {
  // As in browsers, the end may be missing.
  const zlib = { finishFlush: constants.Z_SYNC_FLUSH };
  if (packing === "gzip" || packing === "x-gzip") return createGunzip(zlib);
  if (packing === "br") return createBrotliDecompress({ finishFlush: constants.BROTLI_OPERATION_FLUSH });
  if (packing !== "deflate") return undefined;
  // Some servers leave the frame away, which begins with an 8.
  const first = await firstByte(response);
  if (first === undefined) return new PassThrough();
  return (first & 0x0f) === 8 ? createInflate(zlib) : createInflateRaw(zlib);
}

/** It stays to be read. */
async function firstByte(stream: Readable): Promise<number | undefined> {
  for (;;) {
    const chunk = stream.read() as Buffer | null;
    if (chunk) {
      stream.unshift(chunk);
      return chunk[0];
    }
    if (stream.readableEnded || stream.destroyed) return undefined;
    await new Promise((resolve) => {
      stream.once("readable", resolve).once("end", resolve).once("close", resolve);
    });
  }
}
