import { readFile, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { isArchive, isEventShaped } from "../../../src/storage/archive/format.ts";
import { toLine } from "../../../src/storage/folder/line.ts";
import { unpackArchive } from "../../../src/storage/archive/unpack.ts";
import { archiveOf, forge, linesIn, restingLegion } from "./archived.ts";
import { createWorld, temporaryFolder } from "../../world.ts";

/** Archives are made by the first test that asks for them. */
const made = new Map<() => Promise<string>, Buffer>();

async function sample(make: () => Promise<string> = resting): Promise<string> {
  const bytes = made.get(make) ?? (await readFile(await make()));
  made.set(make, bytes);
  const file = join(await temporaryFolder(), "a.legion");
  await writeFile(file, bytes);
  return file;
}

async function resting(): Promise<string> {
  const { project } = await restingLegion();
  return archiveOf(project, ["0", "1", "2"]);
}

async function withMail(): Promise<string> {
  const world = await createWorld({ "2": {} });
  await world.legion.agents.get("2")!.pause("to leave mail");
  await world.say("2", "Waiting");
  await world.stop();
  return archiveOf(world.project, ["2"]);
}

async function unpack(path: string): Promise<string> {
  const folder = join(await temporaryFolder(), "agents");
  await unpackArchive(path, folder);
  return folder;
}

async function refusal(path: string): Promise<string> {
  const folder = join(await temporaryFolder(), "agents");
  return unpackArchive(path, folder).then(
    () => "taken",
    (error: Error) => error.message,
  );
}

it("says how far it has come, and what came of it", async () => {
  const folder = join(await temporaryFolder(), "agents");
  const { agents, events, unread, isLive } = await unpackArchive(await sample(), folder);
  expect({ agents, unread, isLive }).toEqual({ agents: ["0", "1", "2"], unread: 0, isLive: false });
  expect(events).toBeGreaterThan(10);
  expect((await readdir(folder)).sort()).toEqual(["0", "1", "2"]);
});

it("knows an archive by its beginning", async () => {
  expect(await isArchive(await sample())).toBe(true);
  expect(await isArchive(await temporaryFolder())).toBe(false);
  expect(await isArchive("/nowhere")).toBe(false);
  const other = join(await temporaryFolder(), "memory.json");
  await writeFile(other, "[]");
  expect(await isArchive(other)).toBe(false);
});

it("refuses a file that ends early, wherever that is", async () => {
  const bytes = await readFile(await sample());
  const cut = join(await temporaryFolder(), "cut.legion");
  const ends = [
    0,
    1,
    bytes.length - 1,
    ...Array.from({ length: 40 }, (_, n) => Math.floor((bytes.length * n) / 40)),
  ];
  for (let at = bytes.indexOf(10); at !== -1 && at < bytes.length - 1; at = bytes.indexOf(10, at + 1))
    ends.push(at + 1);
  for (const end of ends) {
    await writeFile(cut, bytes.subarray(0, end));
    expect([end, await refusal(cut)]).toEqual([end, expect.stringContaining("copy it again")]);
  }
});

it("refuses a file in which anything was changed or is missing, naming the line", async () => {
  const lines = (await readFile(await sample(), "utf8")).trimEnd().split("\n");
  const changed = join(await temporaryFolder(), "changed.legion");
  for (const [index, line] of lines.entries()) {
    const middle = Math.floor(line.length / 2);
    const other = line.slice(0, middle) + (line[middle] === "x" ? "y" : "x") + line.slice(middle + 1);
    await writeFile(changed, `${lines.with(index, other).join("\n")}\n`);
    expect(await refusal(changed)).toContain(`changed.legion:${index + 1}: the line is damaged`);
    await writeFile(changed, `${lines.toSpliced(index, 1).join("\n")}\n`);
    expect([index, await refusal(changed)]).not.toEqual([index, "taken"]);
  }
  await writeFile(changed, `${lines.join("\n")}\n${lines[1]}\n`);
  expect(await refusal(changed)).toContain("behind the end");
});

it("refuses a newer format, of the file and of a log in it", async () => {
  const newer = await forge(await sample(), ([header, ...rest]) => [{ ...header, format: 2 }, ...rest]);
  expect(await refusal(newer)).toContain("newer version (format 2)");
  const log = await forge(await sample(), (lines) =>
    lines.map((line) => (line["kind"] === "opened" ? { ...line, format: 3 } : line)),
  );
  expect(await refusal(log)).toContain("newer version (format 3)");
});

it.each([
  "../../x",
  "/etc/x",
  "notes/../../x",
  "a/b/c",
  "..",
  "",
  "notes/",
  ".bashrc",
  "log/00000001-000.jsonl",
  "LOG/00000001-000.jsonl",
  "mailbox",
  "blobs/x",
  "Blobs/x",
  "a\\b",
  "a\u0000b",
  "c:x",
  7,
])("refuses the file name %j", async (path) => {
  const forged = await forge(await sample(), ([header, ...rest]) => [
    header!,
    { kind: "file", agent: "2", path, text: "x" },
    ...rest,
  ]);
  expect(await refusal(forged)).toContain("forged.legion:2: it names a file that no agent may have");
});

it.each(["../x", "2/../../x", "", "con", "all", 2, null, ["2"]])("refuses the agent %j", async (id) => {
  const forged = await forge(await sample(), ([header, ...rest]) => [{ ...header, agents: [id] }, ...rest]);
  expect(await refusal(forged)).toContain("no agent");
});

it.each<[string, object]>([
  ["an agent that it does not announce", { kind: "file", agent: "9", path: "goals.json", text: "{}" }],
  ["a segment with another name", { kind: "segment", agent: "2", name: "../x.jsonl", lines: 0 }],
  ["a segment of a far future", { kind: "segment", agent: "2", name: "99999999999-000.jsonl", lines: 0 }],
  ["a number of lines that is none", { kind: "segment", agent: "2", name: "00000009-000.jsonl", lines: -1 }],
  ["a file that goes on without a beginning", { kind: "more", text: "x" }],
  ["a text that is none", { kind: "file", agent: "2", path: "x", text: 1 }],
  ["a kind that it does not know", { kind: "shell", agent: "2" }],
  ["mail that is none", { kind: "mail", agent: "2", from: "log", message: { id: "0>2#1" } }],
  [
    "a long text under a wrong name",
    { kind: "file", agent: "2", path: `blobs/${"0".repeat(64)}`, text: "x" },
  ],
])("refuses %s", async (_, line) => {
  const forged = await forge(await sample(), ([header, ...rest]) => [header!, { ...line }, ...rest]);
  expect(await refusal(forged)).toMatch(/forged\.legion:[23]: /);
});

it.each(["", "one\ntwo", "x".repeat(201)])("refuses mail of a log that is called %j", async (from) => {
  const forged = await forge(await sample(withMail), (lines) =>
    lines.map((line) => (line["kind"] === "mail" ? { ...line, from } : line)),
  );
  expect(await refusal(forged)).toContain("no mail for this agent");
});

it("refuses a file that is there twice, and mail for somebody else", async () => {
  const twice = await forge(await sample(), (lines) => {
    const goals = lines.find(({ path }) => path === "goals.json")!;
    return [lines[0]!, goals, ...lines.slice(1)];
  });
  expect(await refusal(twice)).toContain("goals.json is there twice");
  const lines = await linesIn(await sample(withMail));
  expect(lines.map(({ kind }) => kind)).toContain("mail");
  const other = await forge(await sample(withMail), (all) =>
    all.map((line) =>
      line["kind"] === "mail" ? { ...line, message: { ...(line["message"] as object), id: "0>3#1" } } : line,
    ),
  );
  expect(await refusal(other)).toContain("no mail for this agent");
});

it.each<[string, object]>([
  ["an epoch that nobody could count on from", { epoch: 999_999_999_999 }],
  ["a number that nobody could count on from", { seq: Number.MAX_SAFE_INTEGER }],
  ["a number that is none", { seq: "1" }],
  ["no time", { at: undefined }],
  ["a time that is none", { at: "yesterday" }],
])("refuses an event with %s", async (_, change) => {
  const forged = await forge(await sample(), (lines) => {
    const at = lines.findIndex(({ kind }) => kind === "decision");
    return lines.with(at, { ...lines[at]!, ...change });
  });
  expect(await refusal(forged)).toContain("it is no event of a log");
});

it.each([
  ["message", { message: {} }],
  ["message", { mail: -1 }],
  ["decision", { calls: [{}] }],
  ["decision", { text: undefined }],
  ["prompted", { reserved: null }],
  ["result", { state: [1] }],
  ["opened", { seals: null }],
  ["notice", { sends: [{ id: "1" }] }],
  ["result", { blobs: [[["kind"], "0".repeat(64)]] }],
  ["result", { blobs: [[["__proto__", "x"], "0".repeat(64)]] }],
])("refuses a %s that would break its reader: %j", async (kind, change) => {
  const forged = await forge(await sample(), (lines) => {
    const at = lines.findIndex((line) => line["kind"] === kind && "seq" in line);
    return lines.with(at, { ...lines[at]!, ...change });
  });
  expect(await refusal(forged)).toContain("it is no event of a log");
});

it("takes no cost that nobody could count on from", () => {
  const stamp = { seq: 1, epoch: 1, at: "2026-01-01T00:00:00.000Z" };
  const result = { ...stamp, kind: "result", call: null, outcome: "ok", content: "" };
  const withCost = (cost: string) => ({
    ...result,
    usage: JSON.parse(`{"input":1,"output":1,"cost":${cost}}`) as unknown,
  });
  expect(isEventShaped(withCost("1e9"))).toBe(true);
  expect(isEventShaped(withCost("1e999"))).toBe(false);
});

it("looks into damaged lines, too: there may be records in them", async () => {
  const evil = toLine({ seq: 1, epoch: 1, at: "", kind: "message" });
  const wrap = async (text: string): Promise<string> =>
    forge(await sample(), (lines) => {
      const at = lines.findIndex(({ kind }) => kind === "decision");
      return lines.with(at, { kind: "damaged", base64: Buffer.from(text).toString("base64") });
    });
  expect(await refusal(await wrap(`x\u0001${evil.trimEnd()}`))).toContain("it is no event of a log");
  expect(await refusal(await wrap(`x\n${evil}`))).toContain("more than one line");
  expect(await refusal(await wrap("x\u0001y"))).toBe("taken");
});

it("gives unread mail a place behind all that was read", async () => {
  const folder = await unpack(await sample(withMail));
  const [name] = await readdir(join(folder, "2/mailbox"));
  expect(await readFile(join(folder, "2/mailbox", name!), "utf8")).toContain("Waiting");
});
