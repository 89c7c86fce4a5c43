// One agent's modules: their actions under one roof, their parts of the introduction, and what they may ask for.

import { NO_SECRETS, type Redactor } from "../../base/redaction/redactor.ts";
import { createClosing, type Close } from "../../base/process/closing.ts";
import { findSpec, namesOf, toActionSpec } from "../../domain/action-spec.ts";
import { LegionError } from "../../base/errors.ts";
import type { Action, Effects, Module } from "../../domain/authoring/module.ts";
import type { ProtocolName } from "../../domain/event/event.ts";
import type { ToolSpec } from "../../domain/model.ts";
import { pinnedParts, section, type Introduction } from "./introduction.ts";
import type { ReceiptUse } from "../../domain/message/receipt.ts";
import type { KnownOffers } from "../../past/offers.ts";
import type { Protocol } from "../../model/protocol/protocol.ts";
import type { ActionSpec, Host } from "../../domain/authoring/host.ts";

export interface IndexedAction {
  readonly action: Action;
  readonly spec: ActionSpec;
  readonly module: string;
}

/** The same for all agents with the same modules and protocol. */
export interface ActionIndex {
  readonly modules: readonly Module[];
  readonly actions: ReadonlyMap<string, IndexedAction>;
  readonly specs: readonly ActionSpec[];
  readonly tools: readonly ToolSpec[];
  readonly protocol: ProtocolName;
  readonly history: Protocol["history"];
  readonly howToAct: string;
}

/** Throws CONFIG if two modules have the same name, show their state in the same place or offer the same action. */
export function indexActions(modules: readonly Module[], protocol: Protocol): ActionIndex {
  const actions = new Map<string, IndexedAction>();
  const owners = new Map<string, string>();
  for (const { name: module, projection, actions: own } of modules) {
    const claim = (what: string, refusal: (other: string) => string): void => {
      const other = owners.get(what);
      if (other !== undefined) throw new LegionError("CONFIG", refusal(other));
      owners.set(what, module);
    };
    const both = (other: string): string => `The modules "${other}" and "${module}"`;
    claim(`module ${module}`, () => `There are two modules named "${module}".`);
    if (projection)
      claim(
        `place ${projection.name}`,
        (other) => `${both(other)} would both keep their state in "${projection.name}".`,
      );
    for (const [name, action] of Object.entries(own)) {
      claim(`action ${name}`, (other) => `${both(other)} both have an action "${name}".`);
      actions.set(...indexedAs(module, name, action));
    }
  }
  return ofActions(modules, actions, protocol);
}

function indexedAs(module: string, name: string, action: Action): [string, IndexedAction] {
  return [name, { action, spec: toActionSpec(name, action), module }];
}

function ofActions(
  modules: readonly Module[],
  actions: ReadonlyMap<string, IndexedAction>,
  protocol: Protocol,
): ActionIndex {
  const specs = [...actions.values()].map(({ spec }) => spec);
  const howToAct = protocol.instructions(specs);
  const { name, history } = protocol;
  return { modules, actions, specs, tools: protocol.tools(specs), protocol: name, history, howToAct };
}

/** `index` with what its modules make of what they found; nothing of that takes the name of another action. */
export function withOffers(index: ActionIndex, protocol: Protocol, offers: KnownOffers): ActionIndex {
  const found = index.modules.flatMap((module) => {
    const actions = offers.has(module.name) ? module.offers?.actions?.(offers.get(module.name)) : undefined;
    return Object.entries(actions ?? {}).map(([name, action]) => indexedAs(module.name, name, action));
  });
  if (found.length === 0) return index;
  const actions = new Map(index.actions);
  const taken = new Set(index.specs.flatMap(namesOf));
  for (const [name, indexed] of found) {
    if (taken.has(name)) continue;
    taken.add(name);
    actions.set(name, indexed);
  }
  return ofActions(index.modules, actions, protocol);
}

/** What it says of its actions holds at this moment: they may change while the agent runs. */
export interface ModuleSet extends Omit<ActionIndex, "tools" | "history"> {
  /** What `module` may ask for, outside of any action: reading only. */
  host(module: string): Host;
  /** Of an introduction what is known before anything is decided. */
  standing(): Omit<Introduction, "pinned">;
  introduction(): Promise<Introduction>;
  /** What repeating the action would do, by any of its names; unknown actions count as `once`. */
  effectsOf(action: string): Effects;
  /** Runs what modules registered with `onClose`, last first. Rejects with the first that failed, after all ran. */
  close(): Promise<void>;
  onClose(close: Close): void;
}

