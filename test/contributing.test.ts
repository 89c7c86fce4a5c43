import { existsSync, readFileSync, readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const root = new URL("../", import.meta.url);
const text = (path: string) => readFileSync(new URL(path, root), "utf8");

describe("what newcomers are told to read", () => {
  it("names no file or folder that is not there", () => {
    const named = text("CONTRIBUTING.md").matchAll(
      /(?<![\w/.])(?:src|modules|agents|scripts|test)\/[\w./-]*/g,
    );
    const gone = [...named].filter(([path]) => !existsSync(fileURLToPath(new URL(path, root))));
    expect(gone).toEqual([]);
  });

  it("has a line for every room of the house", () => {
    const rooms = readdirSync(new URL("src/", root), { withFileTypes: true }).filter((entry) =>
      entry.isDirectory(),
    );
    const shown = [...text("CONTRIBUTING.md").matchAll(/^\| `src\/(\w+)\/`/gm)].map(([, room]) => room);
    expect(new Set(shown)).toEqual(new Set(rooms.map(({ name }) => name)));
  });
});
