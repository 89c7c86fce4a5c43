import { describe, expect, it } from "vitest";
import type { z } from "zod";
import { toActionSpec } from "../../../src/domain/action-spec.ts";
import { system } from "../../../modules/system/index.ts";
import { createTestHost } from "../test-host.ts";

describe("the system module", () => {
  it("tells the agent where it works", () => {
    expect(system.instructions!(createTestHost(system).host)).toMatchInlineSnapshot(
      `"You work in a folder on a computer, the workspace; other agents may work in it at the same time. Paths start there. Nothing outside it can be reached, and .git, node_modules, .ai-legion, .env files and keys are off-limits. Commands start there too."`,
    );
  });

  it("declares what repeating each action would do", () => {
    expect(
      Object.fromEntries(Object.entries(system.actions).map(([name, { effects }]) => [name, effects])),
    ).toEqual({
      executeCommand: "once",
      startCommand: "once",
      readCommand: "none",
      stopCommand: "idempotent",
      readFile: "reads",
      writeFile: "idempotent",
      editFile: "once",
      moveFile: "once",
      deleteFile: "once",
      createDirectory: "idempotent",
      listDirectory: "reads",
      outline: "reads",
      findFiles: "reads",
      searchText: "reads",
    });
  });

  it("shows the model what each action does and takes", () => {
    const shown = Object.entries(system.actions).map(([name, action]) => {
      const { description, parameters } = toActionSpec(name, action);
      const { properties = {}, required = [] } = parameters as z.core.JSONSchema.ObjectSchema;
      const lines = Object.entries(properties).map(([key, schema]) => {
        const { type, description } = schema as { type: string; description: string };
        return `  ${key}${required.includes(key) ? "" : "?"} (${type}): ${description}`;
      });
      return [`${name}: ${description}`, ...lines].join("\n");
    });
    expect(shown.join("\n")).toMatchInlineSnapshot(`
      "executeCommand: Run a command in a shell in the workspace; what it leaves running in the background is ended
        command (string): The command
        timeout? (number): Seconds until it is ended, 120 unless given
      startCommand: Start a command in the background that lasts, such as a server: read what it prints with \`readCommand\`. In a sandbox other commands do not reach its ports; a Unix socket in /tmp they do
        command (string): The command
      readCommand: Read what a command in the background has printed since you last did, and whether it still runs; waits 10 s for more
        id (integer): Number of the command, as startCommand gave it
        filter? (string): Only lines that hold this text, or one of several as in error|warning; case does not count
      stopCommand: End a command in the background
        id (integer): Number of the command, as startCommand gave it
      readFile: Read a text file
        path (string): Path of the file
        offset? (integer): Line to begin with, from 1
        limit? (integer): Most lines to read, 2000 unless given
      writeFile: Write a text file, replacing what it held; missing folders are created
        path (string): Path of the file
        content (string): Everything the file shall hold
      editFile: Replace a piece of text in a file; it must occur exactly once
        path (string): Path of the file
        oldText (string): The text to replace, with enough around it to be found only once
        newText (string): The text to put there; empty to delete the old one
      moveFile: Move or rename a file or folder; missing folders are created, nothing is overwritten
        sourcePath (string): Path of the file or folder
        destinationPath (string): Its new path
      deleteFile: Delete a file, a link or an empty folder
        path (string): Path of the file
      createDirectory: Create a folder, with the folders above it
        path (string): Path of the folder
      listDirectory: List what a folder holds
        path (string): Path of the folder; \`.\` is the workspace
      outline: Show what lies in a folder and all below it: sums, the largest and the most imported files, then each file with a few words about it; without what git ignores
        path (string): Path of the folder, or of a file
        offset? (integer): File to begin with, from 1
        limit? (integer): Most files to show, 500 unless given
      findFiles: List the files of a folder and of all below it whose names fit a glob, without what git ignores
        pattern (string): The glob, such as *.ts, src/**/*.test.ts or *.{js,ts}
        path? (string): Path of the folder, the workspace unless given
      searchText: Search the lines of a text file, or of all in a folder and below it, for a regular expression, without what git ignores and without files of more than 64 MB
        pattern (string): The regular expression; with (?i) at its beginning the case does not matter
        path? (string): Path of the folder or file, the workspace unless given
        glob? (string): Only files whose names fit, such as *.ts, or do not, such as !*.test.ts"
    `);
  });
});
