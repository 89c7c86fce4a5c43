// A program that is asked before its agent writes a file, and answers.
//
//   node examples/questions.mjs [folder] [yes|no]

import { Legion } from "ai-legion";

const [project = ".", word = "yes"] = process.argv.slice(2);

// What has to be asked waits for an answer, also while no program runs: what an earlier run left open comes again.
const legion = await Legion.open({ project, approvals: "wait", policy: { ask: ["write **"] } });

const answer = ({ id, agent, action, parameters, rule, expires }) => {
  console.log(`Agent ${agent} asks ${id}: ${action} ${parameters.path}? (${rule}; a no at ${expires})`);
  const answered = word === "yes" ? legion.approve(id) : legion.deny(id, "say it in a message instead");
  // Somebody else may have been faster: `legion approve` works here as well.
  answered.catch(({ message }) => console.log(message));
};

// A question is seen when it comes, and again, with `ended`, when it is over.
legion.runtime.inspector.watch((seen) => {
  if (seen.kind !== "question") return;
  if (seen.ended) console.log(`${seen.question.id} was ${seen.ended.verdict}.`);
  else answer(seen.question);
});

const agent = await legion.spawn();
await agent.prompt("survey .");
await legion.stop();
