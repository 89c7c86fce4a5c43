// The lines of a report.

import type { JSX } from "preact";
import type { ReadingAnswer } from "../../src/control/api/readings.ts";
import { CONTROL, displayName } from "../../src/domain/message/message.ts";
import { ByCommand, Difference } from "../changes/changes.tsx";
import { isFile, savedOnly } from "../connection/record.ts";
import { count, lasting, moment, money } from "../parts/numbers.ts";
import { oneLine, shown } from "../parts/shown.ts";
import { addressOf, isLive } from "../place.ts";
import { TakeBack } from "./take-back.tsx";

export type Told = ReadingAnswer<"report">;
export type Group<K extends "waiting" | "asked" | "odd" | "changed" | "commands"> = Told[K]["items"][number];

export const STATES: Readonly<Record<Group<"asked">["state"], readonly [words: string, look: string]>> = {
  asks: ["waits for you", "warn"],
  parked: ["stands still", "warn"],
  refused: ["not delivered", "bad"],
  unanswered: ["never answered", "bad"],
  waiting: ["waits", "warn"],
  working: ["goes on", "busy"],
  answered: ["answered", "good"],
  told: ["told", ""],
};

export function spentWords({ steps, timeMs, cost, unpriced, tokens }: Told["spent"]): readonly string[] {
  if (steps === 0) return [];
  const known = unpriced > 0 && cost === 0 ? "price unknown" : money(cost) + (unpriced > 0 ? " + ?" : "");
  return [
    count(steps, "step"),
    ...(timeMs >= 1_000 ? [lasting(timeMs)] : []),
    ...(tokens > 0 ? [known] : []),
  ];
}

/** Where there is more than the report, the way to the agent. */
function Who({ id }: { readonly id: string }): JSX.Element {
  const name = id === CONTROL ? "you" : oneLine(displayName(id));
  if (id === CONTROL || savedOnly.value.report) return <>{name}</>;
  return <a href={addressOf({ area: "agent", agent: id })}>{name}</a>;
}

export function Waiting({ item }: { readonly item: Group<"waiting"> }): JSX.Element {
  const { kind, id, agent, text, since, way } = item;
  const asks = `asks ${oneLine(id)}: may I ${text.startsWith("call ") ? "" : "call "}${oneLine(text)}?`;
  const said = {
    question: asks,
    dead: `: a message was not delivered, ${oneLine(text)}`,
    start: oneLine(text),
  };
  const words = said[kind as keyof typeof said] ?? `is ${kind}${text === "" ? "" : `: ${oneLine(text)}`}`;
  return (
    <>
      {kind !== "start" && <Who id={agent} />} {words} {since !== null && <time>{moment(since)}</time>}
      <br />
      <code class="way">{oneLine(way)}</code>
      {kind === "question" && !isFile && (
        <>
          {" "}
          or <a href={addressOf({ area: "questions" })}>answer it here</a>
        </>
      )}
    </>
  );
}

const SPEAKERS = {
  person: "",
  program: " by another program",
  runtime: " by the runtime",
  agent: " by an agent",
};

export function Asked({ item }: { readonly item: Group<"asked"> }): JSX.Element {
  const { root, from, agent, text, at, state, why, answer, answers, agents, spent, times, files, commands } =
    item;
  const [words, look] = STATES[state];
  const facts = [
    ...(times > 1 ? [count(times, "time")] : []),
    ...spentWords(spent),
    ...(answers > 1 ? [count(answers, "answer")] : []),
  ];
  const others = agents.filter((id) => id !== agent);
  return (
    <>
      <b>{oneLine(text ?? `(${root}, of which no log has the words)`)}</b>
      <br />
      <span class={`now ${look}`}>{words}</span>{" "}
      <span class="aside">
        {from === "runtime" ? "said" : "asked"}
        {SPEAKERS[from]} {at !== null && moment(at)} to <Who id={agent} />
        {others.map((id, index) => (
          <span key={id}>
            {index === 0 ? " with " : ", "}
            <Who id={id} />
          </span>
        ))}
        {facts.length > 0 && ` · ${facts.join(" · ")}`}
      </span>
      {why !== "" && state !== "asks" && <p>{oneLine(why)}</p>}
      {answer && (
        <blockquote>
          <span class="aside">
            <Who id={answer.agent} />, {moment(answer.at)}:
          </span>{" "}
          {shown(answer.text)}
          {answer.isCut && " …"}
          {answer.receipts.map((line) => (
            <span key={line} class="cited">
              {oneLine(line)}
            </span>
          ))}
        </blockquote>
      )}
      {files + commands > 0 && <Deeds item={item} />}
    </>
  );
}

