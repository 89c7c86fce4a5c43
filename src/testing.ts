// What tests of programs with a legion need, as `ai-legion/testing`. Everything is the real thing but the model, and the clock
// where a test moves one by hand.

export { createHandClock, type HandClock } from "./testing/hand-clock.ts";
export { createTempProject, type TempProject } from "./testing/temp-project.ts";
export { openTestLegion, type TestLegion, type TestLegionOptions } from "./testing/test-legion.ts";
export {
  createScriptedModel,
  type Script,
  type ScriptedAnswer,
  type ScriptedCall,
  type ScriptedError,
  type ScriptedModel,
  type ScriptedOptions,
} from "./model/scripted/scripted.ts";
