// Grants so many things, one after the other: `grant-process.ts <config home> <name> <count>`.

import { openPersonFolder } from "../../../../src/storage/folder/person/folder.ts";
import { grant } from "../../../../src/storage/folder/person/trust.ts";

const [home = "", name = "", count = ""] = process.argv.slice(2);
const person = openPersonFolder({ XDG_CONFIG_HOME: home });
for (let index = 0; index < Number(count); index++) {
  const given = { what: `code ${name}-${index}`, value: "x" } as const;
  await grant(person, "/all", given);
  await grant(person, `/${name}`, given);
}
