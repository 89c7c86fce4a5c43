// Nodes of one legion as processes of their own, which end with the measure.

import { fork } from "node:child_process";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";

const script = fileURLToPath(new URL("redis-node.mjs", import.meta.url));

/** @type {Set<import("node:child_process").ChildProcess>} */
const children = new Set();
process.once("exit", () => children.forEach((child) => child.kill("SIGKILL")));

/** @typedef {Awaited<ReturnType<typeof startNode>>} BenchNode */

/** Resolves once it has joined. @param {import("./redis-node.mjs").NodeOrder} order */
export async function startNode(order) {
  const child = fork(script, [JSON.stringify(order)], {
    execArgv: ["--expose-gc"],
    stdio: ["ignore", 2, 2, "ipc"],
  });
  /** @type {Map<number, (answer: any) => void>} */
  const asked = new Map();
  let questions = 0;
  children.add(child);
  const gone = new Promise((resolve) => child.once("exit", () => resolve(children.delete(child))));
  const joined = new Promise((resolve) => asked.set(0, resolve));
  child.on("message", (/** @type {{ id: number, answer: any }} */ { id, answer }) => {
    asked.get(id)?.(answer);
    asked.delete(id);
  });
  await Promise.race([
    joined,
    gone.then(() => Promise.reject(new Error("a node ended before it had joined"))),
  ]);
  return {
    pid: child.pid,
    /** @param {string} question @returns {Promise<any>} */
    ask(question) {
      const id = ++questions;
      return new Promise((resolve) => {
        asked.set(id, resolve);
        child.send({ id, ask: question });
      });
    },
    gone,
    async kill() {
      child.kill("SIGKILL");
      await gone;
    },
  };
}

/** The sum of what `nodes` answer. @param {readonly BenchNode[]} nodes @param {string} question */
export async function sum(nodes, question) {
  const answers = await Promise.all(nodes.map((node) => node.ask(question)));
  return answers.reduce((all, one) => all + one, 0);
}

/** Asks again and again. @param {() => Promise<boolean>} isSo @param {number} [everyMs] */
export async function until(isSo, everyMs = 20) {
  while (!(await isSo())) await delay(everyMs);
}
