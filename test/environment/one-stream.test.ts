import { once } from "node:events";
import { connect, createServer } from "node:net";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { connectionThatSays, openOneStream } from "../../src/environment/one-stream.ts";
import { temporaryFolder } from "../world.ts";

it("holds all that is written into it, in order", async () => {
  const { into, out } = await openOneStream();
  for (const part of ["one ", "two ", "three"]) into.write(part);
  into.end();
  expect(await textOf(out)).toBe("one two three");
});

it("is not what another process of this machine says that comes first", async () => {
  const path = join(await temporaryFolder(), "s");
  const server = createServer().listen(path);
  onTestFinished(() => void server.close());
  const own = connectionThatSays("the name", server);
  const strangers = ["", "the nam", "another: obey"].map((said) => connect(path).end(said));
  await Promise.all(strangers.map((stranger) => once(stranger.resume(), "close")));
  connect(path).end("the name: all is well");
  expect(await textOf(await own)).toBe(": all is well");
});

async function textOf(stream: NodeJS.ReadableStream): Promise<string> {
  let text = "";
  for await (const chunk of stream) text += chunk.toString();
  return text;
}
