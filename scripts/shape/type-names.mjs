// A type's name means one thing in all of src/: whoever reads it need not ask which one is meant.

import { nodesOf, problemAt } from "./source.mjs";

/** @typedef {import("./source.mjs").Source} Source */
/** @typedef {import("./source.mjs").Problem} Problem */

/**
 * @param {readonly Source[]} sources
 * @returns {Generator<Problem>}
 */
export function* typeNameRule(sources) {
  /** @type {Map<string, string>} */
  const owners = new Map();
  for (const source of sources.filter(({ path }) => path.startsWith("src/"))) {
    for (const node of nodesOf(source)) {
      if (node.type !== "TSInterfaceDeclaration" && node.type !== "TSTypeAliasDeclaration") continue;
      const { name } = node.id;
      const owner = owners.get(name) ?? source.path;
      owners.set(name, owner);
      if (owner !== source.path)
        yield problemAt(source, node.id, `${name} is a type of ${owner} already: say what is different here`);
    }
  }
}
