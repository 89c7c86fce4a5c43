import { readFile, realpath } from "node:fs/promises";
import { createServer } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { homedir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { createNotifier } from "../../../../src/cli/run/start/notify.ts";
import type { Question } from "../../../../src/domain/policy/verdict.ts";
import type { Inspection } from "../../../../src/domain/inspection.ts";
import { temporaryFolder } from "../../../world.ts";

const question: Question = {
  id: "2.417",
  agent: "2",
  action: "deploy",
  parameters: {},
  touches: [],
  besides: [],
  rule: "profile workspace",
  since: "2026-11-23T05:00:00.000Z",
  expires: "2026-11-24T05:00:00.000Z",
};
const asks: Inspection = { kind: "question", agent: "2", question };
const isOver: Inspection = { ...asks, ended: { verdict: "approved" } };
const parked: Inspection = { kind: "live:state", agent: "3", state: "parked", reason: "a $(touch x) `loop`" };
const thinks: Inspection = { kind: "live:state", agent: "2", state: "thinking" };

it("tells a command of the person's of questions, parks and the end, and runs nothing that stands in the words", async () => {
  const folder = await temporaryFolder();
  const file = join(folder, "told");
  const command = `f() { echo "$1" >> '${file}'; }; f`;
  const notifier = createNotifier({ kind: "command", command }, "/home/me/garden", () => undefined);
  notifier.see(thinks);
  notifier.see(asks);
  notifier.see(isOver);
  notifier.see(parked);
  await notifier.end("Done.");
  expect((await readFile(file, "utf8")).trim().split("\n").sort()).toEqual([
    "Agent 2 asks 2.417: may I call deploy? (/home/me/garden)",
    "Agent 3 is parked: a $(touch x) `loop` (/home/me/garden)",
    "Done. (/home/me/garden)",
  ]);
});

it("posts to a URL of the person's, also of their own network", async () => {
  const bodies: string[] = [];
  const server = createServer((request, response) => {
    request.setEncoding("utf8").on("data", (text: string) => bodies.push(text));
    request.on("end", () => response.end());
  }).listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mine`;
  const notifier = createNotifier({ kind: "url", url }, "/p", () => undefined);
  notifier.see(asks);
  await notifier.end("Done.");
  expect(bodies.sort()).toEqual(["Agent 2 asks 2.417: may I call deploy? (/p)", "Done. (/p)"]);
});

it("gives name and password of a URL as such, and never in words", async () => {
  const names: unknown[] = [];
  const server = createServer(({ headers: { authorization } }, response) => {
    names.push(authorization);
    response.writeHead(names.length === 1 ? 200 : 403).end();
  }).listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const failures: string[] = [];
  const url = `http://me:p%40ss@${host}/mine`;
  const notifier = createNotifier({ kind: "url", url }, "/p", (text) => failures.push(text));
  notifier.see(asks);
  await notifier.end("Done.");
  expect(names).toEqual([1, 2].map(() => `Basic ${Buffer.from("me:p@ss").toString("base64")}`));
  expect(failures).toEqual([`notify does not work: ${host} answers 403`]);
});

it("runs a command in no folder of a project", async () => {
  const folder = await temporaryFolder();
  const file = join(folder, "where");
  const command = `f() { pwd > '${file}'; }; f`;
  await createNotifier({ kind: "command", command }, folder, () => undefined).end("Done.");
  expect((await readFile(file, "utf8")).trim()).toBe(await realpath(homedir()));
});

it("says once why it cannot tell, and nothing where nobody is to be told", async () => {
  const failures: string[] = [];
  const notifier = createNotifier({ kind: "command", command: "false" }, "/p", (text) => failures.push(text));
  notifier.see(asks);
  await notifier.end("Done.");
  expect(failures).toEqual(['notify does not work: "false" ends with exit code 1']);
  await createNotifier(undefined, "/p", (text) => failures.push(text)).end("Done.");
  expect(failures).toHaveLength(1);
});
