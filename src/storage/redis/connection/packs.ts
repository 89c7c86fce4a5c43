// Scripts that are asked for in one turn go to a single server as one: of a small script most of the time goes into the asking
// and the answering, here and there. In a Cluster each goes on its own: one script may not touch the keys of two agents there.
//
//   U4. Each part is judged on its own and has an answer of its own: what fails in one touches no other.
//   U5. Parts are run in the order in which they were asked for, and before whatever was asked after them.
//   U6. A pack is small: nobody else is answered while it runs.

import type { LuaScript } from "./script.ts";
import { encode, type CommandWords, type EncodedWords } from "./words.ts";

export interface Packs {
  run(script: LuaScript, keys: readonly string[], args: CommandWords): Promise<unknown>;
  /** Sends what waits for the end of this turn. */
  flush(): void;
}

interface ScriptCall {
  readonly script: LuaScript;
  readonly keys: readonly string[];
  readonly args: CommandWords;
  readonly resolve: (reply: unknown) => void;
  readonly reject: (error: unknown) => void;
}

export interface PacksOptions {
  /** Sends one script now. */
  readonly send: Packs["run"];
  /** The same to a single server, with how many keys, and keys and arguments after each other. */
  readonly sendEncoded: (script: LuaScript, keys: number, words: EncodedWords) => Promise<unknown>;
  /** Does one server hold everything? */
  readonly isSingle: () => boolean;
  /** What a part is rejected with, by the error that stands in its place. */
  readonly explain: (error: Error) => unknown;
}

const MOST_PARTS = 100;
/** Of all keys and arguments, but for a part that is longer alone. */
const MOST_LENGTH = 262_144;

export function createPacks({ send, sendEncoded, isSingle, explain }: PacksOptions): Packs {
  const packed = { plain: createPackScripts(), full: createPackScripts() };
  let parts: ScriptCall[] = [];
  let length = 0;
  const sendPack = async (pack: readonly ScriptCall[]): Promise<void> => {
    const [first] = pack;
    if (!first) return;
    try {
      if (pack.length === 1) return first.resolve(await send(first.script, first.keys, first.args));
      const script = packed[kindOf(first.script)](pack);
      const { keys, words } = encodePack(pack);
      const replies = (await sendEncoded(script, keys, words)) as readonly (readonly unknown[] | string)[];
      pack.forEach(({ resolve, reject }, index) => {
        const reply = replies[index]!;
        if (typeof reply === "string") reject(explain(new Error(reply)));
        else resolve(reply[0]);
      });
    } catch (error) {
      for (const part of pack) part.reject(error);
    }
  };
  const flush = (): void => {
    const pack = parts;
    parts = [];
    length = 0;
    void sendPack(pack);
  };
  return {
    flush,
    run(script, keys, args) {
      if (!isSingle()) return send(script, keys, args);
      const more = lengthOf(keys) + lengthOf(args);
      const [first] = parts;
      const isFull = parts.length === MOST_PARTS || length + more > MOST_LENGTH;
      if (first && (isFull || kindOf(first.script) !== kindOf(script))) flush();
      if (parts.length === 0) process.nextTick(flush);
      length += more;
      return new Promise((resolve, reject) => parts.push({ script, keys, args, resolve, reject }));
    },
  };
}

function encodePack(pack: readonly ScriptCall[]): { readonly keys: number; readonly words: EncodedWords } {
  let [keys, args] = ["", ""];
  let [keyCount, count] = [0, 0];
  for (const part of pack) {
    keys += encode(part.keys).text;
    keyCount += part.keys.length;
    args += encode([part.script.name, part.keys.length, part.args.length]).text + encode(part.args).text;
    count += 3 + part.args.length;
  }
  return { keys: keyCount, words: { count: keyCount + count, text: keys + args } };
}

/** Redis takes some scripts also when its memory is full: those say so in their first line, which counts for all of a pack. */
const FULL = "#!lua flags=allow-oom\n";

function kindOf({ lua }: LuaScript): "plain" | "full" {
  return lua.startsWith(FULL) ? "full" : "plain";
}

/** The script of a pack: of all scripts that were in one so far, so that it soon stays the same. */
function createPackScripts(): (pack: readonly ScriptCall[]) => LuaScript {
  const known = new Map<string, LuaScript>();
  let packed: LuaScript = { name: "pack", keys: 0, lua: "" };
  return (pack) => {
    const before = known.size;
    for (const { script } of pack) known.set(script.name, script);
    if (known.size > before) packed = { ...packed, lua: packScript([...known.values()]) };
    return packed;
  };
}

/**
 *   KEYS  of each part its keys
 *   ARGV  of each part its name, how many keys, how many arguments, its arguments
 *   ->    of each part {what it returned}, or as a text what went wrong
 *
 * A part finds in ARGV.say how to say lines on a channel: those of all parts go out as one.
 */
function packScript(scripts: readonly LuaScript[]): string {
  const head = scripts.some((script) => kindOf(script) === "full") ? FULL : "";
  const parts = scripts.map(
    ({ name, lua }) => `['${name}'] = function(KEYS, ARGV)\n${lua.replace(FULL, "")}\nend`,
  );
  return `${head}local parts = {
${parts.join(",\n")}
}
local replies, key, arg = {}, 0, 0
local said, channels = {}, {}
local function say(channel, text)
  if not said[channel] then
    said[channel] = {}
    channels[#channels + 1] = channel
  end
  table.insert(said[channel], text)
end
while arg < #ARGV do
  local part, keys, args = ARGV[arg + 1], {}, {}
  for i = 1, ARGV[arg + 2] do keys[i] = KEYS[key + i] end
  for i = 1, ARGV[arg + 3] do args[i] = ARGV[arg + 3 + i] end
  key, arg = key + #keys, arg + 3 + #args
  args.say = say
  local ok, reply = pcall(parts[part], keys, args)
  replies[#replies + 1] = ok and {reply} or type(reply) == 'table' and reply.err or tostring(reply)
end
-- What is done is done, also where nobody may be told of it.
for _, channel in ipairs(channels) do redis.pcall('PUBLISH', channel, table.concat(said[channel], '\\n')) end
return replies`;
}

function lengthOf(texts: CommandWords): number {
  let length = 0;
  for (const text of texts) length += typeof text === "string" ? text.length : 8;
  return length;
}
