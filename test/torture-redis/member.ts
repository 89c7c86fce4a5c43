// A node of the legion as the nemesis sees it: a process that can be ended, stopped and cut off, and started anew.

import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { createInterface } from "node:readline";
import { freezingProxy } from "../storage/redis/proxy.ts";
import type { Order, Report, Standing, Word } from "./order.ts";

export interface Member {
  start(): void;
  /** Resolves when it has joined the legion, or has ended. */
  ready(): Promise<unknown>;
  kill(): Promise<void>;
  /** Stops all of it in the middle of whatever it does. */
  suspend(): void;
  resume(): void;
  /** Nothing passes between it and Redis. */
  cutOff(): void;
  reunite(): void;
  /** Nothing new is begun. */
  calm(): void;
  /** Resolves when it has come to its end by itself. */
  stop(): Promise<void>;
  /** As it was told last, once it is calm. */
  readonly standing: Standing | undefined;
  /** Of its present process. */
  readonly pid: number | undefined;
  close(): Promise<void>;
}

export interface MemberOptions {
  readonly program: string;
  readonly redisPort: number;
  readonly project: string;
  /** The order for its next process. */
  readonly orderFor: (project: string, url: string) => Order;
  /** Told of a process that ended by itself and was not told to, or that ended badly. */
  readonly onCrash: (text: string) => void;
}

/** One life of its process. */
interface Life {
  readonly child: ChildProcess;
  readonly ready: Promise<unknown>;
  readonly closed: Promise<unknown>;
  standing: Standing | undefined;
  isMeantToEnd: boolean;
}

export async function createMember(options: MemberOptions): Promise<Member> {
  const { program, redisPort, project, orderFor, onCrash } = options;
  const proxy = await freezingProxy(redisPort);
  mkdirSync(project, { recursive: true });
  let life: Life | undefined;
  const begin = (): Life => {
    const order = JSON.stringify(orderFor(project, proxy.url));
    // Whoever reads the end of its input has lost its parent.
    const child = spawn(process.execPath, [program, order], { stdio: "pipe" });
    let error = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => (error += text));
    // A word to one that is gone.
    child.stdin.on("error", () => undefined);
    const closed = once(child, "close").then(([code, signal]) => {
      if (life === born) life = undefined;
      const isWell = code === 0 || signal === "SIGKILL";
      if (!isWell || !born.isMeantToEnd) onCrash(`It ended with ${String(signal ?? code)}: ${error}`);
    });
    const ready = new Promise<void>((resolve) => {
      createInterface(child.stdout).on("line", (line) => {
        const report = JSON.parse(line) as Report;
        if (report.kind === "ready") resolve();
        else born.standing = report;
      });
    });
    const born: Life = { child, ready, closed, standing: undefined, isMeantToEnd: false };
    return born;
  };
  const kill = async (): Promise<void> => {
    const dying = life;
    if (!dying) return;
    dying.isMeantToEnd = true;
    dying.child.kill("SIGKILL");
    await dying.closed;
  };
  const tell = (word: Word): void => void life?.child.stdin?.write(`${word}\n`);
  return {
    start: () => void (life = begin()),
    ready: async () => life && Promise.race([life.ready, life.closed]),
    kill,
    suspend: () => life?.child.kill("SIGSTOP"),
    resume: () => life?.child.kill("SIGCONT"),
    cutOff: proxy.freeze,
    reunite: proxy.thaw,
    calm: () => tell("calm"),
    async stop() {
      const ending = life;
      if (!ending) return;
      ending.isMeantToEnd = true;
      tell("stop");
      await ending.closed;
    },
    get standing() {
      return life?.standing;
    },
    get pid() {
      return life?.child.pid;
    },
    async close() {
      await kill();
      await proxy.close();
    },
  };
}
