// How templates word what an agent is shown: each once, as it is made. The log keeps it, so nothing is ever worded anew.

import { hostname, machine, release, type as system, version } from "node:os";
import { explaining } from "../../base/template/templates.ts";
import { fieldsOf } from "../../base/text/json.ts";
import { laneOf } from "../../domain/message/message.ts";
import type { NewEvent, Stop } from "../../domain/event/event.ts";
import type { Completion, ModelProfile } from "../../domain/model.ts";
import type { BashSettings, TaskTemplates } from "../../domain/task-templates.ts";
import { totalUsage } from "../../past/ledger.ts";
import type { Memory } from "../../past/past.ts";
import { BASH } from "../../model/protocol/bash.ts";

export interface Wording {
  /**
   * Events of mail that is taken in: the first message as the agent is shown it, and before that what its prompts open with.
   * Rejects with CONFIG where a template cannot be rendered.
   */
  present(events: readonly NewEvent[]): Promise<readonly NewEvent[]>;
  /** What its prompts open with for `task`, and its first message. Rejects as `present`. */
  open(task: string): Promise<{ readonly system: string; readonly shown: string }>;
  /** What the model is told of a reply that holds no command; `found`: all that looked like one. Rejects as `present`. */
  formatError(error: string, found: readonly string[], completion: Completion): Promise<string>;
  /** The template of that name, which may name `variables`. Rejects as `present`. */
  word(template: keyof TaskTemplates, variables: Readonly<Record<string, unknown>>): Promise<string>;
}

/** Whose prompts are worded. */
export interface WordingSource {
  readonly memory: Pick<Memory, "ledger" | "offers">;
  readonly model: { readonly profile: Pick<ModelProfile, "tools"> };
  /** Absolute path of the folder it works in. */
  readonly folder: string;
  /** Those that its commands see: no key is among them. */
  readonly variables: Readonly<Record<string, string>>;
}

/** What an agent's log keeps of the beginning of its task. */
export interface TaskOpening {
  readonly system: string;
  readonly task: string;
}

/** Renders templates, and finds what fits expressions in Python's syntax. */
export interface TemplateEngine {
  /** Rejects with CONFIG. */
  render(source: string, variables: Readonly<Record<string, unknown>>): Promise<string>;
  /** As `render`. */
  match(expression: string, text: string): Promise<readonly string[]>;
  /** As `render`. */
  begins(expression: string, text: string): Promise<boolean>;
}

export type OpenWording = (source: WordingSource) => Wording;

export function createWording(
  { templates, variables: settled, calls, explain = explainPlainly }: BashSettings,
  engine: Pick<TemplateEngine, "render">,
): OpenWording {
  return ({ memory, model, folder, variables }) => {
    const render = async (
      name: keyof TaskTemplates,
      more: Readonly<Record<string, unknown>>,
    ): Promise<string> => {
      const { steps, workingMs } = memory.ledger.spent;
      const way = calls === "auto" && model.profile.tools ? "tools" : "text";
      const rendered = engine.render(templates[name] ?? "", {
        ...variables,
        ...machineFacts(),
        cwd: folder,
        ...settled,
        calls: way,
        n_model_calls: steps,
        model_cost: totalUsage(memory.ledger).cost ?? 0,
        elapsed_seconds: Math.floor(workingMs / 1_000),
        task: fieldsOf(memory.offers.get(BASH))["task"] ?? "",
        ...more,
      });
      const text = await explaining(rendered, (fault) => explain(name, fault));
      return text.trim() === "" && !mayBeBlank(name, way) ? BLANK : text;
    };
    const open: Wording["open"] = async (task) => {
      const [opening, shown] = await Promise.all([render("system", { task }), render("instance", { task })]);
      return { system: opening, shown };
    };
    return {
      open,
      async present(events) {
        const first = memory.offers.has(BASH) ? -1 : events.findIndex(isTask);
        const event = events[first];
        if (event?.kind !== "message") return events;
        const task = event.message.content;
        const { system: opening, shown } = await open(task);
        const offer = JSON.stringify({ system: opening, task } satisfies TaskOpening);
        return [{ kind: "offered", module: BASH, offer }, ...events.with(first, { ...event, shown })];
      },
      formatError(error, found, { stop, calls: made }) {
        if (stop === "length" && !templates.formatError.includes("finish_reason"))
          return Promise.resolve(error);
        const finish = { finish_reason: FINISH[stop], has_tool_calls: made.length > 0 };
        return render("formatError", { error, actions: found, ...finish });
      },
      word(name, variables) {
        if (name !== "timeout") return render(name, variables);
        if (templates.timeout === undefined) return render("observation", variables);
        // Version 1 of mini-SWE-agent, which alone has it, gives it the output as a text.
        return render("timeout", { ...variables, output: fieldsOf(variables["output"])["output"] });
      },
    };
  };
}

const BLANK = "(empty)";

/** No provider takes a message that is blank; what came of a native call may be nothing. */
function mayBeBlank(name: keyof TaskTemplates, way: "tools" | "text"): boolean {
  if (name === "instance" || name === "formatError") return false;
  return way === "tools" || (name !== "observation" && name !== "timeout");
}

export function explainPlainly(what: keyof TaskTemplates | "actionRegex", fault: string): string {
  return what === "actionRegex" ? `actionRegex: ${fault}` : `templates.${what}: ${fault}`;
}

/** As OpenAI names them, which is how templates know them. */
const FINISH: Readonly<Record<Stop, string>> = {
  end: "stop",
  unparsed: "stop",
  calls: "tool_calls",
  length: "length",
  refused: "content_filter",
  aborted: "stop",
};

function isTask(event: NewEvent): boolean {
  if (event.kind !== "message") return false;
  const lane = laneOf(event.message);
  return lane !== "abort" && lane !== "verdict";
}

/** By the names that Python has for them. */
function machineFacts() {
  const kind = machine();
  return {
    system: system(),
    node: hostname(),
    release: release(),
    version: version(),
    machine: kind,
    processor: kind,
  };
}
