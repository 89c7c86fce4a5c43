import { describe, expect, it } from "vitest";
import { fromArchive } from "../../../src/storage/archive/imported.ts";
import { receiveAt } from "../../../src/storage/archive/unfold.ts";
import { authorshipOf } from "../../../src/storage/folder/person/authorship.ts";
import { openPersonFolder } from "../../../src/storage/folder/person/folder.ts";
import { createMemoryBackend } from "../../../src/storage/memory/backend.ts";
import { READABLE } from "../../readable.ts";
import { temporaryFolder } from "../../world.ts";
import { archiveOf, restingLegion } from "./archived.ts";

describe("agents that arrive where no files are", () => {
  it("are those of the person who takes them in, whoever this process belongs to", async () => {
    const { project } = await restingLegion();
    const file = await archiveOf(project, ["1", "2"]);
    const person = openPersonFolder({ XDG_CONFIG_HOME: await temporaryFolder() });
    const authorship = await authorshipOf(person);
    const arrival = () => fromArchive(file, { readable: READABLE, authorship });
    const backend = createMemoryBackend();
    await expect(receiveAt(backend, await arrival(), READABLE)).rejects.toMatchObject({ code: "FOREIGN" });
    expect(await receiveAt(backend, await arrival(), READABLE, person)).toEqual([]);
    expect(await backend.reader.known()).toEqual(["1", "2"]);
  });
});