function Deeds({
  item: { root, files, moreFiles, commands },
}: {
  readonly item: Group<"asked">;
}): JSX.Element {
  return (
    <div class="aside">
      {files > 0 && `${moreFiles > 0 ? "at least " : ""}${count(files, "file")} changed`}
      {files > 0 && commands > 0 && ", "}
      {commands > 0 && count(commands, "command")}
      {isLive.value ? (
        <TakeBack what={root} />
      ) : (
        <>
          ; to take back: <code class="way">legion undo '{oneLine(root)}' --dry-run</code>
        </>
      )}
    </div>
  );
}

function Whose({ ids }: { readonly ids: readonly string[] }): JSX.Element {
  if (ids.length > 3) return <>{count(ids.length, "agent")}</>;
  return (
    <>
      {ids.map((id, index) => (
        <span key={id}>
          {index > 0 && ", "}
          <Who id={id} />
        </span>
      ))}
    </>
  );
}

export function Odd({ item }: { readonly item: Group<"odd"> }): JSX.Element {
  const { kind, agents, text, at, until, way } = item;
  return (
    <>
      {/* The words of a knot name them. */}
      {kind !== "knot" && (
        <>
          <Whose ids={agents} />
          {": "}
        </>
      )}
      {oneLine(text)}{" "}
      {at !== null && (
        <time>
          {moment(at)}
          {until !== null && until !== at && ` to ${moment(until)}`}
        </time>
      )}
      {way !== "" && (
        <>
          <br />
          <code class="way">{oneLine(way)}</code>
        </>
      )}
    </>
  );
}

interface ForWhatProps {
  readonly item: Group<"changed"> | Group<"commands">;
  readonly who: JSX.Element | string;
}

function ForWhat({ item: { at, asked, times }, who }: ForWhatProps): JSX.Element {
  return (
    <span class="aside">
      {times > 1 && `${count(times, "time")}, `}by {who}, {moment(at)}
      {asked !== null && `, for: ${oneLine(asked)}`}
    </span>
  );
}

export function Changed({ item }: { readonly item: Group<"changed"> }): JSX.Element {
  const {
    agent,
    path,
    from,
    does,
    added,
    removed,
    diff,
    isCut,
    command,
    commandSeq,
    isShared,
    besides,
    takenBack,
  } = item;
  const who = <Who id={agent} />;
  const isPlain = diff === "" && command === null;
  const line = (
    <>
      <b>{does}</b> {command !== null && "by a command "}
      <code>{(from === undefined ? "" : `${oneLine(from)} → `) + oneLine(path)}</code>{" "}
      {besides > 0 && `and ${besides} more `}
      {takenBack > 0 && `(${takenBack === item.times ? "" : `${takenBack} of ${item.times} `}taken back) `}
      {added > 0 && <span class="added">+{added}</span>}{" "}
      {removed > 0 && <span class="removed">−{removed}</span>}{" "}
      {/* What opens it cannot lead elsewhere as well. */}
      <ForWhat item={item} who={isPlain ? who : oneLine(displayName(agent))} />
    </>
  );
  if (isPlain) return line;
  return (
    <details>
      <summary>{line}</summary>
      {diff !== "" && <Difference text={diff} />}
      {command !== null && (
        <ByCommand command={command} isShared={isShared} event={`${agent}.${commandSeq}`} />
      )}
      {!savedOnly.value.report && who}
      {isCut && <p class="dim">There is more of it.</p>}
    </details>
  );
}

interface CommandProps {
  readonly item: Group<"commands">;
  /** Is of any command of the report known what it changed? */
  readonly isAnyKnown: boolean;
}

export function Command({ item, isAnyKnown }: CommandProps): JSX.Element {
  const { command, outcome, exit } = item;
  const failed = exit !== null && exit !== 0 ? `exit ${exit}` : outcome === "ok" ? "" : "error";
  const came = outcome === "interrupted" ? "unknown" : failed;
  return (
    <>
      <code>{oneLine(command)}</code> {came !== "" && <span class="now bad">{came}</span>}{" "}
      {isAnyKnown && changedWords(item)} <ForWhat item={item} who={<Who id={item.agent} />} />
    </>
  );
}

function changedWords({ files, times, isShared, unknown }: Group<"commands">): string {
  if (files === null) return "changes not known";
  const many = files === 0 ? "nothing" : count(files, "file") + (times > 1 ? " each" : "");
  const least = unknown === null ? "" : "at least ";
  return `changed ${least}${many}${isShared ? ", or another command that ran meanwhile did" : ""}`;
}
