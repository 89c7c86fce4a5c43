import { readFile, stat } from "node:fs/promises";
import { codeOf, LegionError, messageOf } from "../../base/errors.ts";
import type { ScriptedAnswer } from "./scripted.ts";

const MAX_BYTES = 10_485_760;
const WAY = "name a list of answers in YAML or JSON";

/**
 * Reads the answers of a scripted model: a list in YAML or JSON, each a text or a map of `text, calls, thoughts, usage,
 * stop, error`. Throws CONFIG with one line that names the file and the first answer that is none.
 */
export async function loadScript(path: string): Promise<readonly ScriptedAnswer[]> {
  const refuse = (reason: string): never => {
    throw new LegionError("CONFIG", `${path}: ${reason}`);
  };
  let list: unknown;
  try {
    const found = await stat(path);
    if (found.isDirectory()) throw new Error(`it is a folder; ${WAY}`);
    if (found.size > MAX_BYTES) throw new Error(`longer than ${MAX_BYTES} bytes`);
    const text = await readFile(path, "utf8");
    list = jsonIn(text) ?? (await import("yaml")).parse(text);
  } catch (error) {
    const isAbsent = ["ENOENT", "ENOTDIR"].includes(codeOf(error));
    return refuse(isAbsent ? `there is no such file; ${WAY}` : messageOf(error).split("\n", 1)[0]!);
  }
  if (!Array.isArray(list)) return refuse("a script is a list of answers");
  const schema = await answerSchema();
  return list.map((item: unknown, index): ScriptedAnswer => {
    if (typeof item === "string") return item;
    const answer = schema.safeParse(item);
    if (answer.success) return answer.data;
    const [issue] = answer.error.issues;
    return refuse(`answer ${index + 1}: ${[...(issue?.path ?? []), issue?.message].join(": ")}`);
  });
}

/** JSON is YAML too, and read fifty times as fast as that; `undefined`: it is none. */
function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

async function answerSchema() {
  const { z } = await import("zod");
  const count = z.int().min(0);
  return z.strictObject({
    text: z.string().optional(),
    calls: z
      .array(z.strictObject({ action: z.string(), parameters: z.record(z.string(), z.unknown()).optional() }))
      .optional(),
    thoughts: z.string().optional(),
    usage: z
      .strictObject({
        input: count,
        output: count,
        cacheRead: count.optional(),
        cacheWrite: count.optional(),
        cost: z.number().min(0).optional(),
      })
      .optional(),
    stop: z.enum(["end", "calls", "length", "refused"]).optional(),
    error: z
      .strictObject({
        code: z.enum(["MODEL_BUSY", "MODEL_REFUSED", "CONTEXT_OVERFLOW"]),
        message: z.string().optional(),
        retryAfterMs: z.number().min(0).optional(),
        refused: z.strictObject({ status: z.int().min(400).max(599).optional() }).optional(),
      })
      .optional(),
  });
}
