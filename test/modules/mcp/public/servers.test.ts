import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { openPublic, pidOf } from "./servers.ts";

/** What is called, in this order, and what it answers. */
type Calls = readonly (readonly [tool: string, given: object, answer: RegExp, outcome?: "error"])[];

const entity = { name: "Ada", entityType: "person", observations: ["writes programs"] };
const relation = { from: "Ada", to: "Charles", relationType: "knows" };

const EVERYTHING: Calls = [
  ["echo", { message: "hello" }, /hello/],
  [
    "get-annotated-message",
    { messageType: "error", includeImage: true },
    /Error:[^]*\(image image\/png, \d+ b/,
  ],
  ["get-env", {}, /LEGION_RUN/],
  ["get-resource-links", { count: 2 }, /Resource demo:\/\/resource\/dynamic\/\w+\/1: /],
  [
    "get-resource-reference",
    { resourceType: "Blob", resourceId: 3 },
    /\/blob\/3: \(file text\/plain, \d+ bytes/,
  ],
  ["get-structured-content", { location: "Chicago" }, /"temperature":36/],
  ["get-sum", { a: 2, b: 40 }, /42/],
  ["get-tiny-image", {}, /\(image image\/png, \d+ bytes/],
  [
    "gzip-file-as-resource",
    { name: "a.gz", data: "data:text/plain,hello", outputType: "resource" },
    /\(file application\/gzip, \d+ bytes/,
  ],
  ["toggle-simulated-logging", {}, /simulated|logging/i],
  ["toggle-subscriber-updates", {}, /simulated|updates/i],
  ["trigger-long-running-operation", { duration: 0.1, steps: 2 }, /Long running operation completed/],
  // It wants a kind of call that is not part of the protocol's newest version.
  ["simulate-research-query", { topic: "tides" }, /task/i, "error"],
];

const FILESYSTEM: Calls = [
  ["list_allowed_directories", {}, /Allowed directories:\n\//],
  ["create_directory", { path: "DIR/notes" }, /Successfully created/],
  ["write_file", { path: "DIR/notes/a.txt", content: "one\ntwo\n" }, /Successfully wrote/],
  ["read_file", { path: "DIR/notes/a.txt", head: 1 }, /^one$/],
  ["read_text_file", { path: "DIR/notes/a.txt" }, /^one\ntwo$/],
  ["read_media_file", { path: "DIR/dot.png" }, /\(image image\/png, 6 bytes/],
  ["read_multiple_files", { paths: ["DIR/notes/a.txt", "DIR/none.txt"] }, /one[^]*none\.txt: Error/],
  ["edit_file", { path: "DIR/notes/a.txt", edits: [{ oldText: "two", newText: "three" }] }, /-two\n\+three/],
  ["list_directory", { path: "DIR" }, /\[DIR\] notes/],
  ["list_directory_with_sizes", { path: "DIR/notes" }, /\[FILE\] a\.txt +10/],
  ["directory_tree", { path: "DIR/notes" }, /"name": "a\.txt"/],
  ["move_file", { source: "DIR/notes/a.txt", destination: "DIR/notes/b.txt" }, /Successfully moved/],
  ["search_files", { path: "DIR", pattern: "**/*.txt" }, /notes\/b\.txt$/],
  ["get_file_info", { path: "DIR/notes/b.txt" }, /size: 10/],
];

const MEMORY: Calls = [
  ["create_entities", { entities: [entity, { ...entity, name: "Charles" }] }, /"Ada"[^]*"Charles"/],
  ["create_relations", { relations: [relation] }, /"knows"/],
  ["add_observations", { observations: [{ entityName: "Ada", contents: ["likes tides"] }] }, /likes tides/],
  ["search_nodes", { query: "tides" }, /^(?![^]*"name": "Charles")[^]*"Ada"/],
  ["open_nodes", { names: ["Charles"] }, /"Charles"/],
  ["delete_observations", { deletions: [{ entityName: "Ada", observations: ["likes tides"] }] }, /success/],
  ["delete_relations", { relations: [relation] }, /success/],
  ["delete_entities", { entityNames: ["Charles"] }, /success/],
  ["read_graph", {}, /^(?![^]*(Charles|tides|knows))[^]*"Ada"/],
];

const THINKING: Calls = [
  [
    "sequentialthinking",
    { thought: "First.", nextThoughtNeeded: true, thoughtNumber: 1, totalThoughts: 2 },
    /"thoughtNumber": 1/,
  ],
];

describe("servers that their authors publish", () => {
  it.each([
    ["everything", EVERYTHING],
    ["filesystem", FILESYSTEM],
    ["memory", MEMORY],
    ["sequential-thinking", THINKING],
  ])("%s: every tool that it lists is called, and answers", async (server, calls) => {
    const { folder, toolsOf, call } = await openPublic([server]);
    writeFileSync(join(folder, "dot.png"), Buffer.from("89504e470d0a", "hex"));
    expect([...toolsOf(server)].sort()).toEqual(calls.map(([tool]) => tool).sort());
    for (const [tool, given, answer, outcome = "ok"] of calls) {
      const here = JSON.parse(JSON.stringify(given).replaceAll("DIR", folder)) as object;
      const said = await call(server, tool, here);
      expect(said.content, tool).toMatch(answer);
      expect(said.outcome, tool).toBe(outcome);
    }
  });

  it("one that is killed in a call fails it at once with what happened, is back, and the others are unharmed", async () => {
    const { clock, call, status } = await openPublic(["everything", "filesystem", "memory"]);
    const long = call("everything", "trigger-long-running-operation", { duration: 3_600, steps: 3_600 });
    expect(await call("everything", "echo", { message: "there" })).toMatchObject({ outcome: "ok" });
    process.kill(pidOf("everything"), "SIGKILL");
    expect(await long).toMatchObject({
      outcome: "error",
      content: expect.stringMatching(
        /^The MCP server everything went while it was asked: It was ended by SIGKILL/,
      ),
    });
    expect(status("everything")).toMatchObject({
      state: "restarting",
      reason: expect.stringContaining("SIGKILL"),
      tools: 13,
    });
    expect(await call("everything", "echo", { message: "x" })).toMatchObject({
      content: expect.stringContaining("is away and is being started again"),
    });
    expect(await call("memory", "read_graph")).toMatchObject({ outcome: "ok" });
    expect(await call("filesystem", "list_allowed_directories")).toMatchObject({ outcome: "ok" });
    await vi.waitFor(() => expect(clock.sleeping()).toContain(1_000), { timeout: 10_000 });
    clock.advance(1_000);
    await vi.waitFor(() => expect(status("everything").state).toBe("ready"), { timeout: 20_000 });
    expect(await call("everything", "echo", { message: "back" })).toMatchObject({ outcome: "ok" });
    expect(status("everything").restarts).toBe(1);
    expect([status("memory"), status("filesystem")]).toMatchObject([{ restarts: 0 }, { restarts: 0 }]);
  });

  it("one that falls silent fails its calls when their time is over, no others, and answers when it wakes", async () => {
    const { folder, call, status } = await openPublic(["memory", "filesystem"], 2_000);
    const pid = pidOf("memory");
    process.kill(pid, "SIGSTOP");
    const silent = call("memory", "create_entities", { entities: [entity] });
    expect(await call("filesystem", "list_directory", { path: folder })).toMatchObject({ outcome: "ok" });
    expect(await silent).toMatchObject({
      outcome: "error",
      content: expect.stringContaining("memory did not answer within 2 s. Whether"),
    });
    expect(status("memory").state).toBe("ready");
    process.kill(pid, "SIGCONT");
    expect(await call("memory", "read_graph")).toMatchObject({ outcome: "ok" });
  });
});
