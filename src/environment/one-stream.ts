// One stream for all that a command prints: what was printed first is read first. Node alone has one for each output.

import { randomUUID } from "node:crypto";
import { connect, createServer, type Socket } from "node:net";
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
  // Everybody can see the path.
  const secret = randomUUID();
  const door = openDoor(path, secret);
  const into = connect(path);
  try {
    into.write(secret);
    const failed = new Promise<never>((_, reject) => into.once("error", reject));
    return { into, out: await Promise.race([door.entered, failed]) };
  } catch (error) {
    into.destroy();
    throw error;
  } finally {
    door.close();
  }
}

export interface Door {
  /** The first who said the secret: others on this machine may find the path, and come before. Rejects if nobody can listen there. */
  readonly entered: Promise<Socket>;
  /** Ends all others. */
  close(): void;
}

export function openDoor(path: string, secret: string): Door {
  const strangers = new Set<Socket>();
  // In a worker of a cluster the primary would listen, and only later.
  const server = createServer().listen({ path, exclusive: true });
  const entered = new Promise<Socket>((resolve, reject) => {
    server.once("error", reject);
    server.on("connection", (socket) => {
      strangers.add(socket.on("error", () => undefined));
      socket.once("readable", () => {
        const said = socket.read(secret.length) as Buffer | null;
        if (said?.toString() !== secret) return void socket.destroy();
        strangers.delete(socket);
        resolve(socket);
      });
    });
  });
  entered.catch(() => undefined);
  return {
    entered,
    close() {
      server.close();
      strangers.forEach((socket) => socket.destroy());
    },
  };
}
