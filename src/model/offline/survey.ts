// What an agent does for a survey: list the folder, ask who is there, share it out, walk its own share, wait for the
// reports, merge them, tell; or walk the share that it was given, note what it found, and report.

import { count } from "../../base/text/wording.ts";
import { CONTROL, displayName } from "../../domain/message/message.ts";
import type { Wanted } from "./commands.ts";
import { entriesOf, reasonIn, writeFindings } from "./findings.ts";
import { returnShare, writeReport, writeShare, type Share } from "./letters.ts";
import { lastStep, sendMessage, untried, type Move } from "./move.ts";
import { quotePath, joinPath, writePath } from "./paths.ts";
import { glanceCalls, SURVEY_FILE, writeSummary, writeSurvey, type Contribution } from "./survey-file.ts";
import { completeGoals, isLost, setGoal, surveyEnd, type Survey } from "./surveys.ts";
import { runningPeers, shareOut } from "./team.ts";
import { FORGOTTEN, type OfflineView } from "./view.ts";
import { walk } from "./walk.ts";

export function surveyMove(view: OfflineView, survey: Survey): Move {
  return survey.share ? walkShare(view, survey, survey.share) : lead(view, survey);
}

/** The report says it all; a note is to be read. */
const MAX_NOTE_BYTES = 2_000;

function walkShare(view: OfflineView, survey: Survey, share: Share): Move {
  const { asker, at, dir } = survey;
  if (at === FORGOTTEN) {
    return {
      says: "I have lost the beginning of this and give my share back.",
      calls: completeGoals(view, survey),
      replies: [{ to: [asker], text: returnShare(share) }],
    };
  }
  const { next, findings } = walk(view, at, share);
  if (next.length > 0) return act(view, survey, `${count(next.length, "thing")} to look at`, next);
  const title = `Survey of ${writePath(dir)} for ${displayName(asker)}, my share`;
  const content = writeFindings(findings, MAX_NOTE_BYTES);
  return {
    says: `My share of the survey of ${quotePath(dir)} is walked.`,
    calls: [
      ...untried(view, at, { action: "writeNote", parameters: { title, content } }),
      ...completeGoals(view, survey),
    ],
    replies: [{ to: [asker], text: writeReport(share, findings) }],
  };
}

function act(view: OfflineView, survey: Survey, what: string, calls: readonly Wanted[]): Move {
  const says = `Survey of ${quotePath(survey.dir)}: ${what}.`;
  return { says, calls: [...setGoal(view, survey), ...calls], replies: [] };
}

/** Without these there is no survey. */
const NEEDED = ["listDirectory", "outline", "writeFile"];
/** Not what belongs to the machinery, nor the result of an earlier survey. */
const LEFT_OUT = /^(?:\.git|node_modules|\.ai-legion|SURVEY\.md)\/?$/;

function lead(view: OfflineView, survey: Survey): Move {
  const { dir, at } = survey;
  const lacked = NEEDED.find((action) => !view.tools.has(action));
  if (lacked) return fail(view, survey, `this agent has no action \`${lacked}\``);
  if (isLost(view, survey)) return fail(view, survey, "it takes more room than I have");
  const list = { action: "listDirectory", parameters: { path: dir } };
  const registry = { action: "queryAgentRegistry", parameters: {} };
  const questions = untried(view, at, list, registry);
  const listed = lastStep(view, at, list);
  if (!listed || questions.length > 0)
    return act(view, survey, "finding out what is there, and who", questions);
  const entries = entriesOf(listed);
  if (typeof entries === "string") return fail(view, survey, entries);
  const names = entries.names.filter((name) => !LEFT_OUT.test(name));
  const peers = runningPeers(lastStep(view, at, registry)?.result.content ?? "", view.own);
  const { own, parts } = shareOut(view, at, { dir, entries: names }, peers);
  const unsent = parts.filter(({ state }) => state === "unsent");
  const letters = unsent.map(({ agent, share }) => sendMessage({ to: [agent], text: writeShare(share) }));
  const glance = glanceCalls(dir, names);
  const { next, findings } = walk(view, at, own);
  const looks = [...untried(view, at, ...glance), ...next];
  if (letters.length > 0) return act(view, survey, "sharing it out", [...letters, ...looks]);
  if (looks.length > 0) return act(view, survey, `${count(looks.length, "thing")} to look at`, looks);
  const missing = parts.filter(({ state }) => state === "awaited").map(({ agent }) => displayName(agent));
  if (missing.length > 0) {
    const says = `For the survey of ${quotePath(dir)} I am waiting for the report of ${missing.join(", ")}.`;
    return { says, calls: [], replies: [] };
  }
  const { unnamed } = entries;
  const all = { ...findings, files: findings.files + unnamed, unread: findings.unread + unnamed };
  return merge(view, survey, glance, [
    { agent: view.own, entries: own.entries, findings: all },
    ...parts.flatMap(({ agent, share, state }) =>
      typeof state === "object" ? [{ agent, entries: share.entries, findings: state }] : [],
    ),
  ]);
}

/** Writes it all down, then tells. */
function merge(
  view: OfflineView,
  survey: Survey,
  glance: readonly Wanted[],
  contributions: readonly Contribution[],
): Move {
  const { dir, at } = survey;
  const path = joinPath(dir, SURVEY_FILE);
  const written = lastStep(view, at, { action: "writeFile", parameters: { path } });
  const summary = writeSummary(contributions);
  if (!written) {
    const looks = glance.flatMap((call) => lastStep(view, at, call) ?? []);
    const content = writeSurvey(dir, looks, contributions);
    const note = {
      action: "writeNote",
      parameters: { title: `Survey of ${writePath(dir)}`, content: summary },
    };
    const what = `merging what ${count(contributions.length, "agent")} found`;
    const write = { action: "writeFile", parameters: { path, content } };
    return act(view, survey, what, [...untried(view, at, note), write]);
  }
  const { content, isError } = written.result;
  const fate = isError
    ? `It could not be written to ${writePath(path)}: ${reasonIn(content, path)}.`
    : `It is written down in ${writePath(path)}.`;
  return end(view, survey, `${surveyEnd(dir, "is done")} ${summary} ${fate}`);
}

function fail(view: OfflineView, survey: Survey, reason: string): Move {
  return end(view, survey, `${surveyEnd(survey.dir, "has failed")} ${reason}.`);
}

/** Goals and end go together: as long as a goal is pending, the survey cannot be forgotten. */
function end(view: OfflineView, survey: Survey, text: string): Move {
  return {
    says: `The survey of ${quotePath(survey.dir)} is over.`,
    calls: completeGoals(view, survey),
    replies: [{ to: [...new Set([survey.asker, CONTROL])], text }],
  };
}