/** `speech` says anew each time what the actions are and how they are written; nothing of an introduction holds a secret. */
export function startModules(
  speech: {
    readonly actions: ActionIndex;
    readonly offers?: KnownOffers;
    readonly ways?: { readonly receipts?: ReceiptUse };
  },
  createHost: (module: string) => Host,
  redactor: Redactor = NO_SECRETS,
): ModuleSet {
  const closing = createClosing();
  const { modules } = speech.actions;
  let written: WrittenIndex | undefined;
  const write = (of: ActionIndex): WrittenIndex => {
    const write = of.history === "linear" ? writePlain : writeInstructions;
    const use = speech.ways?.receipts;
    const instructions = write(modules, createHost) + (use ? `\n\n${howToCite(of, use)}` : "");
    return {
      of,
      offers: speech.offers,
      instructions: redactor.text(instructions),
      tools: redactor.value(of.tools),
    };
  };
  const standing = (): WrittenIndex => {
    if (written?.of !== speech.actions || written.offers !== speech.offers) written = write(speech.actions);
    return written;
  };
  return {
    modules,
    get actions() {
      return speech.actions.actions;
    },
    get specs() {
      return speech.actions.specs;
    },
    get protocol() {
      return speech.actions.protocol;
    },
    get howToAct() {
      return speech.actions.howToAct;
    },
    // Made anew each time: thousands of agents that rest should not hold what they do not need.
    host: createHost,
    standing,
    async introduction() {
      const { instructions, tools } = standing();
      const pinned = await pinnedParts(modules, createHost);
      return { instructions, pinned: redactor.text(pinned.join("\n\n")), tools };
    },
    effectsOf(action) {
      const { actions, specs } = speech.actions;
      return actions.get(findSpec(action, specs)?.name ?? "")?.action.effects ?? "once";
    },
    onClose: closing.add,
    async close() {
      const failures = await closing.run();
      if (failures.length > 0) throw failures[0];
    },
  };
}

/** The stable part of an introduction. */
interface WrittenIndex extends Omit<Introduction, "pinned"> {
  readonly of: ActionIndex;
  readonly offers: KnownOffers | undefined;
}

/** In two sentences; who calls tools may also answer in plain words. */
function howToCite({ protocol, actions }: ActionIndex, use: ReceiptUse): string {
  const inSends = actions.has("sendMessage") ? "in `receipts` of `sendMessage`" : undefined;
  const inAnswers =
    protocol === "tools" ? "in the last line of a plain answer, as in `Receipts: #417, #2.418`" : undefined;
  const where = [inSends, inAnswers].filter((way) => way !== undefined).join(", or ");
  const then = use === "required" ? RECEIPTS_REQUIRED : RECEIPTS_READ;
  return section("receipts", `${RECEIPTS_SHOWN} ${where}. ${then}`);
}

const RECEIPTS_SHOWN =
  "Each result is shown under its number, such as [#417]: whenever you report what you did, cite the results that prove it, `#417` for " +
  "your own and `#2.417` for one that agent 2 cited to you,";
const RECEIPTS_READ =
  "Whoever reads it sees whether each is proven, failed, or stale because something was written since: so check once more after your " +
  "last change, and cite that.";
const RECEIPTS_REQUIRED =
  "A report to Control that cites no proven result is not sent at first, and one is stale as soon as something was written since: so " +
  "check once more after your last change, and cite that.";

/** What opens a history in which nothing else is told. */
function writePlain(modules: readonly Module[], hostOf: (module: string) => Host): string {
  return modules.map((module) => module.instructions?.(hostOf(module.name)) ?? "").join("");
}

/** Each module's part with its header, or at the mark that the brief has for it. */
function writeInstructions(modules: readonly Module[], hostOf: (module: string) => Host): string {
  const texts = modules.map((module) => {
    const host = hostOf(module.name);
    const mark = `{${module.name.toUpperCase()}_METADATA}`;
    const isPlaced = host.agent.brief.includes(mark);
    return { name: module.name, text: module.instructions?.(host)?.trim() ?? "", mark, isPlaced };
  });
  const placed = texts.filter(({ isPlaced }) => isPlaced);
  return texts
    .filter(({ text, isPlaced }) => text !== "" && !isPlaced)
    .map(({ name, text }) => section(name, atMarks(text, placed)))
    .join("\n\n");
}

/** In one pass: what stands in place of a mark is not looked through for others. */
function atMarks(text: string, placed: readonly { readonly mark: string; readonly text: string }[]): string {
  const parts = new Map(placed.map(({ mark, text: part }) => [mark, part]));
  return text.replace(/\{[A-Z0-9-]+_METADATA\}/g, (mark) => parts.get(mark) ?? mark);
}

/** The first objective that a module names. */
export function objectiveOf({ modules, host }: ModuleSet): string | undefined {
  for (const module of modules) {
    const objective = module.objective?.(host(module.name));
    if (objective !== undefined) return objective;
  }
  return undefined;
}
