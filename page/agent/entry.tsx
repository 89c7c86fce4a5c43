// One event of a log, as a person reads it.

import { useSignal } from "@preact/signals";
import type { ComponentChildren, JSX } from "preact";
import type { Call, Event, EventOf } from "../../src/domain/event/event.ts";
import { nameOf } from "../legion/overview.ts";
import { LongText } from "../parts/long-text.tsx";
import { grouped, money } from "../parts/numbers.ts";
import { oneLine, written } from "../parts/shown.ts";
import { TimeLink } from "../time/time-link.tsx";
import { ByCommands } from "./by-commands.tsx";
import { More, MoreButton } from "./more.tsx";
import { Prompt } from "./prompt.tsx";

export interface EntryProps {
  readonly agent: string;
  readonly event: Event;
  /** The call that a result answers, where it is known. */
  readonly call?: Call;
  /** It stands on a branch that was left. */
  readonly isLeft?: boolean;
  /** Two pasts part here. */
  readonly isFirst?: boolean;
}

export function Entry({ agent, event, call, isLeft = false, isFirst = false }: EntryProps): JSX.Element {
  const { seq, at } = event;
  const isMore = useSignal(false);
  return (
    <li
      data-seq={seq}
      class={`entry k-${event.kind}${isLeft ? " left" : ""}${isMinor(event) ? " minor" : ""}`}
    >
      <div class="when">
        <TimeLink at={at} />
        <span class="seq">{seq}</span>
        <MoreButton seq={seq} isOpen={isMore} />
      </div>
      <div class="what">
        {isFirst && <span class="tag parts">differs first</span>}
        {isLeft && <span class="tag">on a branch that was left</span>}
        <Body agent={agent} event={event} call={call} />
        {isMore.value && <More agent={agent} event={event} />}
      </div>
    </li>
  );
}

/** Bookkeeping, which most people do not look for. */
export function isMinor({ kind }: Event): boolean {
  return ["opened", "prompted", "sent", "released", "offered", "recalled", "observed"].includes(kind);
}

function Body({ agent, event, call }: EntryProps): JSX.Element {
  switch (event.kind) {
    case "message":
      return <Mail event={event} />;
    case "decision":
      return <Decision agent={agent} event={event} />;
    case "result":
      return <Result event={event} call={call} />;
    case "summary":
      return <Summary event={event} />;
    case "approval":
      return <Approval event={event} />;
    case "notice":
      return <Notice event={event} />;
    case "branch":
      return <Line kind="branch">goes on from event {event.to}</Line>;
    case "refused":
      return (
        <Line kind="refused">
          {event.status === undefined ? "no connection" : `answered ${event.status}`}: no step, no cost
        </Line>
      );
    case "edited":
      return (
        <Line kind="edited">
          by hand: {oneLine(event.module)}, {oneLine(event.key)}
        </Line>
      );
    default:
      return <Line kind={event.kind}>{minorWords(event)}</Line>;
  }
}

function Line({
  kind,
  children,
}: {
  readonly kind: string;
  readonly children?: ComponentChildren;
}): JSX.Element {
  return (
    <p class="line">
      <b class="kind">{kind}</b> {children}
    </p>
  );
}

function Mail({ event }: { readonly event: EventOf<"message"> }): JSX.Element {
  const { message, held } = event;
  const { id, source, delivery, content, taint } = message;
  const who = source.type === "user" ? "The runtime" : nameOf(source.id);
  return (
    <>
      <p class="line">
        <b class="kind">mail</b> from <b>{oneLine(who)}</b>
        {delivery !== "normal" && <span class="tag">{delivery}</span>}
        {held && <span class="tag">held</span>}
        {taint && <span class="tag outside">after words from outside</span>}
        <span class="dim"> {oneLine(id)}</span>
      </p>
      <LongText text={content} />
    </>
  );
}

function Decision({
  agent,
  event,
}: {
  readonly agent: string;
  readonly event: EventOf<"decision">;
}): JSX.Element {
  const { text, thoughts, calls, model, usage, cost, stop, sends = [], seq } = event;
  const isPromptShown = useSignal(false);
  const isUsual = stop === "end" || stop === "calls";
  return (
    <>
      <p class="line">
        <b class="kind">decision</b> <span class="dim">{oneLine(model)}</span>
        {!isUsual && <span class="tag">{stop}</span>}
        <span class="dim">
          {grouped(usage.input)} in{usage.cacheRead ? ` (${grouped(usage.cacheRead)} cached)` : ""},{" "}
          {grouped(usage.output)} out
          {cost !== undefined && `, ${money(cost)}`}
        </span>
        <button
          type="button"
          class="quiet"
          aria-expanded={isPromptShown.value}
          onClick={() => (isPromptShown.value = !isPromptShown.value)}
        >
          Prompt
        </button>
      </p>
      {isPromptShown.value && <Prompt agent={agent} at={seq} />}
      {thoughts && (
        <details class="thoughts">
          <summary>Thoughts</summary>
          <LongText text={thoughts} chars={4_000} />
        </details>
      )}
      {text !== "" && <LongText text={text} />}
      {calls.map((call) => (
        <CallLine key={call.id} call={call} />
      ))}
      <Sends sends={sends} />
    </>
  );
}

