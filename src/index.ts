// The public library surface. What is not exported here may change at any time.

// -- Modules: what agents can do ----------------------------------------------------------------------------------------
// A file that exports what `defineModule` returns is a module; agents name it in their definition:
// `modules: [core, ./my-module.js]`. Parameters are schemas of `z`.
export { z } from "zod";
export {
  defineAction,
  defineModule,
  defineShared,
  defineState,
  fail,
  fromOutside,
  idle,
  ok,
} from "./module.ts";
export type {
  Action,
  ActionResult,
  ActionSpec,
  CommandRun,
  Effects,
  History,
  Host,
  Module,
  NodeHost,
  PastEvent,
  Peer,
  Projection,
  State,
  Workspace,
} from "./module.ts";

// -- Legions: agents that run in this process -----------------------------------------------------------------------------
// `startLegion` takes plans. `planRoster` makes them from a project's config, agents and teams, as `legion start` does;
// by hand, a plan's `actions` are `indexActions(await loadModules([...]), protocol)`.
export { startLegion } from "./legion.ts";
export type { Legion, LegionOptions } from "./legion.ts";
export type { AgentPlan, Origin } from "./agent-plan.ts";
export { planRoster } from "./roster.ts";
export type { Role, Roster, RosterDeps, Who } from "./roster.ts";
export { loadConfig } from "./config.ts";
export type { Config, ConfigFlags, ConfigSources } from "./config.ts";
export type { Places } from "./definition.ts";
export { packageDir } from "./package.ts";
export { loadModules } from "./user-modules.ts";
export { indexActions } from "./module-set.ts";
export type { ActionIndex } from "./module-set.ts";
export type { Identity, MemorySettings, Standing } from "./agent.ts";
export type { Supervised } from "./supervisor.ts";
export type { Control } from "./control.ts";
export type { Budget } from "./budget.ts";
export type { Spent } from "./spent.ts";
export type { Limits, LimitsChoice } from "./limits.ts";
export type { AgentState, Inspect, Inspection, Inspector } from "./inspection.ts";

// -- What agents run on: models, protocols, environments --------------------------------------------------------------------
// `createScriptedModel` is the test double: a model that answers from a list or a function.
export { chooseModel } from "./model/choice.ts";
export type { ModelChoice } from "./model/choice.ts";
export { openModel } from "./model/registry.ts";
export type { ModelDeps } from "./model/registry.ts";
export { createScriptedModel } from "./model/scripted.ts";
export type { Script, ScriptedAnswer, ScriptedModel, ScriptedOptions } from "./model/scripted.ts";
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
} from "./model/model.ts";
export { textProtocol } from "./protocol/text.ts";
export { toolsProtocol } from "./protocol/tools.ts";
export type { Parsed, Protocol } from "./protocol/protocol.ts";
export { createLocalEnvironment } from "./environment/local.ts";
export type { Environment, ExecuteOptions } from "./environment/environment.ts";

// -- What is on disk --------------------------------------------------------------------------------------------------------
// `createReader` reads the files of a project without its lock, also while a node runs.
export { createFileReader as createReader } from "./reader/file-reader.ts";
export type { FileReader } from "./reader/file-reader.ts";
export type { Reader } from "./reader/reader.ts";
export type { Call, Event, EventOf, Outcome, Usage } from "./event.ts";
export { displayName } from "./message.ts";
export type { AgentId, Message } from "./message.ts";

// -- Errors -----------------------------------------------------------------------------------------------------------------
export { LegionError, isLegionError } from "./errors.ts";
export type { ErrorCode } from "./errors.ts";
