import * as fs from "node:fs";
import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { copyWorkspace } from "../../../src/environment/workspace/copy.ts";
import { everythingIn, write } from "./trees.ts";

let folder: string;
let source: string;
let target: string;
beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), "legion-copy-")));
  source = join(folder, "p");
  target = join(folder, "out", "one");
  write(source, { file: "of the source", "sub/other": "of the source", "out/.keep": "" });
  fs.symlinkSync(source, join(folder, "app"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const copy = (to = target) => copyWorkspace({ source, target: to, variables: process.env });
const link = (name: string, text: string): void => fs.symlinkSync(text, join(source, name));

/** Where the copy may be: each makes something else of steps up out of it. */
const places = (): readonly string[] => [
  target,
  join(folder, "beside"),
  join(source, "out/workspaces/a"),
  join(folder, "a/b/c"),
];

describe("no link of a copy leads into its source (G5):", () => {
  const rows: readonly (readonly [
    what: string,
    links: readonly (readonly [string, string])[],
    end: string,
  ])[] = [
    ["one out of it and back", [["k", "../p/file"]], "file"],
    ["one out of it, and back by another link", [["k", "../app/file"]], "file"],
    [
      "one by another link of it that leads out",
      [
        ["d", ".."],
        ["k", "d/p/file"],
      ],
      "file",
    ],
    [
      "one by another link of it that leads out, and another link out there",
      [
        ["d", ".."],
        ["sub/k", "../d/app/sub/other"],
      ],
      "sub/other",
    ],
    [
      "a row of them",
      [
        ["a", "sub/b"],
        ["sub/b", "../c"],
        ["c", "../app/file"],
        ["k", "a"],
      ],
      "file",
    ],
    ["an absolute one by another link", [["k", "APP/sub/../file"]], "file"],
    ["one to what is not there yet", [["k", "../app/new"]], "new"],
    ["one to what is not there yet, in a folder that is not", [["k", "../app/none/new"]], "none/new"],
    ["one by what links out there say together", [["k", "../way/file"]], "file"],
  ];
  it.each(rows)("%s", async (_, links, end) => {
    fs.symlinkSync("app/sub/..", join(folder, "way"));
    for (const [name, text] of links) link(name, text.replace("APP", join(folder, "app")));
    const names = links.map(([name]) => name);
    for (const place of places()) {
      const before = everythingIn(source, (path) => path !== "out");
      const remarks = await copy(place);
      expect(remarks.join("\n")).toMatch(/is a link that would lead elsewhere from the copy; there it says/);
      if (end === "none/new") fs.mkdirSync(join(place, "none"));
      fs.writeFileSync(join(place, names.at(-1)!), "written through the link");
      expect(fs.readFileSync(join(place, end), "utf8"), place).toBe("written through the link");
      expect(everythingIn(source, (path) => path !== "out")).toEqual(before);
    }
  });

  it("one whose name and text are no text of people", async () => {
    const odd = Buffer.from([0xff, 0xfe]);
    const at = (where: string): Buffer => Buffer.concat([Buffer.from(`${where}/`), odd]);
    fs.symlinkSync("p", at(folder));
    fs.symlinkSync(Buffer.concat([Buffer.from("../"), odd, Buffer.from("/file")]), at(source));
    await copy(join(folder, "beside"));
    fs.writeFileSync(at(join(folder, "beside")), "written through the link");
    expect(fs.readFileSync(join(source, "file"), "utf8")).toBe("of the source");
  });
});

describe("in a copy", () => {
  it("links among its files say what they said, also in circles, and to what is not there, or comes later", async () => {
    const texts = {
      "0first": "zlast",
      dangling: "sub/none/../x",
      circle: "sub/circle",
      "sub/circle": "../circle",
      itself: "itself",
      up: "sub/../file",
      here: ".",
      by: "here/sub/./other",
      far: "/usr/bin/env",
      farther: "far",
    };
    for (const [name, text] of Object.entries(texts)) link(name, text);
    write(source, { zlast: "last" });
    for (const place of places()) {
      expect(await copy(place)).toEqual([]);
      for (const [name, text] of Object.entries(texts))
        expect(fs.readlinkSync(join(place, name)), name).toBe(text);
      expect(fs.realpathSync(join(place, "0first"))).toBe(join(place, "zlast"));
      expect(fs.realpathSync(join(place, "by"))).toBe(join(place, "sub/other"));
    }
  });

  it("a link to what lies beside the source leads there, wherever the copy is", async () => {
    write(folder, { "lib/x": "beside" });
    link("lib", "../lib");
    link("x", "lib/x");
    for (const place of places()) {
      expect(await copy(place)).toEqual([
        `\`lib\` is a link that would lead elsewhere from the copy; there it says \`${folder}/lib\``,
      ]);
      expect(fs.readFileSync(join(place, "x"), "utf8")).toBe("beside");
      expect(fs.readlinkSync(join(place, "x"))).toBe("lib/x");
    }
  });

  it("a link behind a circle is left out: nobody knows where it would lead", async () => {
    link("circle", "circle");
    link("k", "circle/../../app/file");
    expect(await copy()).toEqual(["left out `k`: it is a link that leads in a circle"]);
    expect(fs.readdirSync(target).sort()).toEqual(["circle", "file", "out", "sub"]);
  });
});
