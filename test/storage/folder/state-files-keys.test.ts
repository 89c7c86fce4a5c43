import { join } from "node:path";
import { expect, it } from "vitest";
import type { Event, StateChange } from "../../../src/domain/event/event.ts";
import { createDisk } from "../../../src/base/files/disk.ts";
import { defineModule } from "../../../src/domain/authoring/module.ts";
import { createProjections } from "../../../src/storage/folder/state-files.ts";
import { createModuleState, foldState } from "../../../src/past/state.ts";
import { createTempProject } from "../../temp-project.ts";

const settings = defineModule({
  name: "settings",
  projection: { kind: "file", name: "settings.json" },
  actions: {},
});

const changed = (...state: readonly StateChange[]): Event => ({
  seq: 0,
  epoch: 0,
  at: "",
  kind: "result",
  call: "c",
  outcome: "ok",
  content: "",
  state,
});

it("a file of several keys that a crash left behind is completed, in whatever order they changed", async () => {
  const root = await createTempProject();
  const place = {
    disk: createDisk(join(root, "tmp")),
    folder: join(root, "1"),
    corruptFolder: join(root, "x"),
  };
  const projections = createProjections([settings], place);
  const state = createModuleState();
  const first: readonly StateChange[] = [
    ["settings", "a", 1],
    ["settings", "b", 2],
  ];
  foldState(state, changed(...first));
  await projections.write(first, state);
  // Committed, and killed before its file was written.
  foldState(state, changed(["settings", "a", 3]));
  expect(await createProjections([settings], place).reconcile(state)).toEqual([]);
  const text = (await place.disk.read(join(root, "1", "settings.json")))!.toString();
  expect(JSON.parse(text)).toEqual({ a: 3, b: 2 });
});
