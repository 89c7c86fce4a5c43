// The public library surface. What is not exported here may change at any time.

// -- A legion in a program ----------------------------------------------------------------------------------------------
// `await Legion.open()`, then `legion.spawn("assistant")` and `agent.prompt("...")`. docs/library.md tells it as a story.
// `ai-legion/testing` has what tests of such programs need.
export { OpenLegion as Legion } from "./library/open.ts";
export { run, type RunResult } from "./library/run.ts";
export type { RunOptions } from "./library/run-options.ts";
export type { LegionAgent } from "./library/agent.ts";
export type { LimitsOption, OpenOptions, SpawnOptions } from "./library/options.ts";
export type { PromptOptions } from "./library/prompt.ts";
export type { PromptAnswer } from "./library/prompt-work.ts";

// -- Long-term memory ------------------------------------------------------------------------------------------------------
// A scribe keeps the conversations that a program has: `createInvoker(await legion.spawn("scribe"))`. docs/memory.md tells the whole.
export { createInvoker, type ConversationMessage, type Invoker } from "./library/memory/invoker.ts";
export type { ChatMessage } from "./library/memory/invoking.ts";
export type { LegionMemory, MemorySearch } from "./library/memory/legion-memory.ts";
export type { RememberedContext, RememberedEntry } from "./domain/authoring/memories.ts";
export type { ControlState } from "./domain/event/observed.ts";

// -- Modules: what agents can do ----------------------------------------------------------------------------------------
// A file that exports what `defineModule` returns is a module; agents name it in their definition:
// `modules: [core, ./my-module.js]`. Parameters are schemas of `z`.
export { z } from "zod";
export {
  defineAction,
  defineModule,
  fail,
  fromOutside,
  idle,
  ok,
  type Action,
  type DescribedAction,
  type ParametersSchema,
  type ActionResult,
  type Effects,
  type Module,
  type Offers,
  type Projection,
} from "./domain/authoring/module.ts";
export type {
  ActionSpec,
  History,
  Host,
  Identity,
  NodeHost,
  PastEvent,
  Peer,
  State,
} from "./domain/authoring/host.ts";
export type { ProgramOrder, Programs, StartedProgram, StartProgram } from "./domain/authoring/program.ts";
export type { ServerStatus } from "./domain/authoring/server-status.ts";
export type { Touching } from "./domain/policy/touching.ts";
export { defineShared, defineState } from "./domain/authoring/module-state.ts";
export type {
  BackgroundCommands,
  BackgroundOptions,
  CommandEnd,
  CommandOptions,
  CommandRun,
  Printed,
  Workspace,
} from "./domain/authoring/workspace.ts";

// -- Underneath: agents that run in this process --------------------------------------------------------------------------
// What `Legion.open` is made of, for programs that settle everything themselves. `startLegion` takes plans. `planRoster` makes them from a project's config, agents and teams, as `legion start` does;
// by hand, a plan's `actions` are `indexActions(await loadModules([...]), protocol)`.
export { startLegion, type Legion as LegionRuntime, type LegionOptions } from "./legion/legion.ts";
// `createRedactor((await loadConfig(...)).secrets())` is what `legion start` gives as `redactor`.
export { createRedactor, type Redactor, type Secret } from "./base/redaction/redactor.ts";
export type { AgentPlan, Origin } from "./legion/hosting/agent-plan.ts";
export { planRoster, type Role, type Roster, type RosterDeps, type Who } from "./legion/roster.ts";
export type { Config, ConfigFlags, ConfigSources } from "./config/config.ts";
export type { ProgramProviders } from "./config/files/provider-settings.ts";
export { loadConfig } from "./config/load-config.ts";
export type { Places } from "./config/definition.ts";
export { packageDir } from "./base/package.ts";
export { loadModules } from "./config/module-loader.ts";
export { indexActions, type ActionIndex } from "./agent/parts/module-set.ts";
export type { Standing } from "./agent/parts/presence.ts";
export type { MemorySettings } from "./domain/memory-settings.ts";
export type { Answers, OpenQuestion } from "./legion/questions.ts";
export type { Forked, Forking, ForkOrder } from "./legion/fork.ts";
export type { Question, Settlement } from "./domain/policy/verdict.ts";
export type { JudgedCall, ProgramGate, ProgramVerdict, QuestionSettings } from "./agent/parts/rulebook.ts";
export type { PolicyLayer, PolicyText, Profile } from "./domain/policy/policy.ts";
export type { Touch } from "./domain/policy/rule.ts";
export type { Supervised } from "./legion/supervision/supervisor.ts";
export type { Control } from "./mail/control.ts";
export type { Budget } from "./agent/parts/budget.ts";
export type { Spent } from "./past/limits/spending.ts";
export type { Limits, LimitsChoice } from "./domain/limits.ts";
export type { AgentState, CallPhase, Inspect, Inspection, Inspector, LiveCall } from "./domain/inspection.ts";
export type { AgentEnd, AgentEvent, AgentEventOf } from "./legion/watching/agent-event.ts";
export { iterateAgentEvents, type AgentEventSource } from "./legion/watching/iterate.ts";
export { subscribeToAgent, type AgentListener } from "./legion/watching/subscribe.ts";

// -- What agents run on: models, protocols, environments --------------------------------------------------------------------
// `createScriptedModel` is the test double: a model that answers from a list or a function.
export { chooseModel, type ModelChoice } from "./model/registry/choice.ts";
export { openModel, type ModelDeps } from "./model/registry/registry.ts";
export {
  createScriptedModel,
  type Script,
  type ScriptedAnswer,
  type ScriptedModel,
  type ScriptedOptions,
} from "./model/scripted/scripted.ts";
export type {
  Completion,
  Delta,
  Model,
  ModelProfile,
  ModelRequest,
  ModelRun,
  Price,
  RawCall,
  ToolSpec,
  Turn,
} from "./domain/model.ts";
export { textProtocol } from "./model/protocol/text.ts";
export { toolsProtocol } from "./model/protocol/tools.ts";
export type { Parsed, Protocol } from "./model/protocol/protocol.ts";
export { createLocalEnvironment } from "./environment/local.ts";
export { environmentFor, findEnvironment, type EnvironmentFinding } from "./environment/open.ts";
export type {
  Environment,
  EnvironmentPlace,
  ExecuteOptions,
  OpenEnvironment,
  StartOptions,
} from "./environment/environment.ts";
export type { EnvironmentChoice } from "./environment/settings.ts";

// -- Where legions are kept -------------------------------------------------------------------------------------------------
// `startLegion` keeps a legion in the files of its project unless it is given another place, such as
// `await openBackend({ project, bus: { kind: "process" } })`: the memory of this process, without lock or files.
export { openBackend, type Whereabout, type Voices } from "./storage/open.ts";
export type { Backend } from "./storage/contract/backend.ts";

// -- What is on disk --------------------------------------------------------------------------------------------------------
// `createReader` reads the files of a project without its lock, also while a node runs.
export { createFileReader as createReader, type FileReader } from "./storage/files/reader/reader.ts";
export type { Reader } from "./storage/contract/reader.ts";
export type { Call, Event, EventOf, Outcome, Usage } from "./domain/event/event.ts";
export { displayName, type AgentId, type Message, type SpokenLane } from "./domain/message/message.ts";

// -- Errors -----------------------------------------------------------------------------------------------------------------
export { LegionError, isLegionError, type ErrorCode, type SpendingLimit } from "./base/errors.ts";
