// What the measures of servers and skills share: a legion in memory, whose project has them, and a person who trusts it.

import { fileURLToPath } from "node:url";
import { load } from "../bench.mjs";

export const SERVER = fileURLToPath(new URL("./server.mjs", import.meta.url));
const CLERK = "---\nmodules: [core]\n---\n\nYou touch things.\n";

/** Files of a project with servers, by name: the arguments of each. @param {Readonly<Record<string, readonly number[]>>} servers */
export function serverFiles(servers) {
  const entries = Object.entries(servers).map(([name, args]) => [
    name,
    { command: process.execPath, args: [SERVER, ...args.map(String)] },
  ]);
  return { ".mcp.json": JSON.stringify({ mcpServers: Object.fromEntries(entries) }) };
}

/** @param {number} count */
export function skillFiles(count) {
  const names = Array.from({ length: count }, (_, n) => `craft-${n}`);
  const textOf = (/** @type {string} */ name) =>
    `---\nname: ${name}\ndescription: How ${name} is done, from the plan to the last coat of paint, and what it takes.\n` +
    `license: MIT\nmetadata: { author: somebody, version: "1.0" }\n---\n\n# ${name}\n\n${"First one thing, then the next.\n".repeat(60)}`;
  return Object.fromEntries(names.map((name) => [`.claude/skills/${name}/SKILL.md`, textOf(name)]));
}

/**
 * A legion in memory with one agent that has all servers and skills of these files.
 * @param {Readonly<Record<string, string>>} files
 * @param {(request: {tools: unknown[]}, index: number) => unknown} [script] absent: it answers at once
 * @param {readonly unknown[]} [modules] of the agent
 */
export async function openOutside(files, script = () => "Done.", modules = ["core", "skills", "mcp"]) {
  const { openTestLegion } = await load("src/testing.js");
  const legion = await openTestLegion(script, {
    files: { ...files, "agents/clerk.md": CLERK },
    trust: true,
    policy: { allow: ["action *"] },
    limits: { steps: "none", turns: "none", tokens: "none", cost: "none" },
  });
  return { legion, agent: await legion.spawn({ agent: "clerk", modules }) };
}
