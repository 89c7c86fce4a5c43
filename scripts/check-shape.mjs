// `node scripts/check-shape.mjs [folder]` prints what breaks the rules of the house, as `file:line: problem`.

import { root } from "./repo.mjs";
import { checkShape } from "./shape/shape.mjs";

const problems = checkShape(process.argv[2] ?? root);
for (const { path, line, text } of problems) console.log(`${path}:${line}: ${text}`);
if (problems.length > 0) process.exitCode = 1;
