// Brings the public skills, and the reference for what a skill is, that tests hold ours against. Plain JavaScript on Node alone.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { bring } from "./bench/bring.mjs";
import { provide } from "./debian.mjs";
import { root } from "./repo.mjs";

const COLLECTION = { name: "@tanstack/intent", version: "0.4.0" };
const REFERENCE = { name: "skills-ref", version: "0.1.5" };

/** Looks without changing anything. The folders of the two packages; undefined unless both are there. */
export function findSkillPackages() {
  /** @param {typeof COLLECTION} wanted */
  const folderOf = ({ name, version }) =>
    join(root, "node_modules/.cache", name.replace("/", "+"), version, "node_modules", name);
  const [collection = "", reference = ""] = [COLLECTION, REFERENCE].map(folderOf);
  const areThere = [collection, reference].every((folder) => existsSync(join(folder, "package.json")));
  return areThere ? { collection, reference } : undefined;
}

export function provideSkills() {
  return provide({
    name: "skills",
    program: "public skills",
    way: "Install npm, and let it reach its registry.",
    find: findSkillPackages,
    bring: () => [COLLECTION, REFERENCE].forEach(({ name, version }) => void bring(name, version)),
  });
}
