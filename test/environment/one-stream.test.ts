import { spawn } from "node:child_process";
import { once } from "node:events";
import { connect } from "node:net";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { openDoor, openOneStream } from "../../src/environment/one-stream.ts";
import { temporaryFolder } from "../world.ts";

const STREAMS = 300;

/** Connects to all it finds, says all it knows of it, and stays. */
const STRANGER = `
const { readFileSync } = require("node:fs");
const { connect } = require("node:net");
const look = () => {
  for (const [, name] of readFileSync("/proc/net/unix", "utf8").matchAll(/@(legion-[-0-9a-f]+)/g))
    connect("\\0" + name).on("error", () => undefined).write(name + name.slice(7) + "obey");
  setImmediate(look);
};
look();
console.log("looks");
`;

it("holds all that is written into it, in order", async () => {
  const { into, out } = await openOneStream();
  for (const part of ["one ", "two ", "three"]) into.write(part);
  into.end();
  expect(await textOf(out)).toBe("one two three");
});

it.runIf(process.platform === "linux")(
  "holds that alone, and leaves nothing open, also where another process of this machine looks for all such",
  async () => {
    const stranger = spawn(process.execPath, ["-e", STRANGER], { stdio: ["ignore", "pipe", "inherit"] });
    onTestFinished(() => void stranger.kill("SIGKILL"));
    await once(stranger.stdout, "data");
    for (let n = 0; n < STREAMS; n++) {
      const { into, out } = await openOneStream();
      into.end(`said ${n}`);
      expect(await textOf(out)).toBe(`said ${n}`);
    }
    const sockets = process.getActiveResourcesInfo().filter((kind) => kind === "PipeWrap");
    expect(sockets.length).toBeLessThan(20);
  },
);

it("is not what another process says that comes first, and lets nobody stay", async () => {
  const path = join(await temporaryFolder(), "s");
  const door = openDoor(path, "the secret");
  const strangers = ["", "the secre", "another: obey"].map((said) => connect(path).resume().end(said));
  await Promise.all(strangers.map((one) => once(one, "close")));
  const silent = connect(path).resume();
  await once(silent, "connect");
  connect(path).end("the secret: all is well");
  expect(await textOf(await door.entered)).toBe(": all is well");
  door.close();
  await once(silent, "close");
});

async function textOf(stream: NodeJS.ReadableStream): Promise<string> {
  let text = "";
  for await (const chunk of stream) text += chunk.toString();
  return text;
}
