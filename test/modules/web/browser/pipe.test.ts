import { PassThrough } from "node:stream";
import fc from "fast-check";
import { expect, it } from "vitest";
import { openPipe } from "../../../../modules/web/browser/pipe.ts";

function createPipe(maxBytes = 1_000) {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const heard: string[] = [];
  const pipe = openPipe(input, output, maxBytes);
  pipe.onmessage = (message) => heard.push(message);
  return { pipe, input, output, heard };
}

/** Everything that was written has been read. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

it("hears the same messages however their bytes arrive", async () => {
  const texts = fc.array(fc.string({ unit: "binary" }).map((text) => text.replaceAll("\0", "")));
  await fc.assert(
    fc.asyncProperty(texts, fc.array(fc.nat(40)), async (messages, sizes) => {
      const { output, heard } = createPipe();
      let bytes = Buffer.from(messages.map((message) => `${message}\0`).join(""));
      for (const size of sizes) {
        output.write(bytes.subarray(0, size));
        bytes = bytes.subarray(size);
      }
      output.end(bytes);
      await settled();
      expect(heard).toEqual(messages.map((message) => Buffer.from(message).toString()));
    }),
    { numRuns: 40 },
  );
});

it("drops a message that is too long, and hears the next one", async () => {
  const { output, heard } = createPipe(5);
  for (const part of ["12345\0", "123", "456", "789\0", "again\0", "123456\0x\0"]) output.write(part);
  await settled();
  expect(heard).toEqual(["12345", "again", "x"]);
});

it("ends each message that it sends, and tells when the other end is gone", async () => {
  const { pipe, input, output } = createPipe();
  let sent = "";
  input.on("data", (chunk: Buffer) => (sent += chunk.toString()));
  pipe.send("{}");
  pipe.send("[]");
  await settled();
  expect(sent).toBe("{}\0[]\0");
  const closed = new Promise<void>((resolve) => (pipe.onclose = resolve));
  output.destroy();
  await closed;
});