function CallLine({ call }: { readonly call: Call }): JSX.Element {
  const { action, parameters } = call;
  const isEmpty = written(parameters) === "{}";
  return (
    <div class="call">
      <code class="action">{oneLine(action)}</code>
      {!isEmpty && <LongText text={parametersIn(parameters)} chars={600} isCode />}
    </div>
  );
}

/** `name: value` lines where that can be said so. */
function parametersIn(parameters: unknown): string {
  if (typeof parameters !== "object" || parameters === null) return written(parameters);
  return Object.entries(parameters)
    .map(([name, value]) => `${name}: ${written(value)}`)
    .join("\n");
}

function Sends({
  sends,
}: {
  readonly sends: EventOf<"message">["message"][] | readonly EventOf<"message">["message"][];
}): JSX.Element {
  return (
    <>
      {sends.map(({ id, targetAgentIds, content }) => (
        <div class="send" key={id}>
          <p class="line">
            to <b>{oneLine(targetAgentIds.map(nameOf).join(", "))}</b> <span class="dim">{oneLine(id)}</span>
          </p>
          <LongText text={content} />
        </div>
      ))}
    </>
  );
}

const OUTCOMES = { ok: "✓", error: "✕", idle: "–", interrupted: "!" } as const;

function Result({
  event,
  call,
}: {
  readonly event: EventOf<"result">;
  readonly call: Call | undefined;
}): JSX.Element {
  const { outcome, content, details, sends = [], taint, changed } = event;
  return (
    <>
      <p class="line">
        <b class="kind">result</b> {call && <code>{oneLine(call.action)}</code>}
        <span class={`tag o-${outcome}`}>
          <span aria-hidden="true">{OUTCOMES[outcome]} </span>
          {outcome}
        </span>
        {taint && <span class="tag outside">from outside</span>}
      </p>
      {content !== "" && <LongText text={content} isCode />}
      {changed && <ByCommands changed={changed} />}
      {details !== undefined && details !== null && (
        <details>
          <summary>Details</summary>
          <LongText text={written(details)} chars={4_000} isCode />
        </details>
      )}
      <Sends sends={sends} />
    </>
  );
}

function Summary({ event }: { readonly event: EventOf<"summary"> }): JSX.Element {
  const { covers, content, tokens } = event;
  if (covers[1] === 0) return <Line kind="summary">not kept: it would have freed no space</Line>;
  return (
    <>
      <Line kind="summary">
        of {covers[0]} to {covers[1]}
        {tokens && `, ${grouped(tokens.before)} → ${grouped(tokens.after)} tokens`}
      </Line>
      <LongText text={content} />
    </>
  );
}

function Approval({ event }: { readonly event: EventOf<"approval"> }): JSX.Element {
  const { asked, verdict, reason } = event;
  const words = asked
    ? `asked whether it may call ${asked.action}: ${asked.rule}`
    : (verdict ?? "asked you in a message");
  return (
    <Line kind="approval">
      {oneLine(words)}
      {reason ? `: ${oneLine(reason)}` : ""}
    </Line>
  );
}

function Notice({ event }: { readonly event: EventOf<"notice"> }): JSX.Element {
  const { reason, content, sends = [] } = event;
  return (
    <>
      <Line kind={reason === "gap" ? "gap" : "notice"}>{reason}</Line>
      {content !== "" && <LongText text={content} />}
      <Sends sends={sends} />
    </>
  );
}

function minorWords(event: Event): string {
  switch (event.kind) {
    case "opened":
      return `log ${oneLine(event.log)}`;
    case "prompted":
      return `${oneLine(event.model)}, about ${grouped(event.reserved.input)} tokens`;
    case "sent":
      return `everything up to event ${event.upTo} is delivered`;
    case "released":
      return `shown from here on: events ${event.messages.join(", ")}`;
    case "offered":
      return `what ${oneLine(event.module)} found`;
    case "recalled":
      return `${oneLine(event.module)} recalled ${oneLine(event.key)}`;
    default:
      return "";
  }
}
