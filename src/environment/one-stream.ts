// One stream for all that a command prints: what was printed first is read first. Node alone has one for each output.

import { randomUUID } from "node:crypto";
import { connect, createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface OneStream {
  /** For both outputs of a child; to be destroyed once that has started. */
  readonly into: Socket;
  readonly out: Socket;
}

/** Rejects with an error of the system. */
export async function openOneStream(): Promise<OneStream> {
  const name = `legion-${randomUUID()}`;
  // Linux has names that are in no folder (unix(7)).
  const path = process.platform === "linux" ? `\0${name}` : join(tmpdir(), name);
  const server = createServer().listen(path);
  const into = connect(path);
  try {
    into.write(name);
    const failed = new Promise<never>((_, reject) => into.once("error", reject));
    const out = await Promise.race([connectionThatSays(name, server), failed]);
    return { into, out };
  } catch (error) {
    into.destroy();
    throw error;
  } finally {
    server.close();
  }
}

/** The first that does: others on this machine may find the path, and come before. Rejects with the error of `server`. */
export function connectionThatSays(name: string, server: Server): Promise<Socket> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.on("connection", (socket) => {
      socket.on("error", () => undefined);
      socket.once("readable", () => {
        const said = socket.read(name.length) as Buffer | null;
        if (said?.toString() === name) resolve(socket);
        else socket.destroy();
      });
    });
  });
}
